/** The credential's fields on where requests are counted: this process, or Redis. */
import { rootCertificates } from 'node:tls';

import { type CredentialFields, readAccount } from '../../../nodes/BusinessData/transport/account';
import { errorOf, requiredFields } from './examples';

const limitStoreOf = (fields: CredentialFields) =>
	readAccount({ ...requiredFields, ...fields }).limitStore;
const inRedis = (fields: CredentialFields = {}) => limitStoreOf({ limitStore: 'redis', ...fields });

const [CERTIFICATE = ''] = rootCertificates;

test.each<CredentialFields>([
	{},
	{ limitStore: 'memory' },
	{ limitStore: 'memory', redisHost: '', redisPort: 0 },
])('this process counts alone with %j', (fields) => {
	expect(limitStoreOf(fields)).toBeUndefined();
});

test('a store that is not known is refused', () => {
	expect(() => limitStoreOf({ limitStore: 'file' })).toThrow('Count Limits In: is not known');
});

const inCluster = (redisNodes: unknown) => ({ redisTopology: 'cluster', redisNodes });
const withSentinel = (fields: CredentialFields) => ({
	...{ redisTopology: 'sentinel', redisNodes: 'sentinel-1', ...fields },
});
const withTls = (fields: CredentialFields) => ({ redisTls: true, ...fields });

test.each<CredentialFields>([
	{},
	{ redisHost: ' redis.example.com ', redisPort: '6380', redisDatabase: '3' },
	{ redisHost: '127.0.0.1', redisPort: 65_535, redisUser: 'n8n', redisPassword: 'a b' },
	{ redisHost: '2001:db8::1' },
	inCluster('redis-1.example.com:6379'),
	inCluster(' redis-1:6379,redis-2 ,\n[2001:db8::1]:6380, 10.0.0.1,'),
	{ ...inCluster('redis-1'), redisHost: '', redisDatabase: 'left over' },
	withSentinel({ redisNodes: 'sentinel-1:26379, sentinel-2:26379' }),
	withSentinel({ redisSentinelGroup: 'ours', redisSentinelPassword: 'a b', redisDatabase: 2 }),
	withTls({ redisTlsServerName: ' redis.example.com ', redisTlsCa: CERTIFICATE }),
	{ redisTls: false, redisTlsServerName: 'left over', redisTlsCa: 'left over' },
])('Redis with %j is a limit store', (fields) => {
	expect(inRedis(fields)).toBeDefined();
});

const NO_HOST = 'is not the name of a host';
const NO_PORT = 'must be a whole number from 1 to 65535';
const NO_DATABASE = 'Redis Database: must be a whole number from 0 to 65535';
const NO_CERTIFICATE = 'Redis TLS CA: is not a certificate';

test.each<[CredentialFields, string]>([
	[{ redisHost: '' }, 'Redis Host: is empty'],
	[{ redisHost: 5 }, 'Redis Host: is not a text'],
	...['redis://localhost', 'user@localhost', 'two words', 'localhost:6379'].map(
		(redisHost): [CredentialFields, string] => [{ redisHost }, `Redis Host: ${NO_HOST}`],
	),
	...[0, 65_536, '', 'a'].map((redisPort): [CredentialFields, string] => [
		...([{ redisPort }, `Redis Port: ${NO_PORT}`] as const),
	]),
	[{ redisDatabase: -1 }, NO_DATABASE],
	[{ redisDatabase: 1.5 }, NO_DATABASE],
	[{ redisTopology: 'ring' }, 'Redis Topology: is not known'],
	[{ redisTopology: 'cluster' }, 'Redis Nodes: is empty'],
	[inCluster(' , '), 'Redis Nodes: is empty'],
	[inCluster(5), 'Redis Nodes: is not a text'],
	[inCluster('redis://a:6379'), `Redis Nodes: ${NO_HOST}`],
	[inCluster('a:6379, user@b:6379'), `Redis Nodes: ${NO_HOST}`],
	[inCluster('[not-an-address]:6379'), `Redis Nodes: ${NO_HOST}`],
	[inCluster(':6379'), 'Redis Nodes: is empty'],
	[inCluster('a:b'), `Redis Nodes: ${NO_PORT}`],
	[inCluster('a:6379:1'), `Redis Nodes: ${NO_PORT}`],
	[withSentinel({ redisNodes: '' }), 'Redis Nodes: is empty'],
	[withSentinel({ redisSentinelGroup: ' ' }), 'Redis Sentinel Group: is empty'],
	[withSentinel({ redisSentinelPassword: 1 }), 'Redis Sentinel Password: is not a text'],
	[withSentinel({ redisDatabase: -1 }), NO_DATABASE],
	[withTls({ redisTlsServerName: 'https://a' }), `Redis TLS Server Name: ${NO_HOST}`],
	[withTls({ redisTlsCa: '/etc/ssl/ca.pem' }), NO_CERTIFICATE],
	[withTls({ redisTlsCa: CERTIFICATE.replaceAll('CERTIFICATE', 'PRIVATE KEY') }), NO_CERTIFICATE],
	[withTls({ redisTlsCa: CERTIFICATE.replace('MI', 'AA') }), NO_CERTIFICATE],
])('Redis with %j is refused: %s', (fields, message) => {
	const error = errorOf(() => inRedis({ redisPassword: 'secret', ...fields })) as Error;
	expect(error.message).toBe(message);
	expect(JSON.stringify(error)).not.toContain('secret');
});

test.each([
	['with spaces for line breaks', (pem: string) => pem.replaceAll('\n', ' ')],
	['with escaped line breaks', (pem: string) => pem.replaceAll('\n', '\\n')],
	['with text around it', (pem: string) => `Our authority:\n${pem}\n(until 2036)`],
])('a certificate that was pasted %s is the same certificate', (_, pasted) => {
	const redisOf = (redisTlsCa: string) =>
		readAccount({ ...requiredFields, limitStore: 'redis', redisTls: true, redisTlsCa }).redis;
	expect(redisOf(pasted(CERTIFICATE))).toBe(redisOf(CERTIFICATE));
	expect(redisOf(CERTIFICATE + CERTIFICATE)).not.toBe(redisOf(CERTIFICATE));
});
