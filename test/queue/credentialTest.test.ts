// The credential's Test button with limits counted in Redis: it connects there, takes its slot there, and says
// within 10 s what is wrong with Redis, with nothing sent.

import { NODE, useBench } from '../support/bench';
import { getStatus } from '../support/parameters';
import { RedisServer } from '../support/redisServer';

const bench = useBench({}, { inRealTime: true });
const PASSWORD = 'redis-password-of-the-test';
/** A port that nothing listens on. */
const DOWN = 1;
const NO_CLUSTER = 'ERR This instance has cluster support disabled';
let redis: RedisServer;

beforeAll(async () => (redis = await RedisServer.start(['--requirepass', PASSWORD])));
afterAll(async () => await redis.dispose());

async function press(fields: object) {
	const address = { redisHost: '127.0.0.1', redisPort: redis.port, redisPassword: PASSWORD };
	Object.assign(bench.credential, { limitStore: 'redis', ...address, ...fields });
	const startedAt = performance.now();
	const { status, message } = await bench.engine.testCredential(bench.credential);
	expect(performance.now() - startedAt).toBeLessThanOrEqual(10_000);
	expect(message).not.toContain(PASSWORD);
	return [status, message] as const;
}

test('the read takes its slot in Redis', async () => {
	const limits = JSON.stringify({ general: [{ max: 1, windowSeconds: 600 }] });
	expect((await press({ limits }))[0]).toBe('OK');
	expect(bench.sandbox.journal.count()).toBe(1);
	expect(await bench.hasRoom()).toBe(false);
	expect((await bench.run([{}], getStatus)).json(NODE)).toMatchObject([{ used: 1 }]);
});

test.each<[reply: string, advice: string, fields: object]>([
	['WRONGPASS', 'Check Redis User and the Redis passwords', { redisPassword: 'other' }],
	['ERR DB index', 'Check Redis Database', { redisDatabase: 999 }],
	[NO_CLUSTER, 'choose another Redis Topology', { redisTopology: 'cluster' }],
	['connect ECONNREFUSED', 'Check Redis Host, Redis Port and Redis TLS', { redisPort: DOWN }],
])('%s leads to "%s"', async (reply, advice, fields) => {
	const [status, message] = await press({ redisNodes: `127.0.0.1:${redis.port}`, ...fields });
	expect([status, bench.sandbox.journal.count()]).toEqual(['Error', 0]);
	expect(message).toMatch(
		/^Redis at 127\.0\.0\.1:\d+( \((cluster|database \d+)\))? cannot be used: /,
	);
	expect(message).toContain(reply);
	expect(message).toContain(advice);
});
