// What an earlier version has put into Redis goes on counting, see test/engine/upgrade.test.ts.

import { Redis } from 'ioredis';

import { useDeduplicator } from '../support/deduplicator';
import { Engine } from '../support/engine';
import { limiters } from '../support/limiters';
import { RedisServer } from '../support/redisServer';
import { credentialFor } from '../support/scaledLimits';
import { startWhenFree } from '../support/startWhenFree';
import { waitUntil } from '../support/waitUntil';
import { KEY, LIMITS, PORT, RECORD } from '../upgrade/saved';
import { savedByVersions, savedCredential, savedWorkflow } from '../upgrade/versions';

/** How long (ms) slots are held after the last request, at most. */
const LONGEST_HOLD_MS = 10_000;

// n8n's own record is lost.
useDeduplicator();

test.each(savedByVersions)('what version %s has sent once is not sent again', async (_, saved) => {
	const { workflowId, node, redis } = saved.sendOnce;
	const engine = await Engine.load();
	const server = await RedisServer.start();
	const apiKeys = { [KEY]: { state: 'active' as const } };
	const sandbox = await startWhenFree({ port: PORT, apiKeys, limits: LIMITS });
	const client = new Redis({ port: server.port });
	try {
		for (const { key, dump } of redis) await client.restore(key, 0, Buffer.from(dump, 'base64'));
		const fields = {
			...credentialFor(sandbox),
			...{ customize: true, limits: JSON.stringify(LIMITS) },
			...{ limitStore: 'redis', redisPort: server.port },
		};
		const other = { ...RECORD, invoice: 'A-2' };
		const workflow = savedWorkflow(workflowId, node, [RECORD, other]);
		const { run } = await engine.run(workflow, savedCredential(node, fields));
		expect(run.status).toBe('success');
		expect(sandbox.journal.documents().map(({ body }) => body)).toEqual([other]);
		await waitUntil(() => limiters().size === 0, LONGEST_HOLD_MS);
	} finally {
		client.disconnect();
		await sandbox.stop();
		await server.dispose();
	}
});
