/** What a client checks between a permit and its request, and after the response. */
import { limitStoreOf } from '../../../nodes/BusinessData/rateLimit';
import type { RedisConnection } from '../../../nodes/BusinessData/redis';
import { Run } from '../../../nodes/BusinessData/run/run';
import { LimiterBench } from '../../support/limiterBench';
import { after, useLogicalTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';
import { fakeContext } from '../run/fakeContext';
import { KEY, read, send } from './examples';

const WINDOW_MS = 10_000;
const LIMITS = { general: [{ max: 1, windowSeconds: WINDOW_MS / 1000 }] };
const TIMEOUT_MS = 5_000;
const LEASE_MS = 60_000;

let redis: LuaRedis;

// Its Lua starts in real time.
beforeAll(async () => await LuaRedis.load());
useLogicalTime();
beforeEach(async () => (redis = await LuaRedis.load()));

test('slots that expire during a long wait for a lease are taken anew before the request', async () => {
	const events: string[] = [];
	let sentAt = NaN;
	const response = () => {
		sentAt = performance.now();
		return {};
	};
	const guard = {
		acquire: async () => {
			events.push('leased');
			await after(events.length === 1 ? LEASE_MS : 0);
			return undefined;
		},
		complete: async (state: string) => void (await Promise.resolve(events.push(state))),
	};
	const context = fakeContext({ credential: { limits: LIMITS }, response });
	const sending = Run.during(context, async (run) => {
		Object.assign(run.account, { limitStore: limitStoreOf(redis.connection(), 'key') });
		await run.client.request({ ...send, body: { a: 1 }, timeoutMs: TIMEOUT_MS, guard });
	});
	const otherProcess = Object.assign(LimiterBench.on(redis), {
		limits: { general: [{ max: 1, windowMs: WINDOW_MS }], endpoints: {} },
	});
	const [otherSentAt] = await Promise.all([
		after(LEASE_MS - 1_000).then(async () => await otherProcess.request()),
		sending,
	]);
	expect(events).toEqual(['leased', 'notSent', 'leased', 'sent']);
	expect(sentAt - otherSentAt).toBeGreaterThanOrEqual(WINDOW_MS);
});

test('a run that is stopped while it waits for a lease sends nothing', async () => {
	const stop = new AbortController();
	const events: string[] = [];
	const response = () => {
		events.push('request');
		return {};
	};
	const guard = {
		acquire: async () => void (await Promise.resolve(stop.abort())),
		complete: async (state: string) => void (await Promise.resolve(events.push(state))),
	};
	const context = fakeContext({ credential: { limits: LIMITS }, response, stopped: stop.signal });
	const sending = Run.during(
		context,
		async (run) => await run.client.request({ ...send, body: { a: 1 }, guard }),
	);
	await expect(sending).rejects.toThrow();
	expect(events).toEqual(['notSent']);
});

test('a key that is counted in two places within a window causes a warning that names both', async () => {
	const general = [{ max: 2, windowSeconds: WINDOW_MS / 1000 }];
	const credential = { apiKey: KEY, limits: { general } };
	const warningsIn = async (connection?: RedisConnection) =>
		await Run.during(fakeContext({ credential }), async (run) => {
			Object.assign(run.account, { redis: connection });
			await run.client.request(read);
			return run.client.warnings.sentences;
		});
	expect(await warningsIn(Object.assign(redis.connection(), { name: 'A Redis' }))).toEqual([]);
	const places = 'counted in 2 places (A Redis; this n8n process)';
	expect(await warningsIn()).toEqual([expect.stringContaining(places)]);
	await after(WINDOW_MS);
	expect(await warningsIn()).toEqual([]);
});
