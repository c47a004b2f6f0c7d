// Executions of one published workflow side by side, with the same keyed documents: each is sent once.
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, send, startWithWebhook } from './workflows';

const ROUNDS = 6;
const CALLS = 3;
const PATH = 'the-same-documents';
const SEND_ENDPOINT = 'POST /txndata/sendTxn';

export function overlapTests(real: () => RealN8n): void {
	test('parallel calls with the same keyed documents: each goes out once', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(
			inARow('Parallel calls', [
				...startWithWebhook(PATH),
				send({ sendOnceKey: '={{ $json.id }}' }, { onError: 'continueRegularOutput' }),
			]),
		);
		await client.publishWorkflow(workflow.id);
		for (let round = 0; round < ROUNDS; round++) {
			sandbox.reset();
			// In every other round the first to send is refused, so another must send it.
			if (round % 2 === 1) {
				sandbox.fault({ endpoint: SEND_ENDPOINT, action: { type: 'status', status: 400 } });
			}
			const documents = ['a', 'b', 'c'].map((name) => ({ id: `${name}-${round}` }));
			const calls = Array.from({ length: CALLS }, async () => {
				await real().callWebhook(PATH, { documents });
			});
			await Promise.all(calls);
			await real().resultOfExecution((round + 1) * CALLS, workflow.id);
			const executions = (await client.listExecutions(workflow.id)).slice(0, CALLS);
			const results = await Promise.all(
				executions.map(async ({ id }) => await client.waitForExecution(id, 60)),
			);
			const sent = sandbox.journal.documents().map(({ body }) => body as { id: string });
			expect(sent.map(({ id }) => id).sort()).toEqual(documents.map(({ id }) => id));
			// What each execution tells of each document: the one that has sent it, and no other, tells so.
			const told = results.map((result) => itemsOf(result, 'Send'));
			for (const [index, { id }] of documents.entries()) {
				const ends = told.map((items) => items[index] as { status?: string; skipped?: boolean });
				const what = { id, ends };
				expect([what, ends.filter(({ status }) => status === 'sent').length]).toEqual([what, 1]);
			}
		}
	});
}
