// Two versions of the package on one Redis (the other one is simulated by its entry there): each run gets a hint and
// n8n's log a line, but there is no error.

import type { Redis } from 'ioredis';

import { hintsOf, NO_LIMITS, useBench } from '../support/bench';
import { limiters } from '../support/limiters';
import { read } from '../support/parameters';
import { RedisServer } from '../support/redisServer';
import { waitUntil } from '../support/waitUntil';
import { manifest } from '../unit/repository/projectFiles';

const bench = useBench({ limits: NO_LIMITS }, { inRealTime: true });
const WARNING = 'versions of this package use';
const KEY = 'n8n-nodes-business-data:versions';
let server: RedisServer;
let redis: Redis;

// A process caches the versions of a Redis for 10 s, so each test has its own Redis.
beforeEach(async () => {
	server = await RedisServer.start();
	redis = server.client();
	Object.assign(bench.credential, { limitStore: 'redis', redisHost: '127.0.0.1' });
	bench.credential.redisPort = server.port;
});
afterEach(async () => {
	await waitUntil(() => limiters().size === 0);
	redis.disconnect();
	await server.dispose();
});

async function hintsOfRun(): Promise<string[]> {
	const result = await bench.run([{}], read());
	expect(result.run.status).toBe('success');
	return hintsOf(result);
}

/** Writes the entry of another installation to Redis. */
const useBy = async (version: string) =>
	await redis.zadd(KEY, Date.now(), `${version} (key format 1)`);

test('the same version causes no hint, and is the only entry in Redis', async () => {
	await useBy(manifest.version);
	expect(await hintsOfRun()).toEqual([]);
	expect(await redis.zrange(KEY, 0, -1)).toEqual([`${manifest.version} (key format 1)`]);
	await waitUntil(async () => (await redis.pttl(KEY)) > 50_000);
});

test('another version causes a hint in each run that names both, and one log line a minute', async () => {
	await useBy('99.0.0');
	const hint = `2 ${WARNING} 127.0.0.1:${server.port} at the same time: 99.0.0 (key format 1), ${manifest.version} (key format 1).`;
	for (let run = 0; run < 3; run++) {
		expect(await hintsOfRun()).toEqual([expect.stringContaining(hint)]);
	}
	expect(bench.engine.log.filter((line) => line.includes(WARNING))).toHaveLength(1);
});

test('requests succeed even if Redis refuses to store the version', async () => {
	await redis.set(KEY, 'of another type');
	expect(await hintsOfRun()).toEqual([]);
	expect(bench.sandbox.journal.count()).toBe(1);
});
