/** Luxon as n8n-workflow brings it along: a community package cannot count on finding it by its name. */
import { createRequire } from 'node:module';

import type * as Luxon from 'luxon';

const requireOfN8n = createRequire(createRequire(__filename).resolve('n8n-workflow'));

export const { DateTime, IANAZone } = requireOfN8n('luxon') as typeof Luxon;
