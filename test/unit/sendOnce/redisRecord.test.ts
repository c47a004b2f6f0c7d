// The lock and the leases of Send Once in Redis, in logical time: whoever waits goes on, but not before it may.

import { RedisRecord } from '../../../nodes/BusinessData/sendOnce/redisRecord';
import { never } from '../../../nodes/BusinessData/async';
import { after, passTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';

const TEN_MINUTES = 600_000;
let redis: LuaRedis;
/** Commands of the process that fails. */
let commands: number;
let isAway: boolean;
beforeAll(async () => (redis = await LuaRedis.load()));
beforeEach(() => {
	jest.useFakeTimers();
	redis.data.clear();
	[commands, isAway] = [0, false];
});
afterEach(() => {
	jest.clearAllTimers();
	jest.useRealTimers();
});

/** As a process has it. */
const recordOf = (key = 'a', most = 100) =>
	new RedisRecord(redis.connection(), 'document', key, most);
/** As a process has it whose commands fail from some time on. */
const failing = () => {
	const connection = redis.connection(async (run) => {
		commands++;
		if (isAway) throw new Error('Redis is away');
		return await Promise.resolve(run());
	});
	return new RedisRecord(connection, 'document', 'a', 100);
};

describe('the lock', () => {
	/** How long (ms) another process waits for the lock that one has had for `afterMs`. */
	async function waitOf(bucket: string, afterMs = 0): Promise<number> {
		const startedAt = performance.now();
		await passTime(after(afterMs), TEN_MINUTES);
		await passTime(
			recordOf().lock(bucket, async () => await Promise.resolve()),
			2 * TEN_MINUTES,
		);
		return Math.round((performance.now() - startedAt) / 1000);
	}

	const step = async (ms: number) => await after(ms).then(() => 'done');
	const hang = async () => await new Promise<string>(() => undefined);
	test.each<[string, () => Promise<string>, () => void, number]>([
		['a step', async () => await step(1_000), () => undefined, 1],
		['a step that takes long', async () => await step(23_000), () => undefined, 23],
		['a process that dies', async () => await step(23_000), () => (isAway = true), 5],
		['a step that never ends', hang, () => undefined, 605],
	])('after %s', async (_, work, happens, seconds) => {
		const one = failing().lock('bucket', work);
		await passTime(after(1), 10);
		happens();
		expect(await waitOf('another')).toBe(0);
		expect(await waitOf('bucket')).toBe(seconds);
		if (seconds < 100) expect(await passTime(one, 60_000)).toBe('done');
	});

	test('a step that fails gives it back', async () => {
		const fail = async () => await Promise.reject(new Error('the database is away'));
		await expect(passTime(failing().lock('bucket', fail), 1_000)).rejects.toThrow('database');
		expect(await waitOf('bucket')).toBe(0);
		const before = commands;
		await passTime(after(60_000), TEN_MINUTES);
		expect(commands).toBe(before);
	});
});

test('its keys say whose they are, and are in one place of a cluster', async () => {
	const connection = redis.connection();
	const run = jest.spyOn(connection, 'run');
	const record = new RedisRecord(connection, 'document', 'a', 100);
	await record.acquire('one', 1_000, false);
	await record.lock('bucket', async () => await record.complete('one', 'sent'));
	const keys = new Set(run.mock.calls.flatMap(([, names]) => names));
	const names = [...keys].map((key) => /^n8n-nodes-.+:\{sendOnce:document\}:(.+)$/.exec(key)?.[1]);
	expect(names).toEqual(['sent', 'unended', 'leases', 'ended:one', 'last:a', 'lock:bucket']);
});

describe('a lease', () => {
	const acquire = async (record: RedisRecord, token: string, durationMs = 30_000) =>
		(await passTime(record.acquire(token, durationMs, false), 1_000)).state;
	const look = async (record = recordOf()) => (await passTime(record.lookUp(never), 1_000)).state;

	test.each([
		[30_000, 2_000],
		[900, 300],
	])('of %i ms is renewed every %i ms, until that ends', async (durationMs, everyMs) => {
		const one = failing();
		const end = one.keepRenewing('one', durationMs);
		expect(await acquire(one, 'one', durationMs)).toBe('notSent');
		commands = 0;
		await passTime(after(60_500), TEN_MINUTES);
		expect(commands).toBe(Math.floor(60_500 / everyMs));
		expect(await look()).toBe('underWay');
		end();
		await passTime(after(60_500), TEN_MINUTES);
		expect(commands).toBe(Math.floor(60_500 / everyMs));
		// Only then is it asked whether the clock was set.
		expect([await look(), await look()]).toEqual(['underWay', 'underWay']);
		await passTime(after(5_001), TEN_MINUTES);
		expect(await look()).toBe('perhapsSent');
	});

	test('goes on after Redis was away, and when it was emptied', async () => {
		const one = failing();
		one.keepRenewing('one', 30_000);
		await acquire(one, 'one');
		isAway = true;
		await passTime(after(20_000), TEN_MINUTES);
		isAway = false;
		redis.data.clear();
		const found = await passTime(recordOf().lookUp(never), 1_000);
		expect(found).toEqual({ state: 'notSent', missingMs: 5_000 });
		await passTime(after(2_001), TEN_MINUTES);
		expect(await acquire(recordOf(), 'another')).toBe('underWay');
		await passTime(after(TEN_MINUTES), 2 * TEN_MINUTES);
		expect(await look()).not.toBe('perhapsSent');
	});

	test.each(['sent', 'perhapsSent', 'notSent', undefined] as const)('ends as %s', async (state) => {
		await acquire(recordOf(), 'one');
		await passTime(recordOf().complete('one', state), 1_000);
		expect(await look()).toBe(state ?? 'notSent');
		expect(await acquire(recordOf(), 'another')).toBe(state ?? 'notSent');
		const forced = await passTime(recordOf().acquire('hand', 30_000, true), 1_000);
		const isFree = state === 'sent' || state === 'perhapsSent';
		expect(forced.state).toBe(isFree ? 'notSent' : 'underWay');
	});

	test('is the last until another sender has one', async () => {
		const isLast = async (token: string) => await passTime(recordOf().isLast(token), 1_000);
		await acquire(recordOf(), 'one');
		expect(await isLast('one')).toBe(true);
		await passTime(recordOf().complete('one', 'notSent'), 1_000);
		expect(await isLast('one')).toBe(true);
		await acquire(recordOf(), 'another');
		expect([await isLast('one'), await isLast('another')]).toEqual([false, true]);
	});

	test('the oldest keys are forgotten', async () => {
		for (const key of ['a', 'b', 'c']) {
			await acquire(recordOf(key, 2), key);
			await passTime(recordOf(key, 2).complete(key, 'sent'), 1_000);
			await passTime(after(1), 10);
		}
		const states = [
			await look(recordOf('a')),
			await look(recordOf('b')),
			await look(recordOf('c')),
		];
		expect(states).toEqual(['notSent', 'sent', 'sent']);
	});
});
