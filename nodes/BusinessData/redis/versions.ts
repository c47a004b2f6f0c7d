/** Which versions of the package use a Redis. Two versions may count and lease separately. */
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
-- Versions noted before the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${IN_USE_MS})
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

/** When (ms, `performance.now()`) this version was last noted, and which were in use then. */
const knownOf = new WeakMap<RedisConnection, { notedAt: number; versions: string[] }>();

/** With the key format, because several commits may be built as the same version. */
const VERSION = `${packageVersion()} (key format ${KEY_FORMAT})`;

/**
 * The versions that have used the Redis within the last minute; only this one until Redis has replied. Notes this version
 * in the background. A failure changes nothing.
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
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- the path is that from the built file
		return (require('../../../../package.json') as { version: string }).version;
	} catch {
		return 'unknown';
	}
}
