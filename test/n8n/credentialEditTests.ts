// The credential edited in n8n while an item waits for the limits: the run goes on with what it has started
// with, and only the next one uses the new host and the new key.
import { shortHash, startSandbox } from '../../sandbox/server';
import { waitUntil } from '../support/waitUntil';
import { credentialFor } from '../support/scaledLimits';
import type { RealN8n } from './realN8n';
import { inARow, send, startWith } from './workflows';

const ENDPOINT = 'POST /txndata/sendTxn';
const LIMITS = {
	general: [{ max: 1_000, windowSeconds: 1 }],
	endpoints: { [ENDPOINT]: { max: 2, windowSeconds: 4 } },
};
const NEW_KEY = 'c'.repeat(64);
const DOCUMENTS = [1, 2, 3, 4].map((number) => ({ id: `document-${number}` }));

export function credentialEditTests(real: () => RealN8n): void {
	test('the old host sees the old key only, the new host nothing until the next run', async () => {
		const { client } = real();
		const before = await startSandbox({ limits: LIMITS });
		const after = await startSandbox({
			limits: LIMITS,
			apiKeys: { [NEW_KEY]: { state: 'active' } },
		});
		const name = 'To be edited';
		try {
			const businessDataApi = await real().saveCredentialFor(name, before, LIMITS);
			const workflow = await real().save(
				inARow('A credential is edited', [...startWith(DOCUMENTS), send()]),
				{ businessDataApi },
			);
			const running = await client.startWorkflow(workflow, 'Start');
			await waitUntil(() => before.journal.count(ENDPOINT) === 2);
			await client.saveCredential({
				name,
				type: 'businessDataApi',
				data: { ...credentialFor(after), customize: true, limits: JSON.stringify(LIMITS) },
			});
			expect(await client.waitForExecution(running, 60)).toMatchObject({ status: 'success' });
			expect(before.journal.documents().map(({ body }) => body)).toEqual(DOCUMENTS);
			const keys = before.journal.all().map(({ headers }) => headers['x-api-key']);
			expect(new Set(keys)).toEqual(new Set([shortHash(before.apiKey)]));
			expect(after.journal.all()).toEqual([]);

			expect(await client.runWorkflow(workflow, 'Start', 60)).toMatchObject({ status: 'success' });
			expect(before.journal.documents()).toHaveLength(DOCUMENTS.length);
			expect(after.journal.documents().map(({ body }) => body)).toEqual(DOCUMENTS);
		} finally {
			await before.stop();
			await after.stop();
		}
	});
}
