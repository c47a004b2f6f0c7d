/** The credential's fields for where requests are counted: in this process, or in Redis. */
import { rootCertificates } from 'node:tls';

import { type CredentialFields, readAccount } from '../../../nodes/BusinessData/transport/account';
import { errorOf, requiredFields } from './examples';

const accountOf = (fields: CredentialFields) => readAccount({ ...requiredFields, ...fields });
const inRedis = (fields: CredentialFields) =>
	accountOf({ limitStore: 'redis', ...fields }).limitStore;

const [CERTIFICATE = ''] = rootCertificates;

test('requests are counted in this process unless Redis is chosen, whatever else is filled in', () => {
	expect(accountOf({}).limitStore).toBeUndefined();
	const leftOver = { limitStore: 'memory', redisHost: '', redisPort: 0 };
	expect(accountOf(leftOver).limitStore).toBeUndefined();
});

const inCluster = (redisNodes: unknown) => ({ redisTopology: 'cluster', redisNodes });
const withSentinel = (fields: CredentialFields) => ({
	redisTopology: 'sentinel',
	redisNodes: 'sentinel-1',
	...fields,
});
const withTls = (fields: CredentialFields) => ({ redisTls: true, ...fields });

const leftOver = { redisTlsServerName: 'left over', redisTlsCa: 'left over' };
const nodes = inCluster(' redis-1:6379,redis-2 ,\n[2001:db8::1]:6380, 10.0.0.1,');

test.each<CredentialFields>([
	{ redisHost: ' 2001:db8::1 ', redisPort: '6380', redisDatabase: '3', ...leftOver },
	{ ...nodes, redisHost: '', redisDatabase: 'left over' },
	withSentinel({ redisSentinelGroup: 'group', redisSentinelPassword: 'a b', redisDatabase: 2 }),
	withTls({ redisTlsServerName: ' redis.example.com ', redisTlsCa: CERTIFICATE }),
])('Redis is accepted as the limit store with %j', (fields) => {
	expect(inRedis(fields)).toBeDefined();
});

const NO_HOST = 'is not the name of a host';
const NO_PORT = 'must be a whole number from 1 to 65535';
const NO_DATABASE = 'Redis Database: must be a whole number from 0 to 65535';

test.each<[message: string, ...all: CredentialFields[]]>([
	['Count Limits In: is not known', { limitStore: 'file' }],
	['Redis Host: is empty', { redisHost: '' }],
	['Redis Host: is not a text', { redisHost: 5 }],
	[`Redis Host: ${NO_HOST}`, { redisHost: 'redis://localhost' }, { redisHost: 'user@localhost' }],
	[`Redis Host: ${NO_HOST}`, { redisHost: 'two words' }, { redisHost: 'localhost:6379' }],
	[`Redis Port: ${NO_PORT}`, ...[0, 65_536, '', 'a'].map((redisPort) => ({ redisPort }))],
	[NO_DATABASE, { redisDatabase: -1 }, { redisDatabase: 1.5 }, withSentinel({ redisDatabase: -1 })],
	['Redis Topology: is not known', { redisTopology: 'ring' }],
	['Redis Nodes: is empty', { redisTopology: 'cluster' }, inCluster(' , '), inCluster(':6379')],
	['Redis Nodes: is empty', withSentinel({ redisNodes: '' })],
	['Redis Nodes: is not a text', inCluster(5)],
	[
		`Redis Nodes: ${NO_HOST}`,
		...['redis://a:6379', 'a:6379, user@b:6379', '[not-an-address]:6379'].map(inCluster),
	],
	[`Redis Nodes: ${NO_PORT}`, inCluster('a:b'), inCluster('a:6379:1')],
	['Redis Sentinel Group: is empty', withSentinel({ redisSentinelGroup: ' ' })],
	['Redis Sentinel Password: is not a text', withSentinel({ redisSentinelPassword: 1 })],
	[`Redis TLS Server Name: ${NO_HOST}`, withTls({ redisTlsServerName: 'https://a' })],
	[
		'Redis TLS CA: is not a certificate',
		withTls({ redisTlsCa: '/etc/ssl/ca.pem' }),
		withTls({ redisTlsCa: CERTIFICATE.replaceAll('CERTIFICATE', 'PRIVATE KEY') }),
		withTls({ redisTlsCa: CERTIFICATE.replace('MI', 'AA') }),
	],
])('a Redis setting is refused: %s', (message, ...all) => {
	for (const fields of all) {
		const error = errorOf(() => inRedis({ redisPassword: 'secret', ...fields })) as Error;
		expect([fields, error.message]).toEqual([fields, message]);
		expect(JSON.stringify(error)).not.toContain('secret');
	}
});

test.each([
	['with spaces for line breaks', (pem: string) => pem.replaceAll('\n', ' ')],
	['with escaped line breaks', (pem: string) => pem.replaceAll('\n', '\\n')],
	['with text around it', (pem: string) => `Our authority:\n${pem}\n(until 2036)`],
])('a certificate pasted %s is the same certificate', (_, pasted) => {
	const redisOf = (redisTlsCa: string) =>
		accountOf({ limitStore: 'redis', ...withTls({ redisTlsCa }) }).redis;
	expect(redisOf(pasted(CERTIFICATE))).toBe(redisOf(CERTIFICATE));
	expect(redisOf(CERTIFICATE + CERTIFICATE)).not.toBe(redisOf(CERTIFICATE));
});
