// Executions of one published workflow side by side, with the same keyed documents: each is sent once.
import type { RealN8n } from './realN8n';
import { expectEachSentOnce } from './sentOnce';
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
			expectEachSentOnce(sandbox, documents, results);
		}
	});
}
