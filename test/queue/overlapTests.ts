// Executions of one published workflow side by side over two workers, and one by hand in the main process,
// with the same keyed documents: each is sent once.
import { itemsOf } from '../n8n/realN8n';
import { inARow, SEND, send, startWithWebhook } from '../n8n/workflows';
import type { LimitSettings } from '../../nodes/BusinessData/transport/endpoints';
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../../scripts/host/executionData';
import type { QueueBench } from '../support/queueBench';
import { WORKERS } from '../support/queueMode';
import { post } from '../support/queueRuns';

const ROUNDS = 6;
const CALLS = 4;
const PATH = 'the-same-documents';
const RUN_MS = 120_000;
const SEND_ENDPOINT = 'POST /txndata/sendTxn';

/** Each document has gone out once, and one execution, no other, tells that it has sent it. */
function expectEachSentOnce(
	{ journal }: Sandbox,
	documents: Array<{ id: string }>,
	results: ExecutionResult[],
): void {
	const sent = journal.documents().map(({ body }) => (body as { id: string }).id);
	expect(sent.sort()).toEqual(documents.map(({ id }) => id).sort());
	const isWhole = (result: ExecutionResult) => itemsOf(result, SEND).length === documents.length;
	expect(results.filter((result) => !isWhole(result))).toEqual([]);
	for (const [index, { id }] of documents.entries()) {
		const reported = results.map((result) => itemsOf(result, SEND)[index] as { status?: string });
		const times = reported.filter(({ status }) => status === 'sent').length;
		expect([{ id, reported }, times]).toEqual([{ id, reported }, 1]);
	}
}

export function overlapTests(bench: QueueBench, limits: LimitSettings): void {
	test(
		'calls over both workers and a run by hand, with the same keyed documents: each goes out once',
		async () => {
			await bench.open(limits);
			const { n8n, sandbox, credentialId } = bench;
			const { client } = n8n;
			const sending = send(
				{ sendOnceKey: '={{ $json.id }}' },
				{ onError: 'continueRegularOutput' },
			);
			sending.credentials = { businessDataApi: { id: credentialId, name: 'Business Data' } };
			const workflow = await client.saveWorkflow(
				inARow('The same documents', [...startWithWebhook(PATH), sending]),
			);
			await client.publishWorkflow(workflow.id);
			const executions = new Set<string>();
			for (let round = 0; round < ROUNDS; round++) {
				sandbox.reset();
				// In every other round the first to send is refused, so another must send it.
				if (round % 2 === 1) {
					sandbox.fault({ endpoint: SEND_ENDPOINT, action: { type: 'status', status: 400 } });
				}
				const documents = ['a', 'b', 'c'].map((name) => ({ id: `${name}-${round}` }));
				const calls = Array.from(
					{ length: CALLS },
					async () => await post(n8n.webhookUrl(PATH), { documents }),
				);
				await Promise.all([
					...calls,
					client.startWorkflow(workflow, 'Webhook', [{ body: { documents } }]),
				]);
				const ids = (await client.listExecutions(workflow.id))
					.map(({ id }) => id)
					.filter((id) => !executions.has(id));
				expect(ids).toHaveLength(CALLS + 1);
				for (const id of ids) executions.add(id);
				const results = await Promise.all(
					ids.map(async (id) => await client.waitForExecution(id, 60)),
				);
				expectEachSentOnce(sandbox, documents, results);
			}
			const byWorker = WORKERS.map((worker) => n8n.executionsOf(worker));
			const shares = byWorker.map((ids) => ids.filter((id) => executions.has(id)).length);
			for (const share of shares) expect(share).toBeGreaterThan(0);
			// The others ran in the main process.
			expect(shares.reduce((sum, share) => sum + share)).toBe(ROUNDS * CALLS);
		},
		RUN_MS,
	);
}
