// The leases of Send Once, in logical time: a sender that finds one waits as long as it must, and no longer.

import type { RedisConnection } from '../../../nodes/BusinessData/redis';
import { KeyLease } from '../../../nodes/BusinessData/sendOnce/keyLease';
import { abortController } from '../../../nodes/BusinessData/async';
import { processState } from '../../../nodes/BusinessData/sendOnce/processState';
import { after, passTime } from '../../support/logicalTime';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

const HOUR = 3_600_000;
let redis: LuaRedis;
/** The commands of the process with the lease, and whether they fail. */
let commands: number;
let isAway: boolean;
useLuaRedis((one) => {
	redis = one;
	processState().leases.clear();
	commands = 0;
	isAway = false;
});

const leaseOf = (
	connection: RedisConnection | undefined,
	name = 'a',
	signal = abortController().signal,
) => new KeyLease({ workflowId: 'w', document: 'document', name }, connection, signal);
/** Does `work` as another process, which does not know the leases of this one. */
async function inOther<T>(work: (lease: KeyLease) => Promise<T>, name = 'a'): Promise<T> {
	const { leases } = processState();
	const own = new Map(leases);
	leases.clear();
	const result = await passTime(work(leaseOf(redis.connection(), name)), HOUR);
	leases.clear();
	for (const [key, lease] of own) leases.set(key, lease);
	return result;
}
/** For how long (ms) a lease may be missing; undefined while there is one. */
const missing = async (name = 'a') =>
	await inOther(async (lease) => {
		const found = await lease.lookUp();
		return typeof found === 'number' ? found : undefined;
	}, name);
/** How long (s) the other process waits for the key. */
async function waitOf(): Promise<number> {
	const startedAt = performance.now();
	await inOther(async (lease) => {
		for (;;) {
			const acquired = await lease.acquire();
			if ('release' in acquired) return acquired.release();
			await acquired.ended;
		}
	});
	return Math.round((performance.now() - startedAt) / 1000);
}

async function acquire(): Promise<() => void> {
	const connection = redis.connection(async (run) => {
		commands++;
		if (isAway) throw new Error('Redis is away');
		return await Promise.resolve(run());
	});
	const acquired = await passTime(leaseOf(connection).acquire(), 1_000);
	if ('ended' in acquired) throw new Error('another has it');
	return acquired.release;
}

const pass = async (ms: number) => await passTime(after(ms), HOUR);

test.each([
	['in one process', false],
	['with Redis', true],
])('%s, a sender that finds a lease waits for its end', async (_, hasRedis) => {
	const lease = leaseOf(hasRedis ? redis.connection() : undefined);
	const acquired = await lease.acquire();
	const met = [await lease.acquire(), await lease.lookUp()];
	const isOver = jest.fn();
	const later = jest.fn();
	for (const one of met) (one as { ended: Promise<void> }).ended.then(isOver, later);
	await pass(60_000);
	expect(isOver).not.toHaveBeenCalled();
	(acquired as { release: () => void }).release();
	await pass(1);
	expect([isOver, later].map(({ mock }) => mock.calls.length)).toEqual([2, 0]);
	// A second release does not end the lease of the next sender.
	const next = await passTime(lease.acquire(), 10);
	(acquired as { release: () => void }).release();
	expect(next).toHaveProperty('release');
	expect(await lease.acquire()).toHaveProperty('ended');
});

test('a lease is renewed every 2 s until it is released, and is then free at once', async () => {
	const release = await acquire();
	commands = 0;
	await pass(61_000);
	expect(commands).toBe(30);
	expect(await missing()).toBeUndefined();
	release();
	expect(await waitOf()).toBe(0);
	await pass(61_000);
	expect(commands).toBe(31);
});

test('the lease of a process that died expires after 15 s', async () => {
	await acquire();
	isAway = true;
	expect(await waitOf()).toBe(15);
});

test('a lease survives an outage, a loss of data and a changed clock of Redis', async () => {
	await acquire();
	isAway = true;
	await pass(10_000);
	isAway = false;
	redis.data.clear();
	expect(await missing()).toBe(5_000);
	await pass(2_000);
	expect(await missing()).toBeUndefined();
	redis.setClock(HOUR);
	expect(await missing()).toBe(5_000);
	await pass(2_000);
	redis.setClock(-HOUR);
	expect(await missing()).toBeUndefined();
	await pass(60_000);
	expect(await missing()).toBeUndefined();
});

test.each([
	['looks it up', async () => await missing()],
	['waits for it', async () => await passTime(inOtherOnce(), HOUR)],
])('the lease of a dead process expires if one %s after a clock change', async (_, meet) => {
	await acquire();
	isAway = true;
	redis.setClock(-HOUR);
	await meet();
	await pass(14_000);
	expect(await missing()).toBeUndefined();
	await pass(1_001);
	expect(await missing()).toBeDefined();
});
const inOtherOnce = async () => await inOther(async (lease) => await lease.acquire());

test('a lease may be missing for 5 s only in a Redis that has not been read lately', async () => {
	expect(await missing()).toBe(5_000);
	await pass(2_000);
	expect([await missing(), await missing('b')]).toEqual([3_000, 3_000]);
	await pass(3_000);
	expect(await missing()).toBe(0);
	// A clock that was set back by more than that proves nothing.
	redis.setClock(-HOUR);
	expect(await missing()).toBe(5_000);
	await pass(5_000);
	expect(await missing()).toBe(0);
	redis.data.starts++;
	expect(await missing()).toBe(5_000);
	for (let looks = 0; looks < 5; looks++) {
		await pass(9_000);
		expect(await missing()).toBe(0);
	}
	await pass(10_001);
	expect(await missing()).toBe(5_000);
});

test('no lease is held if Redis fails, and a stop ends a wait', async () => {
	isAway = true;
	await expect(acquire()).rejects.toThrow('Redis is away');
	isAway = false;
	(await acquire())();
	expect(processState().leases.size).toBe(0);
	const stop = abortController();
	const other = leaseOf(redis.connection(), 'a', stop.signal);
	const paused = other.pause(HOUR);
	stop.abort();
	await passTime(paused, 10);
	await expect(other.lookUp()).rejects.toThrow('aborted');
});

test('the keys of a lease have the prefix of the package, and are in one slot of a cluster', async () => {
	const connection = redis.connection();
	const run = jest.spyOn(connection, 'run');
	const lease = leaseOf(connection);
	await lease.lookUp();
	await lease.acquire();
	const keys = new Set(run.mock.calls.flatMap(([, names]) => names));
	const names = [...keys].map((key) => /^n8n-nodes-.+:\{sendOnce:document\}:(.+)$/.exec(key)?.[1]);
	expect(names).toEqual(['lease:a', 'server']);
});
