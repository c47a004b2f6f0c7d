// One connection per address and process, to a real Redis that fails: the next attempt gets a new connection.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import {
	connectionTo,
	type RedisAddress,
	type RedisConnection,
	RedisError,
	RedisScript,
} from '../../nodes/BusinessData/redis';
import { redisCommand, RedisServer, withReplication } from '../support/redisServer';
import { TcpProxy } from '../support/tcpProxy';
import { waitUntil } from '../support/waitUntil';

const DIST = join(__dirname, '../../dist/nodes/BusinessData');
const PASSWORD = 'a-password-of-redis';
/** How long requests wait for a standalone Redis. */
const LONGEST_OUTAGE_MS = 15_000;
const KEY = '{connection-test}:number';
const COUNT = new RedisScript("return redis.call('INCR', KEYS[1])");

let server: RedisServer;
let other: RedisServer;
let proxy: TcpProxy;
let address: RedisAddress;
let connection: RedisConnection;

beforeEach(async () => {
	const settings = withReplication(PASSWORD);
	[server, other] = await Promise.all([RedisServer.start(settings), RedisServer.start(settings)]);
	proxy = await TcpProxy.to(server.port);
	address = server.address(PASSWORD, proxy.port);
	connection = connectionTo(address);
});
afterEach(async () => {
	jest.useRealTimers();
	for (const one of [proxy, server, other]) {
		await (one instanceof TcpProxy ? one.close() : one.dispose());
	}
});

const count = async () => await connection.run<number>(COUNT, [KEY], []);
const ask = async (asked: RedisServer, ...command: string[]) =>
	await redisCommand(asked.port, PASSWORD, ...command);

/** The number of our connections to a server. */
async function connectionsAt(asked: RedisServer): Promise<number> {
	const list = await ask(asked, 'CLIENT', 'LIST');
	return list.split('\n').filter((line) => line.includes('name=n8n-nodes-business-data')).length;
}

describe('a connection', () => {
	test('is shared by concurrent scripts and by all callers with the same address', async () => {
		expect(connectionTo({ ...address })).toBe(connection);
		const replies = await Promise.all(Array.from({ length: 50 }, count));
		expect(new Set(replies).size).toBe(50);
		expect(await connectionsAt(server)).toBe(1);
	});

	test('and its error class are shared with another loaded copy of the package', async () => {
		jest.resetModules();
		const load = (name: string): unknown => jest.requireActual(join(DIST, 'redis', name));
		const copy = load('connection.js') as { connectionTo: typeof connectionTo };
		expect(copy.connectionTo).not.toBe(connectionTo);
		expect(copy.connectionTo({ ...address })).toBe(connection);
		const { RedisError: OtherError } = load('failure.js') as { RedisError: typeof RedisError };
		expect(OtherError).not.toBe(RedisError);
		expect(new OtherError('', '')).toBeInstanceOf(RedisError);
		expect(new Error('')).not.toBeInstanceOf(RedisError);
		await count();
	});

	test('is closed after 30 s without use, and opened again on the next use', async () => {
		jest.useFakeTimers({
			doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
		});
		await count();
		await jest.advanceTimersByTimeAsync(29_000);
		expect(proxy.connections).toBe(2);
		await count();
		await jest.advanceTimersByTimeAsync(29_000);
		expect(proxy.connections).toBe(2);
		await jest.advanceTimersByTimeAsync(2_000);
		jest.useRealTimers();
		await waitUntil(() => proxy.connections === 0);
		expect(await count()).toBe(3);
		expect(await connectionsAt(server)).toBe(1);
	});

	test('does not send the source of a script whose caller has aborted', async () => {
		await count();
		const given = new AbortController();
		const script = new RedisScript("return redis.call('SET', KEYS[1], 100)");
		const late = connection.run(script, [KEY], [], given.signal);
		given.abort();
		await expect(late).rejects.toThrow();
		// Redis does not know this script either. It gets it after the other one.
		const read = new RedisScript("return tonumber(redis.call('GET', KEYS[1]))");
		expect(await connection.run(read, [KEY], [])).toBe(1);
	});

	test.each([
		['after its script has ended', '1', async () => await Promise.resolve()],
		['while it retries during an outage', '', async () => await server.stop('SIGKILL')],
	])('does not keep a process alive %s', async (_, result, prepare) => {
		await prepare();
		const run = `
			const { connectionTo, RedisScript } = require(${JSON.stringify(join(DIST, 'redis/index.js'))});
			const connection = connectionTo(${JSON.stringify(address)});
			const startedAt = performance.now();
			process.on('exit', () => console.error(performance.now() - startedAt));
			connection.run(new RedisScript('return 1'), ['{a}'], []).then(console.log);`;
		const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', run], {
			timeout: 60_000,
		});
		expect(stdout.trim()).toBe(result);
		expect(Number(stderr)).toBeLessThan(LONGEST_OUTAGE_MS);
	});
});

