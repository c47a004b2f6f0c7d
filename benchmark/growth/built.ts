/** Loads the built limiter, because the benchmark must measure what users get, not the output of a loader. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type * as RateLimitModule from '../../nodes/BusinessData/rateLimit';
import type * as KeyLimiterModule from '../../nodes/BusinessData/rateLimit/keyLimiter';
import type * as ConnectionModule from '../../nodes/BusinessData/redis/connection';
import type * as EndpointsModule from '../../nodes/BusinessData/transport/endpoints';
import type * as AsyncModule from '../../nodes/BusinessData/async';

const root = join(__dirname, '../..');
const load = createRequire(join(root, 'dist/package.js'));
const rateLimit = './nodes/BusinessData/rateLimit';

export const { abortController } = load('./nodes/BusinessData/async') as typeof AsyncModule;
export const { KeyLimiter } = load(`${rateLimit}/keyLimiter`) as typeof KeyLimiterModule;
export const { connectionTo } = load(
	'./nodes/BusinessData/redis/connection',
) as typeof ConnectionModule;
export const { limitStoreOf, limiterOf } = load(rateLimit) as typeof RateLimitModule;
export const { DOCUMENTED_LIMITS } = load(
	'./nodes/BusinessData/transport/endpoints',
) as typeof EndpointsModule;
