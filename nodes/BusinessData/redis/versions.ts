/** Which versions of the package use a Redis: two versions may count and lease apart. */
import { RedisScript } from './client';
import type { RedisConnection } from './connection';
import { KEY_FORMAT, PACKAGE } from './keyPrefix';

const KEY = `${PACKAGE}:versions`;
const NOTED_EVERY_MS = 10_000;
const IN_USE_MS = 60_000;

/** Notes a version, and returns all that are in use. */
const NOTE = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${IN_USE_MS})
-- Those noted before the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${IN_USE_MS})
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

/** When (ms, `performance.now()`) this version was noted last, and which were in use then. */
const knownOf = new WeakMap<RedisConnection, { notedAt: number; versions: string[] }>();

/** With the key format, as several commits may be built as the same version. */
const VERSION = `${packageVersion()} (key format ${KEY_FORMAT})`;

/**
 * The versions that have used the Redis within the last minute, this one alone until Redis has replied. Notes this one
 * in the background; a failure changes nothing.
 */
export function versionsInUse(connection: RedisConnection, version = VERSION): string[] {
	const now = performance.now();
	const last = knownOf.get(connection);
	if (last !== undefined && now - last.notedAt < NOTED_EVERY_MS) return last.versions;
	const known = { notedAt: now, versions: [version] };
	knownOf.set(connection, known);
	connection.run<string[]>(NOTE, [KEY], [version]).then(
		(versions) => (known.versions = versions),
		() => undefined,
	);
	return known.versions;
}

function packageVersion(): string {
	try {
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- its place is that beside the built files
		return (require('../../../../package.json') as { version: string }).version;
	} catch {
		return 'unknown';
	}
}
