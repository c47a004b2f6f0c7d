// What users have saved with an earlier version keeps working: workflows make the same requests, the trigger knows its
// contacts, and what was sent once is not sent again. `npm run record:upgrade` records it.

import { errorOf, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { CREDENTIAL_TYPE } from '../support/engineWorkflow';
import { sentDocument } from '../support/parameters';
import {
	KEY,
	LIMITS,
	PORT,
	RECORD,
	requestsOf,
	savedByVersions,
	savedCredential,
	savedWorkflow,
} from '../upgrade/saved';

const apiKeys = { [KEY]: { state: 'active' as const } };
const bench = useBench({ port: PORT, apiKeys, contactCount: 12, limits: LIMITS });
const table = useDeduplicator();

describe.each(savedByVersions)('saved by version %s', (_, saved) => {
	test.each(
		saved.nodes.map(({ node, requests }) => [node.name, node.parameters, requests] as const),
	)('%s makes the same requests', async (name, parameters, requests) => {
		const { run } = await bench.run([RECORD], parameters);
		expect(run.status).toBe('success');
		const made = requestsOf(bench.sandbox, name);
		expect(made).toEqual(requests.map((request) => ({ body: undefined, ...request })));
		expect(bench.sandbox.journal.count()).toBe(requests.length);
	});

	test('the trigger emits only what has changed since', async () => {
		const { node, staticData } = saved.trigger;
		const credentialId = node.credentials?.[CREDENTIAL_TYPE]?.id ?? '';
		const { poll } = bench.engine.trigger(
			node.parameters,
			{ [credentialId]: bench.credential },
			{ staticData: structuredClone(staticData), settings: node },
		);
		bench.sandbox.contacts.update('contact-3', { city: 'Bruges' });
		expect(await poll()).toMatchObject([
			{ event: 'contactUpdated', contact: { id: 'contact-3', city: 'Bruges' } },
		]);
		bench.sandbox.contacts.remove('contact-4');
		expect([...(await poll()), ...(await poll())]).toMatchObject([
			{ event: 'contactDeleted', contact: { id: 'contact-4' } },
		]);
	});

	describe('what was sent once', () => {
		const { node, rows, workflowId } = saved.sendOnce;
		const run = async (items: Array<typeof RECORD>, parameters = node.parameters) => {
			const workflow = savedWorkflow(workflowId, { ...node, parameters }, items);
			return await bench.engine.run(workflow, savedCredential(node, bench.credential));
		};
		beforeEach(async () => {
			for (const row of rows) await table.insert(row as never);
		});

		test('is not sent again', async () => {
			const other = { ...RECORD, invoice: 'A-2' };
			expect((await run([RECORD, other])).run.status).toBe('success');
			expect(bench.documents()).toEqual([other]);
		});

		test('can be sent with other content after a release', async () => {
			const other = { ...RECORD, total: 1 };
			expect(errorOf(await run([other])).message).toContain('with other content');
			await run([RECORD], sentDocument('release', { sendOnceKey: RECORD.invoice }));
			expect((await run([other])).run.status).toBe('success');
			expect(errorOf(await run([RECORD])).message).toContain('with other content');
			expect(bench.documents()).toEqual([other]);
		});
	});
});
