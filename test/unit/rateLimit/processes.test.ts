// Several processes that count in one Redis, in logical time: each has a connection and windows of its own.

import { HOUR, LimiterBench } from '../../support/limiterBench';
import { passTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';

let redis: LuaRedis;
let [one, other]: [LimiterBench, LimiterBench] = [new LimiterBench(), new LimiterBench()];

beforeEach(async () => {
	redis = await LuaRedis.load();
	jest.useFakeTimers();
	[one, other] = [LimiterBench.on(redis), LimiterBench.on(redis)];
});

afterEach(() => jest.useRealTimers());

const longestOf = async (bench: LimiterBench) => (await bench.status()).get('general/60s');

describe('what one process has learned of other clients', () => {
	test.each([
		['is known to another', 0, true],
		['is known to one that begins late', 40_000, true],
		['is as old there as it is', 40_000, false],
	])('%s', async (_, beginsAfterMs, isKnown) => {
		await passTime(one.requests(30), HOUR);
		(await passTime(one.acquire(), HOUR)).refused(0);
		const learnedAt = performance.now();
		await jest.advanceTimersByTimeAsync(beginsAfterMs);
		await passTime(other.requests(1), HOUR);
		const untilMs = learnedAt + (isKnown ? 50_000 : 61_000) - performance.now();
		await jest.advanceTimersByTimeAsync(untilMs);
		const { usedByOthers = 0 } = (await longestOf(other)) ?? {};
		expect(usedByOthers > 0).toBe(isKnown);
	});
});
