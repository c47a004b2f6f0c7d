// The example workflows do in the real n8n what examples/README.md says.
import { itemsOf, type RealN8n } from './realN8n';
import { exampleNames, inARow, node, readExample } from './workflows';

const SEND_ENDPOINT = 'POST /txndata/sendTxn';
const TABLE = { __rl: true, mode: 'name', value: 'business_data_contacts' };

const containing = (text: string) => expect.stringContaining(text) as string;

export function exampleTests(real: () => RealN8n): void {
	beforeEach(() => real().sandbox.reset());

	test.each(exampleNames())('%s is imported, and its schedule can start', async (name) => {
		const { client } = real();
		const example = readExample(name);
		const imported = await client.saveWorkflow({ ...example, name: `${name}, imported` });
		const saved = await client.readWorkflow(imported.id);
		// n8n chooses a credential by its name, if it has one of that name.
		const withoutCredentials = example.nodes.map(({ credentials: _, ...rest }) => rest);
		expect(saved.nodes).toMatchObject(withoutCredentials);
		expect(saved.connections).toEqual(example.connections);
		const types = example.nodes.map(({ type, typeVersion }) => `${type}@${Number(typeVersion)}`);
		const offered = (await client.readNodeTypes()).flatMap(({ name: type, version }) =>
			[version].flat().map((one) => `${type}@${one}`),
		);
		expect(offered).toEqual(expect.arrayContaining(types));
		if (!example.nodes.some(({ type }) => type.endsWith('.scheduleTrigger'))) return;

		const chosen = await real().save({ ...example, name: `${name}, published` });
		await client.publishWorkflow(chosen.id);
		await client.unpublishWorkflow(chosen.id);
	});

	test('invoices-sent-once: what may have been sent takes a branch of its own', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(readExample('invoices-sent-once'));
		// Both rules let the first send pass. The upper one gets the second, the lower one the third.
		sandbox.fault({ endpoint: SEND_ENDPOINT, after: 1, action: { type: 'hangUpAfterActing' } });
		sandbox.fault({ endpoint: SEND_ENDPOINT, after: 1, action: { type: 'status', status: 400 } });
		const first = await client.runWorkflow(workflow, 'Start', 60);
		expect(first).toMatchObject({ status: 'success' });
		expect(itemsOf(first, 'Sent now')).toEqual([{ id: 'doc-1', status: 'sent' }]);
		expect(itemsOf(first, 'Check in the service')).toEqual([
			{ invoiceNumber: '2026-0042', reason: containing('may have taken effect') },
		]);
		expect(itemsOf(first, 'Mend and run again')).toEqual([
			{ invoiceNumber: '2026-0044', reason: containing('400') },
		]);

		const again = await client.runWorkflow(workflow, 'Start', 60);
		expect(again).toMatchObject({ status: 'success' });
		expect(itemsOf(again, 'Skipped')).toMatchObject([
			{ skipped: true, sendOnceKey: '2026-0041' },
			{ skipped: true, sendOnceKey: '2026-0042' },
		]);
		expect(itemsOf(again, 'Sent now')).toEqual([{ id: 'doc-3', status: 'sent' }]);
		expect(sandbox.journal.documents().map(({ body }) => body)).toEqual([
			{ invoiceNumber: '2026-0041', contactId: 'contact-1', amount: 120 },
			{ invoiceNumber: '2026-0042', contactId: 'contact-2', amount: 80.5 },
			{ invoiceNumber: '2026-0044', contactId: 'contact-1', amount: 310 },
		]);
	});

	test('payment-news: the trigger watches another list than the contacts', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(readExample('payment-news'));
		// Each publication polls once.
		const poll = async () => {
			await client.publishWorkflow(workflow.id);
			await client.unpublishWorkflow(workflow.id);
		};
		await poll();
		sandbox.payments.update('payment-2', { status: 'paid' });
		sandbox.payments.update('payment-4', { amount: 1 });
		sandbox.payments.remove('payment-3');
		sandbox.payments.add({ status: 'paid' });
		await poll();
		const first = await real().resultOfExecution(1, workflow.id);
		expect(first).toMatchObject({ status: 'success' });
		expect(itemsOf(first, 'Say that it was paid')).toEqual([
			{ message: 'Payment payment-2 of contact-2 was paid: 20' },
			{ message: 'Payment payment-13 of contact-13 was paid: 130' },
		]);
		expect(itemsOf(first, 'Say that it was deleted')).toEqual([]);
		// It must be missing twice.
		await poll();
		const second = await real().resultOfExecution(2, workflow.id);
		expect(second).toMatchObject({ status: 'success' });
		expect(itemsOf(second, 'Say that it was deleted')).toEqual([
			{ message: 'Payment payment-3 was deleted' },
		]);
		await poll();
		expect(await client.listExecutions(workflow.id)).toHaveLength(2);
	});
}

/** They need a Data Table node that can make tables: n8n 2.x has one, n8n 1.x has not. */
export function contactSyncTests(real: () => RealN8n): void {
	beforeEach(() => real().sandbox.reset());

	test('contact-sync: the table follows the contacts', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(readExample('contact-sync'));
		const made = await client.runWorkflow(workflow, 'Run this once first', 60);
		expect(made).toMatchObject({ status: 'success' });

		await client.publishWorkflow(workflow.id);
		// After the one that made the table.
		expect(await real().resultOfExecution(2, workflow.id)).toMatchObject({ status: 'success' });
		expect(await savedContacts()).toEqual(sandbox.contacts.list());

		await client.unpublishWorkflow(workflow.id);
		sandbox.contacts.add({ id: 'new', name: 'New' });
		sandbox.contacts.update('contact-2', { city: 'Ghent' });
		sandbox.contacts.remove('contact-3');
		await client.publishWorkflow(workflow.id);
		expect(await real().resultOfExecution(3, workflow.id)).toMatchObject({ status: 'success' });
		await client.unpublishWorkflow(workflow.id);
		// What was deleted must be missing twice.
		await client.publishWorkflow(workflow.id);
		expect(await real().resultOfExecution(4, workflow.id)).toMatchObject({ status: 'success' });
		expect(await savedContacts()).toEqual(sandbox.contacts.list());
		await client.unpublishWorkflow(workflow.id);
	});

	/** The contacts in the table, in the order of their creation. */
	async function savedContacts(): Promise<unknown[]> {
		const parameters = {
			...{ resource: 'row', operation: 'get', dataTableId: TABLE, returnAll: true },
			...{ matchType: 'allConditions', filters: {} },
		};
		const workflow = await real().save(
			inARow('Read the table', [
				node('Start', 'n8n-nodes-base.manualTrigger', 1),
				node('Rows', 'n8n-nodes-base.dataTable', 1, parameters),
			]),
		);
		const result = await real().client.runWorkflow(workflow, 'Start', 60);
		return (itemsOf(result, 'Rows') as { content: string }[]).map(
			({ content }) => JSON.parse(content) as unknown,
		);
	}
}
