// The same key with other content where Redis knows the keys, see test/engine/sentDocument.test.ts.

import { NO_LIMITS, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { RedisServer } from '../support/redisServer';
import { playSteps, STEPS_OF_A_KEY } from '../support/sentDocument';

const bench = useBench({ limits: NO_LIMITS }, { inRealTime: true });
useDeduplicator();
let server: RedisServer;

beforeAll(async () => (server = await RedisServer.start()));
afterAll(async () => await server.dispose());

test('what a key gives after each of the steps', async () => {
	Object.assign(bench.credential, { limitStore: 'redis', redisPort: server.port });
	const given: typeof STEPS_OF_A_KEY = [];
	for (const [steps] of STEPS_OF_A_KEY) given.push([steps, await playSteps(bench, steps)]);
	expect(given).toEqual(STEPS_OF_A_KEY);
}, 60_000);
