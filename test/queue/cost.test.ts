// What the shared limit store costs a real Redis. `npm run growth` gives the figures for more keys, and a cluster's.

import { loadRedis, startServer } from '../../bench/growth/redisLoad';
import { report } from '../support/report';

const KEYS = 10;
const SECONDS = 10;
/** So much (µs) a script may take; that of a busy machine is a tenth of it. */
const LONGEST_SCRIPT = 1_000;

test('two commands per request, and a fraction of a millisecond for each', async () => {
	const load = await loadRedis(startServer, KEYS, SECONDS);
	const { requests, commandsPerRequest, perScript } = load;
	report(
		`${requests} requests: ${commandsPerRequest.toFixed(2)} commands each, ${perScript.toFixed(0)} µs per script`,
	);
	expect(requests).toBeGreaterThan(0);
	// Beside them, a process sees every 0.8 s whether what it holds is still there, and on a busy machine some ask again.
	expect(commandsPerRequest).toBeGreaterThanOrEqual(1.9);
	expect(commandsPerRequest).toBeLessThan(2.5);
	expect(perScript).toBeLessThan(LONGEST_SCRIPT);
}, 60_000);
