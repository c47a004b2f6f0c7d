/** Reads the credential's fields on where requests are counted. */
import { isIP } from 'node:net';

import type { Ledger } from '../rateLimit/ledger';
import { RedisLedger } from '../rateLimit/redis/redisLedger';
import { InvalidSettingError } from './invalidSettingError';

/** The default of the credential's Redis fields. */
export const REDIS_DEFAULTS = { host: 'localhost', port: 6379, database: 0 };

/**
 * The ledger that the credential names; undefined when this process counts alone.
 * @throws InvalidSettingError that names the field
 */
export function readLedger(fields: Record<string, unknown>): Ledger | undefined {
	const store = fields.limitStore ?? 'memory';
	if (store === 'memory') return undefined;
	if (store !== 'redis') {
		throw new InvalidSettingError(
			'Count Limits In',
			'is not known',
			'Choose an entry of the list.',
		);
	}
	return new RedisLedger({
		host: readHost(fields.redisHost ?? REDIS_DEFAULTS.host),
		port: readNumber('Redis Port', fields.redisPort ?? REDIS_DEFAULTS.port, 1, 65_535),
		user: readText(fields.redisUser).trim(),
		password: readText(fields.redisPassword),
		database: readNumber(
			'Redis Database',
			fields.redisDatabase ?? REDIS_DEFAULTS.database,
			0,
			65_535,
		),
		tls: fields.redisTls === true,
	});
}

function readHost(value: unknown): string {
	const host = readText(value).trim();
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

function readNumber(field: string, value: unknown, least: number, most: number): number {
	const number = Number(value);
	if (value === '' || !Number.isInteger(number) || number < least || number > most) {
		throw new InvalidSettingError(
			field,
			`must be a whole number from ${least} to ${most}`,
			'Enter the number from the settings of your Redis.',
		);
	}
	return number;
}

function readText(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
