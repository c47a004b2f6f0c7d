/** The Luxon of n8n-workflow, because a community package cannot rely on requiring Luxon by name. */
import { createRequire } from 'node:module';

import type * as Luxon from 'luxon';

const requireOfN8n = createRequire(createRequire(__filename).resolve('n8n-workflow'));

export const { DateTime, IANAZone } = requireOfN8n('luxon') as typeof Luxon;
