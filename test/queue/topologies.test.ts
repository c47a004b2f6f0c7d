// A cluster, Sentinels and TLS, all real: scripts find their server, and what is wrong in the credential
// is a clear error at once.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { limitStoreOf } from '../../nodes/BusinessData/rateLimit';
import {
	connectionTo,
	type RedisAddress,
	RedisError,
	RedisScript,
} from '../../nodes/BusinessData/redis';
import { Leases } from '../../nodes/BusinessData/sendOnce/leases';
import { LimitStoreRequest, limitsOf } from '../support/limitStoreBench';
import { PrivateAuthority } from '../support/privateAuthority';
import { redisCommand } from '../support/redisCommand';
import { RedisCluster } from '../support/redisCluster';
import { RedisSentinel } from '../support/redisSentinel';
import { RedisServer } from '../support/redisServer';
import { RedisTls } from '../support/redisTls';
import { waitUntil } from '../support/waitUntil';

const SETUP_MS = 120_000;
const PASSWORD = 'a-password-of-redis';
const SENTINEL_PASSWORD = 'a-password-of-sentinels';
const COUNT = new RedisScript("return redis.call('INCR', KEYS[1])");
const TAGS = Array.from({ length: 30 }, (_, index) => `{tag-${index}}:number`);

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
}, SETUP_MS);
afterAll(async () => {
	await Promise.all([cluster.dispose(), sentinel.dispose(), tls.dispose(), plain.dispose()]);
}, SETUP_MS);

const count = async (address: RedisAddress, key = '{a}') =>
	await connectionTo(address).run<number>(COUNT, [key], []);

/** What a user reads, which never has a password in it. */
async function errorOf(
	address: RedisAddress,
	key?: string,
): Promise<{ message: string; description: string }> {
	const error: unknown = await count(address, key).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(RedisError);
	const { message, description } = error as RedisError;
	expect(message + description).not.toMatch(/a-password|another-password/);
	expect(description).toMatch(/^Nothing was sent\. /);
	return { message, description };
}

const plainAddress = (node = { host: '127.0.0.1', port: plain.port }): RedisAddress => ({
	...{ topology: 'standalone', nodes: [node], user: '', password: PASSWORD, tls: false },
});

describe('a cluster', () => {
	test('runs each script on the shard that has its keys, over one connection per shard', async () => {
		for (const expected of [1, 2]) {
			const replies = TAGS.map(async (key) => await count(cluster.address, key));
			expect(new Set(await Promise.all(replies))).toEqual(new Set([expected]));
		}
		const clients = await cluster.clientsPerServer('n8n-nodes-business-data');
		// The server that was asked for the others may be a replica.
		expect([1, 0]).toContain(clients[3]);
		expect(clients).toEqual([1, 1, 1, clients[3], 0, 0]);
	});

	test('is found by any one of its servers', async () => {
		const [first] = cluster.address.nodes;
		const lost = { host: '127.0.0.1', port: 1 };
		const nodes = first === undefined ? [] : [lost, first];
		expect(await count({ ...cluster.address, nodes }, '{found}')).toBe(1);
	});

	test('that is none: a clear error at once', async () => {
		const nodes = [{ host: '127.0.0.1', port: plain.port }];
		const { message, description } = await errorOf({ ...cluster.address, nodes });
		expect(message).toBe(
			`Redis at 127.0.0.1:${plain.port} (cluster) cannot be used: ERR This instance has cluster support disabled`,
		);
		expect(description).toContain('choose another Redis Topology');
	});

	test('with a wrong password: a clear error at once', async () => {
		const { message, description } = await errorOf({
			...cluster.address,
			password: 'another-password',
		});
		expect(message).toContain('(cluster) cannot be used: WRONGPASS');
		expect(description).toContain('Check Redis User and the Redis passwords');
	});
});

describe('a cluster that speaks TLS', () => {
	const authority = new PrivateAuthority();
	afterAll(() => authority.dispose());

	test.each([
		['whose certificates are for a name of their own', 'redis.our-company.example', []],
		['whose servers are known by their names', 'localhost', ['hostname']],
	])(
		'%s',
		async (_, name, endpointType) => {
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
			expect(description).toContain('under Redis TLS Server Name');
		},
		60_000,
	);
});

