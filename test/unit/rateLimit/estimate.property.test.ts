/**
 * How long it takes until there is room is computed in TypeScript for this process and in Lua for all: after whatever
 * requests and tickets, both say the same.
 */
import * as fc from 'fast-check';

import { type Limits, limitStoreOf } from '../../../nodes/BusinessData/rateLimit';
import { HOUR, LimiterBench, SEND } from '../../support/limiterBench';
import { passTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';

/** Moments are whole ms in Redis, and so are the requests played there. */
const ROUNDED_MS = 10;

const limit = fc.record({
	max: fc.integer({ min: 1, max: 6 }),
	windowMs: fc.integer({ min: 1, max: 60 }).map((seconds) => seconds * 1_000),
});
const limits: fc.Arbitrary<Limits> = fc.record({
	general: fc.array(limit, { minLength: 1, maxLength: 3 }),
	scopes: fc.array(limit, { minLength: 1, maxLength: 2 }).map((own) => ({ [SEND]: own })),
});
type Step =
	| { what: 'requests'; count: number; scope: string | undefined }
	| { what: 'pass'; ms: number }
	| { what: 'ticket'; name: string; count: number };
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({
		what: fc.constant('requests' as const),
		count: fc.integer({ min: 1, max: 6 }),
		scope: fc.constantFrom(SEND, undefined),
	}),
	fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
	fc.record({
		what: fc.constant('ticket' as const),
		name: fc.constantFrom('a', 'b', 'c'),
		count: fc.integer({ min: 1, max: 8 }),
	}),
);

/** What each ticket, and the estimate after each step, says. */
async function play(steps: Step[], sender: LimiterBench, asker: LimiterBench): Promise<number[]> {
	const waits: number[] = [];
	for (const one of steps) {
		if (one.what === 'pass') await jest.advanceTimersByTimeAsync(one.ms);
		else if (one.what === 'requests') {
			await passTime(sender.requests(one.count, { scope: one.scope }), HOUR);
		} else waits.push(await asker.promise(one.name, { count: one.count }));
		waits.push((await asker.estimate(1)).nextMs);
	}
	return waits;
}

test('a wait is the same in TypeScript and in Lua', async () => {
	const redis = await LuaRedis.load();
	let keys = 0;
	await fc.assert(
		fc
			.asyncProperty(limits, fc.array(step, { maxLength: 8 }), async (table, steps) => {
				const key = `key ${++keys}`;
				const inMemory = Object.assign(new LimiterBench(), { limits: table });
				// Who asks knows nothing of its own: what it says comes from Redis.
				const [sender, asker] = [0, 1].map(() =>
					Object.assign(new LimiterBench(limitStoreOf(redis.connection(), key)), {
						limits: table,
					}),
				) as [LimiterBench, LimiterBench];
				const expected = await play(steps, inMemory, inMemory);
				const received = await play(steps, sender, asker);
				for (const [index, ms] of received.entries()) {
					expect(Math.abs(ms - (expected[index] ?? NaN))).toBeLessThanOrEqual(ROUNDED_MS);
				}
			})
			.beforeEach(() => void jest.useFakeTimers())
			.afterEach(() => void jest.useRealTimers()),
		{ numRuns: 60 },
	);
}, 60_000);
