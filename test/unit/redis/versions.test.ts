// How each process learns which versions of the package share a Redis, in logical time.

import { versionsInUse } from '../../../nodes/BusinessData/redis';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

const MINUTE_MS = 60_000;
let redis: LuaRedis;
useLuaRedis((one) => (redis = one));

function startProcess(version: string, connection = redis.connection()) {
	return {
		/** The versions it knows of after the reply of Redis. */
		look: async () => {
			versionsInUse(connection, version);
			await jest.advanceTimersByTimeAsync(0);
			return versionsInUse(connection, version);
		},
	};
}

test('a version is seen by another within 10 s, and forgotten a minute after its last use', async () => {
	const old = startProcess('1');
	const fresh = startProcess('2');
	expect(await old.look()).toEqual(['1']);
	expect(await fresh.look()).toEqual(['1', '2']);
	await jest.advanceTimersByTimeAsync(10_000);
	expect(await old.look()).toEqual(['2', '1']);
	await jest.advanceTimersByTimeAsync(MINUTE_MS - 1);
	expect(await fresh.look()).toEqual(['1', '2']);
	// It was idle in between, so what it knew has expired.
	await jest.advanceTimersByTimeAsync(MINUTE_MS);
	expect(await old.look()).toEqual(['1']);
});

test('no key is left in Redis after a minute', async () => {
	await startProcess('1').look();
	expect([...redis.data.copy().keys()]).toEqual(['n8n-nodes-business-data:versions']);
	await jest.advanceTimersByTimeAsync(MINUTE_MS + 1);
	expect(redis.data.copy().size).toBe(0);
});

test('a version seen before the clock of Redis was set back is forgotten', async () => {
	const fresh = startProcess('2');
	await startProcess('1').look();
	redis.setClock(-10 * MINUTE_MS);
	expect(await fresh.look()).toEqual(['2']);
});

test('a process asks once in 10 s, even if Redis fails or does not reply', async () => {
	let commands = 0;
	const replies: Array<() => Promise<unknown>> = [
		async () => await Promise.reject(new Error('down')),
		async () => await new Promise(() => undefined),
	];
	for (const reply of replies) {
		const connection = redis.connection(async () => {
			commands++;
			return await reply();
		});
		const process = startProcess('1', connection);
		for (let request = 0; request < 100; request++) {
			expect(await process.look()).toEqual(['1']);
			await jest.advanceTimersByTimeAsync(100);
		}
	}
	expect(commands).toBe(2);
});
