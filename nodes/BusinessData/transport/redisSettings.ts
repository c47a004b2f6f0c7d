/** Reads the credential's fields on where requests are counted. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

import { connectionTo, type RedisAddress, type RedisConnection, type RedisNode } from '../redis';
import { InvalidSettingError } from '../values/invalidSettingError';
import {
	readChoice,
	readFilledText,
	readFlag,
	readText,
	readWholeNumber,
} from '../values/settingValues';

/** The default of the credential's Redis fields. */
export const REDIS_DEFAULTS = {
	topology: 'standalone',
	host: 'localhost',
	port: 6379,
	database: 0,
	sentinelGroup: 'mymaster',
} as const;

const SENTINEL_PORT = 26379;

type Fields = Record<string, unknown>;

/**
 * The connection to the Redis that the credential names; undefined when this process counts alone.
 * @throws InvalidSettingError that names the field
 */
export function readRedis(fields: Fields): RedisConnection | undefined {
	const { limitStore = 'memory' } = fields;
	const store = readChoice('Count Limits In', limitStore, ['memory', 'redis']);
	return store === 'redis' ? connectionTo(readAddress(fields)) : undefined;
}

function readAddress(fields: Fields): RedisAddress {
	const tls = readFlag('Redis TLS', fields.redisTls);
	const access = {
		user: readText('Redis User', fields.redisUser).trim(),
		password: readText('Redis Password', fields.redisPassword),
		tls,
		tlsServerName: tls ? readServerName(fields.redisTlsServerName) : '',
		tlsCa: tls ? readCertificates(fields.redisTlsCa) : '',
	};
	const { topology, ...defaults } = REDIS_DEFAULTS;
	const { redisTopology = topology, redisSentinelGroup = defaults.sentinelGroup } = fields;
	const { redisHost = defaults.host, redisPort = defaults.port } = fields;
	switch (readChoice('Redis Topology', redisTopology, ['standalone', 'cluster', 'sentinel'])) {
		case 'standalone': {
			const host = readHost('Redis Host', redisHost);
			const port = readRedisNumber('Redis Port', redisPort, 1);
			return { ...access, host, port, database: readDatabase(fields) };
		}
		case 'cluster':
			return {
				...access,
				topology: 'cluster',
				nodes: readNodes(fields.redisNodes, REDIS_DEFAULTS.port),
			};
		case 'sentinel':
			return {
				...access,
				topology: 'sentinel',
				nodes: readNodes(fields.redisNodes, SENTINEL_PORT),
				group: readFilledText(
					'Redis Sentinel Group',
					redisSentinelGroup,
					'Enter the name that is set in the Sentinels.',
				),
				sentinelPassword: readText('Redis Sentinel Password', fields.redisSentinelPassword),
				database: readDatabase(fields),
			};
	}
}

/** Entries such as `redis-1.example.com:6379` or `[2001:db8::1]:6379`. */
function readNodes(value: unknown, defaultPort: number): RedisNode[] {
	const field = 'Redis Nodes';
	const entries = readText(field, value)
		.split(/[\s,]+/)
		.filter((entry) => entry !== '');
	if (entries.length === 0) {
		throw new InvalidSettingError(
			field,
			'is empty',
			'Enter hosts with their ports, for example redis-1.example.com:6379, redis-2.example.com:6379.',
		);
	}
	return entries.map((entry) => {
		if (/[/@]/.test(entry)) throw noHost(field);
		const [, address, name, port = defaultPort] =
			/^(?:\[([^\]]*)\]|([^[\]:]*))(?::(.*))?$/.exec(entry) ?? [];
		if (address !== undefined && isIP(address) !== 6) throw noHost(field);
		return {
			host: readHost(field, address ?? name ?? entry),
			port: readRedisNumber(field, port, 1),
		};
	});
}

function readHost(field: string, value: unknown): string {
	const host = readText(field, value).trim();
	const hasPort = host.includes(':') && isIP(host) !== 6;
	if (host === '' || hasPort || /[\s/@]/.test(host)) throw noHost(field, host === '');
	return host;
}

function noHost(field: string, isEmpty = false): InvalidSettingError {
	const example =
		field === 'Redis Nodes'
			? 'Enter hosts with their ports, for example redis-1.example.com:6379, redis-2.example.com:6379, without redis://.'
			: 'Enter a host name or an address alone, for example redis.example.com, without redis:// and without a port.';
	return new InvalidSettingError(
		field,
		isEmpty ? 'is empty' : 'is not the name of a host',
		example,
	);
}

function readServerName(value: unknown): string {
	const field = 'Redis TLS Server Name';
	const name = readText(field, value).trim();
	return name === '' ? '' : readHost(field, name);
}

/** The certificates in a text, as PEM; what pasting has made of their line breaks is repaired. */
function readCertificates(value: unknown): string {
	const field = 'Redis TLS CA';
	const text = readText(field, value).replaceAll('\\n', '\n').trim();
	if (text === '') return '';
	const bodies = [
		...text.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z\d+/=\s]+)-----END CERTIFICATE-----/g),
	].map(([, body = '']) => body.replace(/\s+/g, '').replace(/.{64}/g, '$&\n').trimEnd());
	const certificates = bodies.map(
		(body) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
	);
	if (certificates.length > 0 && certificates.every(isCertificate)) return certificates.join('');
	throw new InvalidSettingError(
		field,
		'is not a certificate',
		'Enter it as a text that begins with -----BEGIN CERTIFICATE-----, as your authority gives it out; not a key, and not the name of a file.',
	);
}

function isCertificate(pem: string): boolean {
	try {
		return new X509Certificate(pem).raw.length > 0;
	} catch {
		return false;
	}
}

function readDatabase({ redisDatabase = REDIS_DEFAULTS.database }: Fields): number {
	return readRedisNumber('Redis Database', redisDatabase, 0);
}

function readRedisNumber(field: string, value: unknown, least: number): number {
	const description = 'Enter the number from the settings of your Redis.';
	return readWholeNumber(field, value, { least, most: 65_535 }, description);
}
