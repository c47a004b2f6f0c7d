// The outbox in queue mode: the worker that has parked the execution is killed, another one wakes it, and is killed
// while it sends. Each document goes out once.
import { OUTBOX_LIMITS, outboxReader, readScaledOutbox } from '../n8n/outboxTests';
import { itemsOf } from '../n8n/realN8n';
import { node } from '../n8n/workflows';
import type { WorkflowNode } from '../../scripts/host/n8nTypes';
import type { QueueBench } from '../support/queueBench';
import { WORKERS } from '../support/queueMode';
import { post } from '../support/queueRuns';
import { waitUntil } from '../support/waitUntil';

const PATH = 'outbox';
const SEND_ENDPOINT = 'POST /txndata/sendTxn';
const NUMBERS = [41, 42, 43, 44, 45, 46, 47].map((number) => `2026-00${number}`);
const LONGER_THAN_THE_TEST_MS = 600_000;
/** n8n looks once a minute whose time is over. */
const LONGEST_WAKE_MS = 90_000;
const RUN_MS = 240_000;

/** The schedule, as a webhook: what is run by hand does not run in a worker. */
function asWebhook(one: WorkflowNode): WorkflowNode {
	const parameters = { httpMethod: 'POST', path: PATH, responseMode: 'onReceived', options: {} };
	const settings = { webhookId: PATH, position: [0, 0] };
	return one.name === 'Every hour'
		? node(one.name, 'n8n-nodes-base.webhook', 2, parameters, settings)
		: one;
}

export function outboxTests(bench: QueueBench): void {
	const sent = () =>
		bench.sandbox.journal
			.documents()
			.map(({ body }) => (body as { invoiceNumber: string }).invoiceNumber);

	test(
		'the outbox: a worker killed while its execution is parked, another while it sends',
		async () => {
			await bench.open(OUTBOX_LIMITS);
			const { n8n, sandbox } = bench;
			const { client } = n8n;
			const example = readScaledOutbox();
			const nodes = example.nodes.map(asWebhook).map((one) => ({
				...one,
				...(one.credentials === undefined
					? {}
					: {
							credentials: { businessDataApi: { id: bench.credentialId, name: 'Business Data' } },
						}),
			}));
			const workflow = await client.saveWorkflow({ ...example, nodes });
			for (const trigger of ['Run this once first', 'Start by hand']) {
				expect(await client.runWorkflow(workflow, trigger, 60)).toMatchObject({
					status: 'success',
				});
			}
			await client.publishWorkflow(workflow.id);
			const newest = async () => (await client.listExecutions(workflow.id))[0]?.id ?? '';
			/** The worker that has begun the execution last. */
			const workerOf = (id: string, except?: string) =>
				WORKERS.find((name) => name !== except && n8n.executionsOf(name).includes(id));
			const start = async () => {
				const before = await newest();
				await post(n8n.webhookUrl(PATH), {});
				for (;;) {
					const id = await newest();
					if (id !== before) return id;
				}
			};

			const first = await start();
			await client.waitForExecution(first, 60, (status) => status === 'waiting');
			expect(sent()).toEqual(NUMBERS.slice(0, 3));
			const parkedBy = workerOf(first);
			if (parkedBy === undefined) throw new Error('no worker has run it');
			await n8n.killWorker(parkedBy);
			// The fifth is acted on and gets no response.
			const action = { type: 'delay', ms: LONGER_THAN_THE_TEST_MS, actFirst: true } as const;
			sandbox.fault({ endpoint: SEND_ENDPOINT, after: 1, action });
			await waitUntil(() => sent().length === 5, LONGEST_WAKE_MS);
			const wokenBy = workerOf(first, parkedBy);
			if (wokenBy === undefined) throw new Error('no worker has woken it');
			await n8n.killWorker(wokenBy);
			await n8n.startAll();

			const second = await client.waitForExecution(await start(), LONGEST_WAKE_MS / 1000);
			expect(second).toMatchObject({ status: 'success' });
			expect(sent()).toEqual(NUMBERS);
			expect(itemsOf(second, 'Check in the service')).toMatchObject(
				NUMBERS.slice(4, 5).map((invoiceNumber) => ({ invoiceNumber, state: 'check' })),
			);
			expect(sandbox.journal.refused()).toEqual([]);
			const reader = await client.saveWorkflow(outboxReader());
			const rows = itemsOf(await client.runWorkflow(reader, 'Start', 60), 'Rows');
			const ends = ['sent', 'sent', 'sent', 'sent', 'check', 'sent', 'sent'];
			expect(rows).toMatchObject(
				NUMBERS.map((number, index) => ({ invoice_number: number, state: ends[index] })),
			);
			await client.unpublishWorkflow(workflow.id);
		},
		RUN_MS,
	);
}
