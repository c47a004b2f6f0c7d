// In the real n8n, the example workflows do what examples/README.md says.
import type { FaultAction } from '../../sandbox/faultRules';
import { SEND_ENDPOINT } from '../support/parameters';
import { itemsOf, type RealN8n } from './realN8n';
import { exampleNames, readExample, sentBy, tableReader } from './workflows';

const containing = (text: string) => expect.stringContaining(text) as string;

export function exampleTests(real: () => RealN8n): void {
	test.each(exampleNames())(
		'%s can be imported, and published if it has a schedule',
		async (name) => {
			const { client } = real();
			const example = readExample(name);
			const imported = await client.saveWorkflow({ ...example, name: `${name}, imported` });
			const saved = await client.readWorkflow(imported.id);
			// On import, n8n chooses a credential of the same name if there is one.
			const withoutCredentials = example.nodes.map(({ credentials: _, ...rest }) => rest);
			expect(saved.nodes).toMatchObject(withoutCredentials);
			expect(saved.connections).toEqual(example.connections);
			const types = example.nodes.map(({ type, typeVersion }) => `${type}@${Number(typeVersion)}`);
			const offered = (await client.readNodeTypes()).flatMap(({ name: type, version }) =>
				[version].flat().map((one) => `${type}@${one}`),
			);
			expect(offered).toEqual(expect.arrayContaining(types));
			if (!example.nodes.some(({ type }) => type.endsWith('.scheduleTrigger'))) return;

			await real().publish({ ...example, name: `${name}, published` });
		},
	);

	test('payment-news watches the list of payments instead of the contacts', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(readExample('payment-news'));
		// Publishing polls once.
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
		// A record counts as deleted once two polls miss it.
		await poll();
		const second = await real().resultOfExecution(2, workflow.id);
		expect(second).toMatchObject({ status: 'success' });
		expect(itemsOf(second, 'Say that it was deleted')).toEqual([
			{ message: 'Payment payment-3 was deleted' },
		]);
		// It was already paid, so this change starts no execution.
		sandbox.payments.update('payment-2', { amount: 21 });
		await poll();
		expect(await client.listExecutions(workflow.id)).toHaveLength(2);
	});
}

/** These need a Data Table node that can create tables, which n8n 1.x lacks. */
export function tableExampleTests(real: () => RealN8n): void {
	test('contact-sync keeps the table equal to the contacts', async () => {
		const { client, sandbox } = real();
		const workflow = await real().save(readExample('contact-sync'));
		/** Publishes the workflow, which polls once and causes its `count`th execution. */
		const poll = async (count: number) => {
			await client.publishWorkflow(workflow.id);
			const result = await real().resultOfExecution(count, workflow.id);
			await client.unpublishWorkflow(workflow.id);
			return result;
		};
		// Without its table the first run fails; once the table exists, a retry succeeds.
		expect(await poll(1)).toMatchObject({ status: 'error' });
		const [failed] = await client.listExecutions(workflow.id);
		await real().run(workflow, 'Run this once first');
		const retried = await client.retryExecution(failed?.id ?? '');
		expect(await client.waitForExecution(retried)).toMatchObject({ status: 'success' });
		expect(await savedContacts()).toEqual(sandbox.contacts.list());

		sandbox.contacts.add({ id: 'new', name: 'New' });
		sandbox.contacts.update('contact-2', { city: 'Ghent' });
		sandbox.contacts.remove('contact-3');
		expect(await poll(4)).toMatchObject({ status: 'success' });
		// A record counts as deleted once two polls miss it.
		expect(await poll(5)).toMatchObject({ status: 'success' });
		expect(await savedContacts()).toEqual(sandbox.contacts.list());

		const name = 'When a contact changes';
		const nodes = workflow.nodes.map((one) => (one.name === name ? { ...one, id: 'copy' } : one));
		await client.saveWorkflow({ ...workflow, nodes });
		expect(itemsOf(await poll(6), name)).toHaveLength(sandbox.contacts.list().length);
	});

	test('invoices-sent-once lets a person settle the invoices that may have been sent', async () => {
		const { sandbox } = real();
		const workflow = await real().save(readExample('invoices-sent-once'));
		const run = async () => await real().run(workflow);
		const actions = [
			{ type: 'status', status: 400 },
			{ type: 'hangUpBeforeActing' },
			{ type: 'hangUpAfterActing' },
		];
		for (const action of actions as FaultAction[])
			sandbox.fault({ endpoint: SEND_ENDPOINT, action });
		const first = await run();
		expect(first('Fix and run again')).toEqual([
			{ invoiceNumber: '2026-0041', reason: containing('400') },
		]);
		const note = containing('may have taken effect');
		expect(first('Remember to check')).toMatchObject([
			{ invoice_number: '2026-0042', since: containing('T'), note },
			{ invoice_number: '2026-0044', since: containing('T'), note },
		]);

		const second = await run();
		expect(second('Sent now')).toHaveLength(1);
		expect(second('Check in the service')).toMatchObject([
			{ invoiceNumber: '2026-0042', note: containing('may have been sent') },
			{ invoiceNumber: '2026-0044' },
		]);
		expect(second('Remember to check')).toEqual([]);

		await real().publish(workflow);
		const page = workflow.nodes.find(({ name }) => name === 'When somebody has looked');
		const responses = [
			['2026-0042', 'It was not sent', 'Release', 'notSent'],
			['2026-0044', 'It was sent', 'Mark as sent', 'sent'],
		] as const;
		for (const [index, [number, response, node, state]] of responses.entries()) {
			const form = new FormData();
			form.set('field-0', number);
			form.set('field-1', response);
			const url = `${real().url}/form/${String(page?.webhookId)}`;
			expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
			const result = await real().resultOfExecution(3 + index, workflow.id);
			expect(result).toMatchObject({ status: 'success' });
			expect(itemsOf(result, node)).toMatchObject([{ sendOnceKey: number, state }]);
			expect(itemsOf(result, 'Checked')).toMatchObject([{ invoice_number: number }]);
		}

		const third = await run();
		expect(third('Skipped')).toMatchObject([
			{ sendOnceKey: '2026-0041', state: 'sent' },
			{ sendOnceKey: '2026-0044', state: 'sent' },
		]);
		expect(third('Sent now')).toHaveLength(1);
		expect(sentBy(sandbox)).toMatchObject(
			['2026-0044', '2026-0041', '2026-0042'].map((invoiceNumber) => ({ invoiceNumber })),
		);
	});

	/** The contacts in the table, in order of creation. */
	async function savedContacts(): Promise<unknown[]> {
		const items = await real().run(await real().save(tableReader('business_data_contacts')));
		return (items('Rows') as { content: string }[]).map(
			({ content }) => JSON.parse(content) as unknown,
		);
	}
}