describe('Sentinels', () => {
	test('lead to the primary, in the database of the credential', async () => {
		expect(await count({ ...sentinel.address, database: 3 }, 'sentinel-test')).toBe(1);
		const { server } = await sentinel.primary();
		const keyspace = await redisCommand(server.port, PASSWORD, '-n', '3', 'KEYS', 'sentinel-test');
		expect(keyspace).toBe('sentinel-test');
	});

	test('are asked side by side: one that is lost holds nothing up', async () => {
		const nodes = [{ host: '127.0.0.1', port: 1 }, ...sentinel.address.nodes.slice(0, 1)];
		expect(await count({ ...sentinel.address, nodes })).toBe(1);
	});

	test.each([
		['group', { group: 'another-group' }, /know no group "another-group"/, 'Redis Sentinel Group'],
		[
			'password of the Sentinels',
			{ sentinelPassword: 'another-password' },
			/WRONGPASS/,
			'passwords',
		],
		['password of the servers', { password: 'another-password' }, /WRONGPASS/, 'passwords'],
	])('with a wrong %s: a clear error at once', async (_, changes, cause, advice) => {
		const { message, description } = await errorOf({ ...sentinel.address, ...changes });
		expect(message).toMatch(/\(Sentinel, group (our|another)-group\) cannot be used: /);
		expect(message).toMatch(cause);
		expect(description).toContain(advice);
	});

	test('taken for a server: an error that says what to choose', async () => {
		const [node = { host: '', port: 0 }] = sentinel.address.nodes;
		const { message, description } = await errorOf({
			...plainAddress(node),
			password: SENTINEL_PASSWORD,
		});
		expect(message).toMatch(/cannot be used: ERR unknown command/);
		expect(description).toContain('choose Sentinel under Redis Topology');
	});
});

describe('TLS under a private authority', () => {
	test('with its certificate and the name in that of the server', async () => {
		expect(await count(tls.address)).toBe(1);
	});

	test('with the name alone: the authority is not known', async () => {
		const { message, description } = await errorOf({ ...tls.address, tlsCa: '' });
		expect(message).toContain('(TLS) cannot be used: self-signed certificate in certificate chain');
		expect(description).toContain('under Redis TLS CA');
	});

	test('of another authority', async () => {
		const other = new PrivateAuthority();
		const { description } = await errorOf({ ...tls.address, tlsCa: other.certificate });
		other.dispose();
		expect(description).toContain('under Redis TLS CA');
	});

	test.each([
		['the address alone', ''],
		['another name', 'redis.another-company.example'],
	])('with %s: the certificate is for another one', async (_, tlsServerName) => {
		const { message, description } = await errorOf({ ...tls.address, tlsServerName });
		expect(message).toContain("does not match certificate's altnames");
		expect(description).toContain('under Redis TLS Server Name');
	});
});

test('a user who may do no more than docs/queue-mode.md says can count and send once', async () => {
	const page = readFileSync(join(__dirname, '../../docs/queue-mode.md'), 'utf8');
	const [, rules = ''] = /^ACL SETUSER n8n on >password (.+)$/m.exec(page) ?? [];
	const setUser = [
		'ACL',
		'SETUSER',
		'n8n',
		'reset',
		'on',
		'>another-password',
		...rules.split(' '),
	];
	await redisCommand(plain.port, PASSWORD, ...setUser);
	const address = { ...plainAddress(), user: 'n8n', password: 'another-password' };
	const signal = new AbortController().signal;
	const general = limitsOf('general', [{ max: 1, windowMs: 300 }]);
	const limitStore = limitStoreOf(connectionTo(address), 'key');
	const [first, second] = [
		new LimitStoreRequest(limitStore, general),
		new LimitStoreRequest(limitStore, general),
	];
	expect(await first.take()).toBe(true);
	expect(await second.take()).toBe(false);
	limitStore.publish(first.permit);
	first.permit.letThrough();
	const [use] = await limitStore.read([general]);
	expect(use?.countedAt).toHaveLength(1);
	const id = { workflowId: 'w', document: 'document', name: 'a' };
	const leases = new Leases(id, connectionTo(address), signal);
	const acquired = await leases.acquire();
	expect(await new Leases({ ...id, name: 'b' }, connectionTo(address), signal).missingMs()).toBe(
		5_000,
	);
	if ('release' in acquired) acquired.release();
	await waitUntil(async () => typeof (await leases.missingMs()) === 'number');
	const log = await redisCommand(plain.port, PASSWORD, 'ACL', 'LOG');
	expect(log).toBe('');
});

test('what may pass is tried for 15 s, and then the error says what to check', async () => {
	const [node = { host: '', port: 0 }] = cluster.address.nodes;
	const key = await cluster.keyOutside(node.port);
	const errors = await Promise.all([
		errorOf(plainAddress(node), key),
		errorOf({ ...tls.address, tls: false }),
		errorOf({ ...plainAddress(), tls: true }),
	]);
	const [ofCluster, withoutTls, withTls] = errors.map(({ description }) => description);
	expect(errors[0]?.message).toContain('cannot be used: MOVED ');
	expect(ofCluster).toContain('choose Cluster under Redis Topology');
	expect(withoutTls).toContain('Check Redis Host, Redis Port and Redis TLS in the credential');
	expect(withTls).toContain('Check Redis Host, Redis Port and Redis TLS in the credential');
});