describe('the next attempt gets a new connection', () => {
	/** Expects concurrent scripts to succeed over a single new connection. */
	async function expectHealed(asked: RedisServer, first: number, forgotten = 0): Promise<void> {
		const replies = await Promise.all(Array.from({ length: 20 }, count));
		expect(Math.min(...replies)).toBeGreaterThanOrEqual(first);
		expect(await connectionsAt(asked)).toBe(1 + forgotten);
	}

	test('when a firewall has silently dropped the old one', async () => {
		await count();
		proxy.swallow();
		proxy.open();
		// The server has not noticed either, so it still lists the old connection.
		await expectHealed(server, 2, 1);
	});

	test('when the server has closed the old one', async () => {
		await count();
		await ask(server, 'CLIENT', 'KILL', 'TYPE', 'normal');
		await expectHealed(server, 2);
	});

	test('when the server restarts and is still loading its data (LOADING)', async () => {
		const slow = ['--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024'];
		await other.dispose();
		other = await RedisServer.start([...withReplication(PASSWORD), '--appendonly', 'yes', ...slow]);
		proxy.leadTo(other.port);
		await count();
		await ask(other, 'EVAL', "for i = 1, 20000 do redis.call('SET', i, i) end", '0');
		await other.stop();
		await other.start();
		const healed = expectHealed(other, 2);
		await waitUntil(() => connection.failure()?.message.includes('LOADING') === true);
		await ask(other, 'CONFIG', 'SET', 'key-load-delay', '0');
		await healed;
	});

	test('when the server is too busy even for the handshake (BUSY)', async () => {
		await ask(server, 'CONFIG', 'SET', 'lua-time-limit', '50');
		const busy = ask(server, 'EVAL', 'while true do end', '0');
		await waitUntil(async () => (await ask(server, 'PING')).includes('BUSY'));
		const counted = count();
		await waitUntil(() => connection.failure()?.message.includes('BUSY') === true);
		await ask(server, 'SCRIPT', 'KILL');
		await busy;
		expect(await counted).toBe(1);
	});
});

describe('an error', () => {
	// topologies.test.ts tests other wrong settings.
	test.each([
		['a wrong password', '', 'WRONGPASS'],
		['missing permissions for the script', 'weak', '(ERR|NOPERM)'],
	])('that waiting cannot fix is thrown at once: %s', async (_, user, reply) => {
		const rights = '~* -@all +eval +evalsha +ping +select'.split(' ');
		await ask(server, 'ACL', 'SETUSER', 'weak', 'on', '>secret-of-mine', ...rights);
		const wrong = connectionTo({ ...address, user, password: 'secret-of-mine' });
		const startedAt = performance.now();
		const error: unknown = await wrong.run(COUNT, [KEY], []).catch((reason: unknown) => reason);
		expect(performance.now() - startedAt).toBeLessThan(5_000);
		expect(error).toBeInstanceOf(RedisError);
		expect(error).toMatchObject({ isPermanent: true });
		const { message, description } = error as RedisError;
		const words = new RegExp(`^Redis at 127\\.0\\.0\\.1:\\d+ cannot be used: ${reply} `);
		expect(message).toMatch(words);
		expect(description).toContain('Check Redis User and the Redis passwords');
		expect(description).toContain('Nothing was sent.');
		expect(message + description).not.toMatch(new RegExp(`secret-of-mine|${PASSWORD}`));
		expect(wrong.failure()?.message).toBe(message);
	});

	test('contains no part of a password that the server has echoed', async () => {
		await other.dispose();
		other = await RedisServer.start(['--rename-command', 'AUTH', '']);
		const wrong = connectionTo(other.address('secret'.repeat(50)));
		const failed = expect(wrong.run(COUNT, [KEY], [])).rejects;
		await failed.toThrow(/cannot be used: ERR unknown command .auth.$/i);
	});

	test('is cleared by the next success', async () => {
		await count();
		await server.stop();
		const waiting = count();
		await waitUntil(() => connection.failure() !== undefined);
		expect(connection.failure()?.message).toContain('cannot be used');
		await server.start();
		await waiting;
		expect(connection.failure()).toBeUndefined();
	});

	test('of one script does not affect the others', async () => {
		const broken = new RedisScript("return redis.call('LPUSH', KEYS[1], 1)");
		await count();
		const stop = new AbortController();
		const failing = connection.run(broken, [KEY], [], stop.signal).catch(() => undefined);
		await pause(1_000);
		await count();
		stop.abort(new Error('enough'));
		await failing;
		expect(await ask(server, 'INFO', 'stats')).toMatch(/total_connections_received:[1-9]\r?$/m);
	});

	test('that may be transient is retried for 15 s, even if the host name looks like an error', async () => {
		const hosts = ['127.0.0.1', 'redis-tls-cert.invalid'];
		const startedAt = performance.now();
		const errors = hosts.map(async (host) => {
			const lost = connectionTo({ ...address, nodes: [{ host, port: 1 }] });
			const error: unknown = await lost.run(COUNT, [KEY], []).catch((reason: unknown) => reason);
			expect(performance.now() - startedAt).toBeGreaterThanOrEqual(15_000);
			expect(error).toBeInstanceOf(RedisError);
			expect((error as RedisError).message).toContain(`Redis at ${host}:1 cannot be used: `);
			expect((error as RedisError).description).toContain('whether Redis is up');
			// A script that comes later fails with its first attempt.
			const failedAt = performance.now();
			await expect(lost.run(COUNT, [KEY], [])).rejects.toBeInstanceOf(RedisError);
			expect(performance.now() - failedAt).toBeLessThan(5_000);
		});
		await Promise.all(errors);
	});
});
