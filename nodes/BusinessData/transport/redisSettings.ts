/** Reads the credential's fields on where requests are counted. */
import { isIP } from 'node:net';

import { connectionTo, type RedisConnection } from '../redis/connection';
import { InvalidSettingError } from './invalidSettingError';
import { readFlag, readText, readWholeNumber } from './settingValues';

/** The default of the credential's Redis fields. */
export const REDIS_DEFAULTS = { host: 'localhost', port: 6379, database: 0 };

/**
 * The connection to the Redis that the credential names; undefined when this process counts alone.
 * @throws InvalidSettingError that names the field
 */
export function readRedis(fields: Record<string, unknown>): RedisConnection | undefined {
	const store = fields.limitStore ?? 'memory';
	if (store === 'memory') return undefined;
	if (store !== 'redis') {
		throw new InvalidSettingError(
			'Count Limits In',
			'is not known',
			'Choose an entry of the list.',
		);
	}
	return connectionTo({
		host: readHost(fields.redisHost ?? REDIS_DEFAULTS.host),
		port: readNumber('Redis Port', fields.redisPort ?? REDIS_DEFAULTS.port, 1),
		user: readText('Redis User', fields.redisUser).trim(),
		password: readText('Redis Password', fields.redisPassword),
		database: readNumber('Redis Database', fields.redisDatabase ?? REDIS_DEFAULTS.database, 0),
		tls: readFlag('Redis TLS', fields.redisTls),
	});
}

function readHost(value: unknown): string {
	const host = readText('Redis Host', value).trim();
	const hasPort = host.includes(':') && isIP(host) !== 6;
	if (host === '' || hasPort || /[\s/@]/.test(host)) {
		throw new InvalidSettingError(
			'Redis Host',
			host === '' ? 'is empty' : 'is not the name of a host',
			'Enter a host name or an address alone, for example redis.example.com, without redis:// and without a port.',
		);
	}
	return host;
}

function readNumber(field: string, value: unknown, least: number): number {
	const description = 'Enter the number from the settings of your Redis.';
	return readWholeNumber(field, value, { least, most: 65_535 }, description);
}
