/**
 * Which versions of the package use a Redis. Two versions may count and lease apart, so each records itself under one
 * key that all versions know.
 */
import { RedisScript } from './client';
import type { RedisConnection } from './connection';
import { KEY_FORMAT, PACKAGE } from './keyPrefix';

const KEY = `${PACKAGE}:versions`;
/** How often (ms) a process notes its version, as long as it uses the Redis. */
const NOTED_EVERY_MS = 10_000;
/** How long (ms) a version counts as in use. */
const IN_USE_MS = 60_000;

/** Notes a version, and returns all that are in use, by Redis's own clock. */
const NOTE = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${IN_USE_MS})
-- Of before the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${IN_USE_MS})
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

interface Known {
	/** When (ms, `performance.now()`) the version was noted last. */
	notedAt: number;
	/** All that were in use then; this one alone until Redis has replied. */
	versions: string[];
}

const knownOf = new WeakMap<RedisConnection, Known>();

/** With the format of its keys, as several commits may be built as the same version. */
const VERSION = `${packageVersion()} (key format ${KEY_FORMAT})`;

/**
 * The versions of the package that have used a Redis within the last minute, this one included, as far as is known.
 * Notes this one in the background, at most every 10 s; a failure changes nothing.
 */
export function versionsInUse(connection: RedisConnection, version = VERSION): string[] {
	const now = performance.now();
	const last = knownOf.get(connection);
	if (last !== undefined && now - last.notedAt < NOTED_EVERY_MS) return last.versions;
	const known: Known = { notedAt: now, versions: [version] };
	knownOf.set(connection, known);
	connection.run<string[]>(NOTE, [KEY], [version]).then(
		(versions) => (known.versions = versions),
		() => undefined,
	);
	return known.versions;
}

/** The version in package.json, which is one level further up from the built files. */
function packageVersion(): string {
	for (const path of ['../../../package.json', '../../../../package.json']) {
		try {
			// eslint-disable-next-line @typescript-eslint/no-require-imports -- at either of two places
			return (require(path) as { version: string }).version;
		} catch {
			// Not there.
		}
	}
	return 'unknown';
}
