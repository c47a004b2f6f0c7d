/** The credential's fields on where requests are counted: this process, or Redis. */
import { type CredentialFields, readAccount } from '../../../nodes/BusinessData/transport/account';
import { errorOf, requiredFields } from './examples';

const ledgerOf = (fields: CredentialFields) => readAccount({ ...requiredFields, ...fields }).ledger;
const inRedis = (fields: CredentialFields = {}) => ledgerOf({ limitStore: 'redis', ...fields });

test.each([
	['nothing', {}],
	['this process', { limitStore: 'memory' }],
	[
		'this process, with Redis fields left over',
		{ limitStore: 'memory', redisHost: '', redisPort: 0 },
	],
])('this process counts alone for %s', (_, fields) => {
	expect(ledgerOf(fields)).toBeUndefined();
});

test('a store that is not known is refused', () => {
	expect(() => ledgerOf({ limitStore: 'file' })).toThrow('Count Limits In: is not known');
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
])('Redis with %j is a ledger', (fields) => {
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
	[{ redisDatabase: 1.5 }, 'Redis Database: must be a whole number from 0 to 65535'],
])('Redis with %j is refused: %s', (fields, message) => {
	const error = errorOf(() => inRedis({ redisPassword: 'secret', ...fields })) as Error;
	expect(error.message).toBe(message);
	expect(JSON.stringify(error)).not.toContain('secret');
});
