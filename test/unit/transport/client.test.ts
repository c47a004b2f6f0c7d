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

let redis: LuaRedis;

// Its Lua starts in real time.
beforeAll(async () => await LuaRedis.load());
useLogicalTime();
beforeEach(async () => (redis = await LuaRedis.load()));

const otherProcess = () =>
	Object.assign(LimiterBench.on(redis), {
		limits: { general: [{ max: 1, windowMs: WINDOW_MS }], endpoints: {} },
	});

/** Sends a request whose first lease takes `leaseMs`, and returns the events with their times. */
async function sendAfterLease(
	leaseMs: number,
	meanwhile: () => Promise<unknown>,
	stopped?: AbortSignal,
) {
	const events: Array<[what: string, at: number]> = [];
	const happens = (what: string) => events.push([what, performance.now()]);
	const response = () => {
		happens('sent');
		return {};
	};
	const context = fakeContext({ credential: { limits: LIMITS }, response, stopped });
	const guard = {
		acquire: async () => {
			happens('leased');
			await after(events.length === 1 ? leaseMs : 0);
			return undefined;
		},
		complete: async (state: string) => void (await Promise.resolve(happens(state))),
	};
	const sending = Run.during(context, async (run) => {
		Object.assign(run.account, { limitStore: limitStoreOf(redis.connection(), 'key') });
		await run.client.request({ ...send, body: { a: 1 }, timeoutMs: TIMEOUT_MS, guard });
	});
	const other = after(leaseMs - 1_000).then(meanwhile);
	const [{ reason }] = (await Promise.allSettled([sending, other])) as [
		{ reason?: unknown },
		object,
	];
	return { events, reason };
}

test('slots that expire during a long wait for a lease are taken anew before the request', async () => {
	const other = otherProcess();
	let otherSentAt = NaN;
	const { events } = await sendAfterLease(
		60_000,
		async () => (otherSentAt = await other.request()),
	);
	expect(events.map(([what]) => what)).toEqual([
		...['leased', 'notSent', 'leased', 'sent', 'sent'],
	]);
	const [, sentAt = NaN] = events.find(([what]) => what === 'sent') ?? [];
	expect(sentAt - otherSentAt).toBeGreaterThanOrEqual(WINDOW_MS);
});

test('slots that no other process takes during a long wait for a lease are held anew', async () => {
	const { events } = await sendAfterLease(60_000, async () => await Promise.resolve());
	expect(events.map(([what]) => what)).toEqual(['leased', 'sent', 'sent']);
	const sentAt = await otherProcess().request();
	expect(sentAt - (events[1]?.[1] ?? NaN)).toBeGreaterThanOrEqual(WINDOW_MS);
});

test('a run that is stopped while it waits for a lease sends nothing and holds nothing', async () => {
	const stop = new AbortController();
	const stopping = async () => await Promise.resolve(stop.abort());
	const { events, reason } = await sendAfterLease(30_000, stopping, stop.signal);
	expect(reason).toBeInstanceOf(Error);
	await after(60_000);
	expect(events.map(([what]) => what)).toEqual(['leased', 'notSent']);
	const startedAt = performance.now();
	expect((await otherProcess().request()) - startedAt).toBeLessThan(1_000);
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
