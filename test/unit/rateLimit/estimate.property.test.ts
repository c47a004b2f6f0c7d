// The script of the limit store and the process estimate the same wait of the next request from the same state.

import * as fc from 'fast-check';

import { RedisLimitStore } from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import { estimateWait, windowStates } from '../../../nodes/BusinessData/rateLimit/estimate';
import { abortController } from '../../../nodes/BusinessData/async';
import { limitsOf, LimitStoreRequest } from '../../support/limitStoreRequest';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

/** How long (ms) a server that has just started gives no slots. */
const NEW_MS = 5_000;
/** Redis rounds to whole ms: the time of each slot, and how long it is held. */
const ROUNDED_MS = 2;

const { signal } = abortController();
let redis: LuaRedis;
useLuaRedis((one) => (redis = one));
beforeEach(async () => await jest.advanceTimersByTimeAsync(NEW_MS));

const window = fc.record({
	max: fc.integer({ min: 1, max: 6 }),
	windowMs: fc.integer({ min: 1_000, max: 10_000 }),
});
const state = fc.record({
	windows: fc.uniqueArray(window, { minLength: 1, maxLength: 3, selector: (one) => one.windowMs }),
	/** Time (ms) before each request that takes a slot if there is one. */
	pauses: fc.array(fc.nat(4_000), { maxLength: 12 }),
	/** How many requests come at the end. */
	requests: fc.integer({ min: 1, max: 8 }),
});

test('the script and the process estimate the same wait', async () => {
	let waits = 0;
	let times = 0;
	await fc.assert(
		fc.asyncProperty(state, async ({ windows, pauses, requests }) => {
			const limitStore = new RedisLimitStore(redis.connection(), `key ${++times}`);
			const own = limitsOf('own', windows);
			/** How many requests wait, and how long (ms) the next one will. */
			const estimate = async () => {
				const [use] = await limitStore.read([own]);
				const queued = use?.queued ?? 0;
				return {
					queued,
					waitMs: use === undefined ? NaN : estimateWait(windowStates(use), queued),
				};
			};
			const take = async () => {
				const { permit } = new LimitStoreRequest(limitStore, own);
				const { isTaken, waitMs } = await limitStore.take(permit, signal);
				if (isTaken) limitStore.complete(permit, 0);
				return waitMs;
			};
			await take();
			await jest.advanceTimersByTimeAsync(NEW_MS);
			for (const pause of pauses) {
				await jest.advanceTimersByTimeAsync(pause);
				// A request that has to wait would keep its place in the queue.
				if ((await estimate()).waitMs === 0) await take();
			}
			for (let request = 0; request < requests; request++) {
				const { queued, waitMs: expected } = await estimate();
				const waitMs = await take();
				if (waitMs > 0) waits++;
				// Behind others, the script looks at each window by itself and at most one round ahead, the process at all rounds
				// of the slowest window.
				if (queued === 0) expect(waitMs).toBeGreaterThanOrEqual(expected - ROUNDED_MS);
				if (queued === 0 || windows.length === 1) {
					expect(waitMs).toBeLessThanOrEqual(expected + ROUNDED_MS);
				}
			}
		}),
		{ numRuns: 200 },
	);
	expect(waits).toBeGreaterThan(200);
});
