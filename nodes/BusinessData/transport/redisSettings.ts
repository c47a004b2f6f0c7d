/** Reads the credential's Redis fields. */
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

export const REDIS_DEFAULTS = {
	redisTopology: 'standalone',
	redisHost: 'localhost',
	redisPort: 6379,
	redisDatabase: 0,
	redisSentinelGroup: 'mymaster',
} as const;

const SENTINEL_PORT = 26379;

type Fields = Record<string, unknown>;

/** Undefined if this process counts alone. @throws InvalidSettingError that names the field */
export function readRedis(fields: Fields): RedisConnection | undefined {
	const { limitStore = 'memory' } = fields;
	const store = readChoice('Count Limits In', limitStore, ['memory', 'redis']);
	return store === 'redis'
		? connectionTo(readAddress({ ...REDIS_DEFAULTS, ...fields }))
		: undefined;
}

/** Reads only the fields of the chosen topology, because others may hold leftovers. */
function readAddress(fields: Fields): RedisAddress {
	const tls = readFlag('Redis TLS', fields.redisTls);
	const access = {
		user: readText('Redis User', fields.redisUser).trim(),
		password: readText('Redis Password', fields.redisPassword),
		tls,
		tlsServerName: tls ? readServerName(fields.redisTlsServerName) : '',
		tlsCa: tls ? readCertificates(fields.redisTlsCa) : '',
	};
	const topologies = ['standalone', 'cluster', 'sentinel'] as const;
	const topology = readChoice('Redis Topology', fields.redisTopology, topologies);
	if (topology === 'cluster') {
		return { ...access, topology, nodes: readNodes(fields, REDIS_DEFAULTS.redisPort) };
	}
	const database = readRedisNumber('Redis Database', fields.redisDatabase, 0);
	if (topology === 'standalone') {
		const host = readHost('Redis Host', fields.redisHost);
		const port = readRedisNumber('Redis Port', fields.redisPort, 1);
		return { ...access, topology, nodes: [{ host, port }], database };
	}
	const group = readFilledText(
		'Redis Sentinel Group',
		fields.redisSentinelGroup,
		'Enter the name that is set in the Sentinels.',
	);
	const sentinelPassword = readText('Redis Sentinel Password', fields.redisSentinelPassword);
	const nodes = readNodes(fields, SENTINEL_PORT);
	return { ...access, topology, nodes, group, sentinelPassword, database };
}

/** Reads entries such as `redis-1.example.com:6379` or `[2001:db8::1]:6379`. */
function readNodes({ redisNodes }: Fields, defaultPort: number): RedisNode[] {
	const field = 'Redis Nodes';
	const example =
		'Enter hosts with their ports, for example redis-1.example.com:6379, redis-2.example.com:6379, without redis://.';
	const text = readFilledText(field, readText(field, redisNodes).replace(/[\s,]+/g, ' '), example);
	return text.split(' ').map((entry) => {
		// An entry that does not match is refused as the name of a host.
		const [, address, name = address ?? entry, port = defaultPort] =
			/^(?:\[([\d.:a-f]*)\]|([^:/@]*))(?::([^/@]*))?$/i.exec(entry) ?? [];
		return { host: readHost(field, name, example), port: readRedisNumber(field, port, 1) };
	});
}

function readHost(
	field: string,
	value: unknown,
	howToFix = 'Enter a host name or an address alone, for example redis.example.com, without redis:// and without a port.',
): string {
	const host = readFilledText(field, value, howToFix);
	if (isIP(host) === 6 || !/[\s/@:[\]]/.test(host)) return host;
	throw new InvalidSettingError(field, 'is not the name of a host', howToFix);
}

function readServerName(value: unknown): string {
	const field = 'Redis TLS Server Name';
	return readText(field, value).trim() === '' ? '' : readHost(field, value);
}

/** Returns PEM, in which line breaks that were lost in pasting are repaired. */
function readCertificates(value: unknown): string {
	const field = 'Redis TLS CA';
	const text = readText(field, value).replaceAll('\\n', '\n').trim();
	if (text === '') return '';
	try {
		const bodies = text.match(/(?<=-BEGIN CERTIFICATE-----)[^-]+(?=-----END CERTIFICATE-)/g) ?? [];
		const read = (body: string) => new X509Certificate(Buffer.from(body, 'base64')).toString();
		if (bodies.length > 0) return bodies.map(read).join('');
	} catch {
		// It is not a certificate.
	}
	throw new InvalidSettingError(
		field,
		'is not a certificate',
		'Enter it as a text that begins with -----BEGIN CERTIFICATE-----, as your authority gives it out; not a key, and not the name of a file.',
	);
}

function readRedisNumber(field: string, value: unknown, least: number): number {
	const howToFix = 'Enter the number from the settings of your Redis.';
	return readWholeNumber(field, value, { least, most: 65_535 }, howToFix);
}
