// A real cluster, real Sentinels and real TLS: scripts find their server, and a mistake in the credential causes a clear
// error at once.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { limitStoreOf } from '../../nodes/BusinessData/rateLimit';
import {
	connectionTo,
	type RedisAddress,
	RedisError,
	RedisScript,
} from '../../nodes/BusinessData/redis';
import { KeyLease } from '../../nodes/BusinessData/sendOnce/keyLease';
import { NODE, useBench } from '../support/bench';
import { LimitStoreRequest, limitsOf } from '../support/limitStoreRequest';
import { getStatus } from '../support/parameters';
import { PrivateAuthority } from '../support/privateAuthority';
import { RedisCluster } from '../support/redisCluster';
import { RedisSentinel } from '../support/redisSentinel';
import { redisCommand, RedisServer } from '../support/redisServer';
import { RedisTls } from '../support/redisTls';
import { fieldsOf } from '../support/redisTopologies';
import { waitUntil } from '../support/waitUntil';

const PASSWORD = 'a-password-of-redis';
const SENTINEL_PASSWORD = 'a-password-of-sentinels';
const COUNT = new RedisScript("return redis.call('INCR', KEYS[1])");
const TAGS = Array.from({ length: 30 }, (_, index) => `{tag-${index}}:number`);

const bench = useBench({}, { inRealTime: true });
const authority = new PrivateAuthority();
let cluster: RedisCluster;
let sentinel: RedisSentinel;
let tls: RedisTls;
let plain: RedisServer;

beforeAll(async () => {
	[cluster, sentinel, tls, plain] = await Promise.all([
		RedisCluster.start(PASSWORD),
		RedisSentinel.start(PASSWORD, SENTINEL_PASSWORD, 5_000),
		RedisTls.start(PASSWORD),
		RedisServer.start(['--requirepass', PASSWORD]),
	]);
});
afterAll(async () => {
	await Promise.all([cluster.dispose(), sentinel.dispose(), tls.dispose(), plain.dispose()]);
	authority.dispose();
});

const count = async (address: RedisAddress, key = '{a}') =>
	await connectionTo(address).run<number>(COUNT, [key], []);

/** The texts of the error for a user, which must contain no password. */
async function errorOf(address: RedisAddress): Promise<{ message: string; description: string }> {
	const error: unknown = await count(address).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(RedisError);
	const { message, description } = error as RedisError;
	expect(message + description).not.toMatch(/a-password|another-password/);
	expect(description).toMatch(/^Nothing was sent\. /);
	return { message, description };
}

const plainAddress = (port?: number) => plain.address(PASSWORD, port);

