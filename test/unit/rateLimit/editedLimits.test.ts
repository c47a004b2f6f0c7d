// Limits that are edited, or differ between credentials of the same key: a held slot counts under all of them.

import type { Limits } from '../../../nodes/BusinessData/rateLimit';
import { fullestWindow } from '../../support/countedRequests';
import { general, HOUR, LimiterBench, SEND } from '../../support/limiterBench';
import { expectBetween, passTime } from '../../support/logicalTime';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

const sends = (max: number, seconds: number): Limits => ({
	general,
	endpoints: { [SEND]: [{ max, windowMs: seconds * 1000 }] },
});
const unlimited: Limits = { general, endpoints: {} };

describe.each(['memory', 'Redis'])('counting in %s', (store) => {
	let redis: LuaRedis;
	let bench: LimiterBench;
	let beganAt: number;

	/** With Redis, each step has a new process, which knows only what is in Redis. */
	const under = (limits: Limits) => {
		if (store === 'Redis') bench = LimiterBench.on(redis);
		bench.limits = limits;
		return bench;
	};
	/** Sends one request, and returns when it went out, in seconds since the test began. */
	const sendOne = async (limits: Limits, latencyMs = 0) => {
		const sent = under(limits).request({ endpoint: SEND }, latencyMs);
		return ((await passTime(sent, 30 * HOUR)) - beganAt) / 1000;
	};
	const at = async (seconds: number) =>
		await jest.advanceTimersByTimeAsync(beganAt + seconds * 1000 - performance.now());

	useLuaRedis((one) => {
		redis = one;
		bench = new LimiterBench();
		beganAt = performance.now();
	});

	test('a window that is shortened and lengthened again keeps its slots', async () => {
		for (let count = 0; count < 3; count++) await sendOne(sends(3, 60));
		await at(10);
		expectBetween(await sendOne(sends(3, 30)), 30, 33);
		expectBetween(await sendOne(sends(3, 60)), 60, 63);
	});

	test.each([
		['a window that is lengthened counts the slots of the shorter one', 6, sends(3, 6), 2],
		['requests sent without a limit for the endpoint count under a later one', 60, unlimited, 5],
	])('%s', async (_, windowSeconds, limits, more) => {
		await sendOne(sends(3, windowSeconds));
		for (let count = 0; count < more; count++) await sendOne(limits);
		await at(5);
		expectBetween(await sendOne(sends(3, 60)), 60, 63);
	});

	test('a request under way during the edit holds its slot from its response on', async () => {
		const slow = under(sends(1, 60)).request({ endpoint: SEND }, 20_000);
		await at(10);
		const next = sendOne(sends(1, 30));
		await passTime(slow);
		expectBetween(await passTime(next), 50, 56);
	});

	test('two requests under different limits do not both get the same slot', async () => {
		const shared = { max: 3, windowMs: 20_000 };
		const wide = { general: [{ max: 3, windowMs: 1_000 }, shared], endpoints: {} };
		const narrow = { general: [{ max: 2, windowMs: 1_000 }, shared], endpoints: {} };
		// In one process, whose runs have read different limits.
		const one = under(wide);
		await passTime(one.request());
		await at(5);
		await passTime(one.requests(2));
		const both = Object.entries({ wide, narrow }).map(
			async ([run, limits]) => await one.request({ run, limits }),
		);
		await passTime(Promise.all(both));
		expect(fullestWindow(one.counted, shared.windowMs)).toBe(3);
	});

	test('an unused permit frees its slots in windows of every length', async () => {
		const permit = await passTime(under(sends(1, 60)).acquire({ endpoint: SEND }));
		const other = sendOne(sends(1, 30));
		permit.unused();
		expect(await other).toBeLessThan(5);
		expect((await under(sends(1, 20)).status()).get(`${SEND}/20s`)).toMatchObject({ used: 1 });
	});

	if (store === 'memory') {
		test('a window that is no longer in use remembers no more slots than its limit', async () => {
			await sendOne(sends(3, 100_000));
			for (let count = 0; count < 40; count++) await sendOne(sends(20, 1));
			await at(200);
			// One timer for each slot, and the limiter's own.
			expect(jest.getTimerCount()).toBe(4);
			expect(await sendOne(sends(3, 100_000))).toBeGreaterThanOrEqual(100_000);
		});
	}

	test('nothing is left when the longest window has passed', async () => {
		await sendOne(sends(3, 60));
		await sendOne(sends(3, 6));
		await at(70);
		expect(bench.isIdle).toBe(true);
		expect([...redis.data.copy().keys()]).toEqual([]);
		expect(jest.getTimerCount()).toBe(0);
	});
});
