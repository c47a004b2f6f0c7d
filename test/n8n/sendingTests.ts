// A real n8n sends each document once, over re-runs and a crash during a send. test/queue/n8n.test.ts has concurrent
// calls.
import type { WorkflowNode } from '../../scripts/host/n8nTypes';
import { ONCE, SEND_ENDPOINT, sentDocument } from '../support/parameters';
import { waitUntil } from '../support/waitUntil';
import { itemsOf, type RealN8n } from './realN8n';
import {
	BUSINESS_DATA,
	inARow,
	node,
	SEND,
	send,
	sentBy,
	startWith,
	startWithWebhook,
} from './workflows';

const FIVE = [1, 2, 3, 4, 5].map((number) => ({ id: `invoice-${number}` }));
const REASONS = { sent: 'It was sent before', perhapsSent: 'Check in the service' };

const skipped = (state: keyof typeof REASONS, documents: typeof FIVE) =>
	documents.map(({ id }) => ({
		skipped: true,
		sendOnceKey: id,
		state,
		reason: expect.stringContaining(REASONS[state]) as string,
	}));

export function sendingTests(real: () => RealN8n): void {
	const sent = () => sentBy(real().sandbox);
	/** Publishes a workflow that sends what a webhook gets. */
	const publish = async (name: string, path: string, sending: WorkflowNode) =>
		await real().publish(inARow(name, [...startWithWebhook(path), sending]));

	test('a failed execution that is retried sends only the documents that were not sent', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(
			inARow('Failed, then retried', [...startWith(FIVE), send(ONCE)]),
		);
		sandbox.fault({ endpoint: SEND_ENDPOINT, after: 2, action: { type: 'status', status: 400 } });
		const first = await client.runWorkflow(workflow, 'Start');
		expect(first.status).toBe('error');
		expect(first.error).toContain('Sent: items 0–1. Not sent: item 2. Not tried: items 3–4.');
		expect(sent()).toEqual(FIVE.slice(0, 2));

		const again = await client.waitForExecution(await client.retryExecution(first.id));
		expect(again).toMatchObject({ status: 'success' });
		expect(sent()).toEqual(FIVE);
		expect(itemsOf(again, SEND)).toEqual([
			...skipped('sent', FIVE.slice(0, 2)),
			...[3, 4, 5].map((number) => ({ id: `doc-${number}`, status: 'sent' })),
		]);
	});

	test('after n8n is killed during a send, nothing is sent twice, and the skipped item says why', async () => {
		const { sandbox } = real();
		const path = 'documents';
		const workflow = await publish('Killed in mid-send', path, send(ONCE));
		sandbox.fault({
			endpoint: SEND_ENDPOINT,
			after: 2,
			action: { type: 'neverRespond', act: true },
		});
		await real().callWebhook(path, { documents: FIVE });
		await waitUntil(() => sent().length === 3);
		await real().kill();
		await real().startAgain();

		const interrupted = await real().resultOfExecution(1, workflow.id);
		expect(interrupted.status).toBe('crashed');
		await real().client.retryExecution(interrupted.id);
		const again = await real().resultOfExecution(2, workflow.id);
		expect(again).toMatchObject({ status: 'success' });
		expect(sent()).toEqual(FIVE);
		const items = itemsOf(again, SEND);
		expect(items).toEqual([
			...skipped('sent', FIVE.slice(0, 2)),
			...skipped('perhapsSent', FIVE.slice(2, 3)),
			...[4, 5].map((number) => ({ id: `doc-${number}`, status: 'sent' })),
		]);
		// A user can send the same document on purpose, under another key.
		await publish('Killed in mid-send', path, send({ sendOnceKey: '={{ $json.id }} again' }));
		await real().callWebhook(path, { documents: FIVE.slice(2, 3) });
		expect(await real().resultOfExecution(3, workflow.id)).toMatchObject({ status: 'success' });
		expect(sent().slice(5)).toEqual([FIVE[2]]);
	});

	test("n8n's Remove Duplicates node in the same workflow deletes no key", async () => {
		const { client } = real();
		const duplicates = (operation: string, scope: string, parameters = {}) =>
			node(`${operation} ${scope}`, 'n8n-nodes-base.removeDuplicates', 2, {
				operation,
				options: { scope, historySize: 10 },
				...parameters,
			});
		const scopes = [
			duplicates('removeItemsSeenInPreviousExecutions', 'workflow', {
				logic: 'removeItemsWithAlreadySeenKeyValues',
				dedupeValue: '={{ $json.id }}',
			}),
			duplicates('clearDeduplicationHistory', 'workflow'),
			duplicates('clearDeduplicationHistory', 'node'),
		];
		const workflow = await real().save(
			inARow('Remove Duplicates', [...startWith(FIVE.slice(0, 1)), ...scopes, send(ONCE)]),
		);
		await client.runWorkflow(workflow, 'Start');
		const again = await client.runWorkflow(workflow, 'Start');
		expect(itemsOf(again, SEND)).toEqual(skipped('sent', FIVE.slice(0, 1)));
	});

	test('a key can be neither read nor changed under the ID of a workflow that does not exist', async () => {
		const { client } = real();
		const sender = await real().save(inARow('Sends', [...startWith(FIVE), send(ONCE)]));
		await client.runWorkflow(sender, 'Start');
		const stateUnder = async (
			operation: Parameters<typeof sentDocument>[0],
			workflowId: string,
		) => {
			const asked = sentDocument(operation, { sendOnceKey: 'invoice-1', workflowId });
			const nodes = [...startWith([{}]), node('State', BUSINESS_DATA, 1, asked)];
			const result = await client.runWorkflow(await real().save(inARow('Asks', nodes)), 'Start');
			return result.error ?? itemsOf(result, 'State');
		};
		expect(await stateUnder('get', sender.id)).toMatchObject([{ state: 'sent' }]);
		const mistyped = [...String(sender.id)].reverse().join('');
		for (const operation of ['get', 'release', 'markAsSent'] as const) {
			expect(await stateUnder(operation, mistyped)).toContain('there is no such workflow in n8n');
		}
	});
}