/** The arguments of `ACL SETUSER` for a user with a password and the permissions on the page. */
function rightsOf({ isCluster }: { isCluster: boolean }): string[] {
	const page = readFileSync(join(__dirname, '../../docs/queue-mode.md'), 'utf8');
	const [, rules = ''] = /^ACL SETUSER n8n on >password (.+)$/m.exec(page) ?? [];
	const [, others = ''] = /for a cluster, add `([^`]+)`/.exec(page) ?? [];
	const all = isCluster ? `${rules} ${others}` : rules;
	return ['reset', 'on', '>another-password', ...all.split(' ')];
}

describe('a cluster', () => {
	test('runs each script on the shard that has its keys, over one connection per shard', async () => {
		for (const expected of [1, 2]) {
			const replies = TAGS.map(async (key) => await count(cluster.address, key));
			expect(new Set(await Promise.all(replies))).toEqual(new Set([expected]));
		}
		const clients = await cluster.clientsPerServer('n8n-nodes-business-data');
		// The server that named the others may be a replica.
		expect([1, 0]).toContain(clients[3]);
		expect(clients).toEqual([1, 1, 1, clients[3], 0, 0]);
	});

	test('is found through any of its servers', async () => {
		const [first] = cluster.address.nodes;
		const lost = { host: '127.0.0.1', port: 1 };
		const nodes = first === undefined ? [] : [lost, first];
		expect(await count({ ...cluster.address, nodes }, '{found}')).toBe(1);
	});

	test('works while a slot moves, for a user with only the permissions in docs/queue-mode.md', async () => {
		const rights = rightsOf({ isCluster: true });
		const all = cluster.servers.map(({ server }) => server.port);
		for (const port of all) {
			await redisCommand(port, PASSWORD, 'ACL', 'SETUSER', 'n8n', ...rights);
		}
		const address = { ...cluster.address, user: 'n8n', password: 'another-password' };
		const key = 'n8n-nodes-business-data:{moved}:slots:general';
		await count(address, key);
		let isMoving = true;
		const moved = cluster.reshard().finally(() => (isMoving = false));
		while (isMoving) await count(address, key);
		await moved;
		// The user needs no permission for READONLY, which ioredis sends to replicas.
		for (const port of all) {
			expect(await redisCommand(port, PASSWORD, 'ACL', 'LOG')).not.toContain('asking');
		}
	});
});

describe('a cluster with TLS', () => {
	test.each([
		['certificates for another name than its addresses', 'redis.our-company.example', []],
		['servers announced by host name', 'localhost', ['hostname']],
	])('works with %s', async (_, name, endpointType) => {
		const settings = authority.settingsFor(name);
		const named = ['--cluster-announce-hostname', name, '--cluster-preferred-endpoint-type'];
		const secure = await RedisCluster.start(PASSWORD, (port) => [
			...settings(port),
			...endpointType.flatMap((type) => [...named, type]),
		]);
		const { address } = secure;
		const [node = { host: '', port: 0 }] = address.nodes;
		const nodes = [{ ...node, host: 'localhost' }];
		const tlsServerName = name === 'localhost' ? '' : name;
		const trusting = { ...address, nodes, tlsServerName, tlsCa: authority.certificate };
		const replies = await Promise.all(TAGS.map(async (key) => await count(trusting, key)));
		const { description } = await errorOf({ ...trusting, tlsServerName: 'another.example' });
		await secure.dispose();
		expect(new Set(replies)).toEqual(new Set([1]));
		expect(description).toContain('Under Redis TLS Server Name');
	});
});

describe('Sentinels', () => {
	test('lead to the primary and the database of the credential', async () => {
		expect(await count({ ...sentinel.address, database: 3 }, 'sentinel-test')).toBe(1);
		const { server } = await sentinel.primary();
		const keyspace = await redisCommand(server.port, PASSWORD, '-n', '3', 'KEYS', 'sentinel-test');
		expect(keyspace).toBe('sentinel-test');
	});

	test('are asked in parallel, so that an unreachable one delays nothing', async () => {
		const nodes = [{ host: '127.0.0.1', port: 1 }, ...sentinel.address.nodes.slice(0, 1)];
		expect(await count({ ...sentinel.address, nodes })).toBe(1);
	});
});

test('TLS works with the certificate of a private authority and a server name', async () => {
	expect(await count(tls.address)).toBe(1);
});

test.each<[what: string, address: () => RedisAddress, cause: RegExp, advice: string]>([
	[
		'a cluster with another password',
		() => ({ ...cluster.address, password: 'another-password' }),
		/\(cluster\) cannot be used: WRONGPASS/,
		'Check Redis User and the Redis passwords',
	],
	[
		'an unknown Sentinel group',
		() => ({ ...sentinel.address, group: 'another-group' }),
		/\(Sentinel, group another-group\) cannot be used: .*know no group "another-group"/,
		'Redis Sentinel Group',
	],
	[
		'Sentinels with another password',
		() => ({ ...sentinel.address, sentinelPassword: 'another-password' }),
		/\(Sentinel, group our-group\) cannot be used: .*WRONGPASS/,
		'passwords',
	],
	[
		'servers behind Sentinels with another password',
		() => ({ ...sentinel.address, password: 'another-password' }),
		/\(Sentinel, group our-group\) cannot be used: .*WRONGPASS/,
		'passwords',
	],
	[
		'a database number that the server lacks',
		() => ({ ...plainAddress(), database: 999 }),
		/\(database 999\) cannot be used: ERR DB index/,
		'Check Redis Database',
	],
	[
		'a standalone server configured as a cluster',
		() => ({ ...plainAddress(), topology: 'cluster' }),
		/\(cluster\) cannot be used: ERR This instance has cluster support disabled/,
		'choose another Redis Topology',
	],
	[
		'a Sentinel configured as a standalone server',
		() => ({ ...plainAddress(sentinel.address.nodes[0]?.port), password: SENTINEL_PASSWORD }),
		/cannot be used: ERR unknown command/,
		'choose Sentinel under Redis Topology',
	],
	[
		'an unknown certificate authority',
		() => ({ ...tls.address, tlsCa: '' }),
		/\(TLS\) cannot be used: self-signed certificate in certificate chain/,
		'Under Redis TLS CA',
	],
	[
		'another certificate authority',
		() => ({ ...tls.address, tlsCa: authority.certificate }),
		/cannot be used/,
		'Under Redis TLS CA',
	],
	...['', 'redis.another-company.example'].map(
		(tlsServerName): [string, () => RedisAddress, RegExp, string] => [
			`a certificate that does not match the name "${tlsServerName}"`,
			() => ({ ...tls.address, tlsServerName }),
			/does not match certificate's altnames/,
			'Under Redis TLS Server Name',
		],
	),
])('a clear error is thrown at once for %s', async (_, address, cause, advice) => {
	const startedAt = performance.now();
	const { message, description } = await errorOf(address());
	expect(performance.now() - startedAt).toBeLessThan(10_000);
	expect(message).toMatch(cause);
	expect(description).toContain(advice);
});

test('the credential test takes a slot in Redis', async () => {
	const limits = JSON.stringify({ general: [{ max: 1, windowSeconds: 600 }] });
	Object.assign(bench.credential, { ...fieldsOf(plainAddress()), limits });
	expect(await bench.engine.testCredential(bench.credential)).toMatchObject({ status: 'OK' });
	expect((await bench.run([{}], getStatus)).json(NODE)).toMatchObject([{ used: 1 }]);
});

test('the permissions in docs/queue-mode.md suffice for limits, Send Once and the credential test', async () => {
	const rights = rightsOf({ isCluster: false });
	await redisCommand(plain.port, PASSWORD, 'ACL', 'SETUSER', 'n8n', ...rights);
	const address = { ...plainAddress(), user: 'n8n', password: 'another-password' };
	const signal = new AbortController().signal;
	const general = limitsOf('general', [{ max: 1, windowMs: 300 }]);
	const limitStore = limitStoreOf(connectionTo(address), 'key');
	const first = new LimitStoreRequest(limitStore, general);
	const second = new LimitStoreRequest(limitStore, general);
	expect(await first.take()).toBe(true);
	expect(await second.take()).toBe(false);
	limitStore.publish([general]);
	first.permit.letThrough();
	const [use] = await limitStore.read([general]);
	expect(use?.countedAt).toHaveLength(1);
	const id = { workflowId: 'w', document: 'document', name: 'a' };
	const lease = new KeyLease(id, connectionTo(address), signal);
	const acquired = await lease.acquire();
	// The 5 s have begun to run down in Redis.
	const missingMs = await new KeyLease(
		{ ...id, name: 'b' },
		connectionTo(address),
		signal,
	).lookUp();
	expect(missingMs).toBeGreaterThan(0);
	expect(missingMs).toBeLessThanOrEqual(5_000);
	if ('release' in acquired) acquired.release();
	await waitUntil(async () => typeof (await lease.lookUp()) === 'number');
	Object.assign(bench.credential, fieldsOf(address));
	const test = await bench.engine.testCredential(bench.credential);
	expect(test).toEqual({ status: 'OK', message: expect.any(String) as string });
	const log = await redisCommand(plain.port, PASSWORD, 'ACL', 'LOG');
	expect(log).toBe('');
});

test('TLS on one side only is retried for 15 s, and then the error says what to check', async () => {
	const errors = [
		errorOf({ ...tls.address, tls: false }),
		errorOf({ ...plainAddress(), tls: true }),
	];
	for (const { description } of await Promise.all(errors)) {
		expect(description).toContain('Check Redis Host, Redis Port and Redis TLS in the credential');
	}
});

test('a server that requires a client certificate causes an error that says so', async () => {
	const own = authority.settingsFor('localhost');
	const server = await RedisServer.start((port) => [...own(port), '--tls-auth-clients', 'yes']);
	const trusting = { tls: true, tlsServerName: 'localhost', tlsCa: authority.certificate };
	const { description } = await errorOf({ ...server.address(), ...trusting });
	await server.dispose();
	expect(description).toContain('tls-auth-clients');
});
