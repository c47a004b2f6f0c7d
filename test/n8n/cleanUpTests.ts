// The example that deletes at night: it makes a dry run first, and deletes nothing without a person's approval.
import type { ExecutionResult } from '../../scripts/host/executionData';
import type { Workflow } from '../../scripts/host/n8nTypes';
import { itemsOf, type RealN8n } from './realN8n';
import { readExample } from './workflows';

const ENDPOINT = 'POST /masterdata/deleteContacts';
const OLD_CONTACTS = 230;
const LONG_AGO = '2020-02-29T12:00:00.000Z';

interface Message {
	contacts: number;
	requests: number;
	approvalLink: string;
}

export function cleanUpTests(real: () => RealN8n): void {
	const oldIds = Array.from({ length: OLD_CONTACTS }, (_, index) => `old-${index + 1}`);

	function addOldContacts(): void {
		const { sandbox } = real();
		for (const { id } of sandbox.contacts.list()) {
			sandbox.contacts.update(id, { updatedAt: new Date().toISOString() });
		}
		for (const id of oldIds) sandbox.contacts.add({ id, updatedAt: LONG_AGO });
		sandbox.contacts.add({ id: 'without a date', updatedAt: '' });
	}

	/** Runs the example as far as the approval. */
	async function ask(example: Workflow): Promise<{ id: string; message: Message }> {
		const { client } = real();
		const id = await client.startWorkflow(await real().save(example), 'Start by hand');
		const asking = await client.waitForExecution(id, (status) => status === 'waiting');
		return { id, message: itemsOf(asking, 'Message to the approver')[0] as Message };
	}

	/** Opens the link and submits the form, as a person does. Returns the text of the form. */
	async function submit({ approvalLink }: Message, decision: string): Promise<string> {
		const page = await (await fetch(approvalLink)).text();
		const form = new FormData();
		form.set('field-0', decision);
		const response = await fetch(approvalLink, { method: 'POST', body: form });
		expect(response.status).toBe(200);
		await response.text();
		return page;
	}

	const end = async (id: string): Promise<ExecutionResult> => {
		const result = await real().client.waitForExecution(id);
		expect(result).toMatchObject({ status: 'success' });
		return result;
	};

	test('nightly-clean-up deletes exactly the approved contacts, 100 per request', async () => {
		const { sandbox } = real();
		addOldContacts();
		const { id, message } = await ask(readExample('nightly-clean-up'));
		expect(message).toMatchObject({ contacts: OLD_CONTACTS, requests: 3 });
		expect(sandbox.journal.count(ENDPOINT)).toBe(0);
		const withoutToken = new URL(message.approvalLink);
		withoutToken.search = '';
		expect((await fetch(withoutToken, { method: 'POST', body: new FormData() })).status).toBe(401);
		// It has become old only after the dry run, so nobody has approved it.
		sandbox.contacts.add({ id: 'unseen', updatedAt: LONG_AGO });

		const form = await submit(message, 'Delete them');
		expect(form).toContain(
			`${OLD_CONTACTS} contacts would be deleted with 3 requests: old-1, old-2`,
		);
		const result = await end(id);
		expect(itemsOf(result, 'Show what would go')).toMatchObject([
			{ dryRun: true, count: 100 },
			{ dryRun: true, count: 100 },
			{ dryRun: true, count: 30 },
		]);
		expect(itemsOf(result, 'Delete the contacts')).toMatchObject([
			{ count: 100, response: { deleted: 100 } },
			{ count: 100, response: { deleted: 100 } },
			{ count: 30, response: { deleted: 30 } },
		]);
		expect(sandbox.journal.count(ENDPOINT)).toBe(3);
		const left = sandbox.contacts.list().map((contact) => contact.id);
		expect(left).toHaveLength(14);
		expect(left.slice(-2)).toEqual(['without a date', 'unseen']);
	});

	test('nightly-clean-up deletes nothing if the approver chooses "Keep them"', async () => {
		const { sandbox } = real();
		addOldContacts();
		const { id, message } = await ask(readExample('nightly-clean-up'));
		await submit(message, 'Keep them');
		const result = await end(id);
		expect(itemsOf(result, 'Show what would go')).toHaveLength(3);
		const names = result.nodes.map(({ name }) => name);
		expect(names).toContain('Nothing deleted');
		expect(names).not.toContain('Delete the contacts');
		expect(sandbox.journal.count(ENDPOINT)).toBe(0);
		expect(sandbox.contacts.list()).toHaveLength(12 + OLD_CONTACTS + 1);
	});
}
