/** The credential's fields on where requests are counted: this process, or Redis. */
import { rootCertificates } from 'node:tls';

import { type CredentialFields, readAccount } from '../../../nodes/BusinessData/transport/account';
import { errorOf, requiredFields } from './examples';

const limitStoreOf = (fields: CredentialFields) =>
	readAccount({ ...requiredFields, ...fields }).limitStore;
const inRedis = (fields: CredentialFields = {}) => limitStoreOf({ limitStore: 'redis', ...fields });

const [CERTIFICATE = ''] = rootCertificates;
const NO_HOST = 'Redis Nodes: is not the name of a host';
const NO_PORT = 'Redis Nodes: must be a whole number from 1 to 65535';

test.each([
	['nothing', {}],
	['this process', { limitStore: 'memory' }],
	[
		'this process, with Redis fields left over',
		{ limitStore: 'memory', redisHost: '', redisPort: 0 },
	],
])('this process counts alone for %s', (_, fields) => {
	expect(limitStoreOf(fields)).toBeUndefined();
});

test('a store that is not known is refused', () => {
	expect(() => limitStoreOf({ limitStore: 'file' })).toThrow('Count Limits In: is not known');
});

test.each<CredentialFields>([
	{},
	{ redisHost: ' redis.example.com ', redisPort: '6380', redisDatabase: '3' },
	{
		redisHost: '127.0.0.1',
		redisPort: 65_535,
		redisUser: 'n8n',
		redisPassword: 'a b',
		redisTls: true,
	},
	{ redisHost: '2001:db8::1' },
	{ redisTopology: 'cluster', redisNodes: 'redis-1.example.com:6379' },
	{
		redisTopology: 'cluster',
		redisNodes: ' redis-1:6379,redis-2 ,\n[2001:db8::1]:6380, 10.0.0.1,',
	},
	{ redisTopology: 'cluster', redisNodes: 'redis-1', redisHost: '', redisDatabase: 'left over' },
	{ redisTopology: 'sentinel', redisNodes: 'sentinel-1:26379, sentinel-2:26379' },
	{
		redisTopology: 'sentinel',
		redisNodes: 'sentinel-1',
		redisSentinelGroup: 'ours',
		redisSentinelPassword: 'a b',
		redisDatabase: 2,
	},
	{ redisTls: true, redisTlsServerName: ' redis.example.com ', redisTlsCa: CERTIFICATE },
	{ redisTls: false, redisTlsServerName: 'left over', redisTlsCa: 'left over' },
])('Redis with %j is a limit store', (fields) => {
	expect(inRedis(fields)).toBeDefined();
});

test.each<[CredentialFields, string]>([
	[{ redisHost: '' }, 'Redis Host: is empty'],
	[{ redisHost: 5 }, 'Redis Host: is not a text'],
	[{ redisHost: 'redis://localhost' }, 'Redis Host: is not the name of a host'],
	[{ redisHost: 'user@localhost' }, 'Redis Host: is not the name of a host'],
	[{ redisHost: 'two words' }, 'Redis Host: is not the name of a host'],
	[{ redisPort: 0 }, 'Redis Port: must be a whole number from 1 to 65535'],
	[{ redisPort: 65_536 }, 'Redis Port: must be a whole number from 1 to 65535'],
	[{ redisPort: '' }, 'Redis Port: must be a whole number from 1 to 65535'],
	[{ redisPort: 'a' }, 'Redis Port: must be a whole number from 1 to 65535'],
	[{ redisDatabase: -1 }, 'Redis Database: must be a whole number from 0 to 65535'],
	[{ redisTopology: 'ring' }, 'Redis Topology: is not known'],
	[{ redisTopology: 'cluster' }, 'Redis Nodes: is empty'],
	[{ redisTopology: 'cluster', redisNodes: ' , ' }, 'Redis Nodes: is empty'],
	[{ redisTopology: 'cluster', redisNodes: 5 }, 'Redis Nodes: is not a text'],
	[{ redisTopology: 'cluster', redisNodes: 'redis://a:6379' }, NO_HOST],
	[{ redisTopology: 'cluster', redisNodes: 'a:6379, user@b:6379' }, NO_HOST],
	[{ redisTopology: 'cluster', redisNodes: '[not-an-address]:6379' }, NO_HOST],
	[{ redisTopology: 'cluster', redisNodes: ':6379' }, 'Redis Nodes: is empty'],
	[{ redisTopology: 'cluster', redisNodes: 'a:b' }, NO_PORT],
	[{ redisTopology: 'cluster', redisNodes: 'a:6379:1' }, NO_PORT],
	[{ redisTopology: 'sentinel', redisNodes: '' }, 'Redis Nodes: is empty'],
	[
		{ redisTopology: 'sentinel', redisNodes: 'a', redisSentinelGroup: ' ' },
		'Redis Sentinel Group: is empty',
	],
	[
		{ redisTopology: 'sentinel', redisNodes: 'a', redisSentinelPassword: 1 },
		'Redis Sentinel Password: is not a text',
	],
	[
		{ redisTopology: 'sentinel', redisNodes: 'a', redisDatabase: -1 },
		'Redis Database: must be a whole number from 0 to 65535',
	],
	[
		{ redisTls: true, redisTlsServerName: 'https://a' },
		'Redis TLS Server Name: is not the name of a host',
	],
	[{ redisTls: true, redisTlsCa: '/etc/ssl/ca.pem' }, 'Redis TLS CA: is not a certificate'],
	[
		{ redisTls: true, redisTlsCa: CERTIFICATE.replaceAll('CERTIFICATE', 'PRIVATE KEY') },
		'Redis TLS CA: is not a certificate',
	],
	[
		{ redisTls: true, redisTlsCa: CERTIFICATE.replace('MI', 'AA') },
		'Redis TLS CA: is not a certificate',
	],
	[{ redisDatabase: 1.5 }, 'Redis Database: must be a whole number from 0 to 65535'],
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
