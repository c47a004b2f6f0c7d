// The fields of the node: which ones are shown, and what is sent with their values.
import type { RealN8n } from '../n8n/realN8n';
import { inARow, node, startWith } from '../n8n/workflows';
import type { Editor, ShownField } from './editor';

const NODE = 'Business Data';
const SEND = ['Data to Send', 'Fields', 'Options'];
const DELETE = ['IDs', 'Dry Run', 'Options'];

/** The labels of the fields. Expects that none is cut off. */
export function labelsOf(fields: ShownField[]): string[] {
	expect(fields.filter(({ isCutOff }) => isCutOff)).toEqual([]);
	return fields.map(({ label }) => label);
}

export function fieldTests(real: () => RealN8n, editor: () => Editor): void {
	beforeAll(async () => {
		await editor().openNewWorkflow();
		await editor().addNode('Manual Trigger');
		await editor().addAndOpenNode(NODE, 'Get many contacts');
	});

	test('lists the resources, without "Custom API Call"', async () => {
		const resources = labelsOf(await editor().openList('resource'));
		expect(resources).toEqual([
			'API Request',
			'Contact',
			'Payment',
			'Rate Limit',
			'Sent Document',
			'Transaction',
		]);
		await editor().page.keyboard.press('Escape');
	});

	test.each([
		['Contact', 'Get Many', ['Return All', 'Limit', 'Options']],
		['Contact', 'Delete Many', DELETE],
		['Transaction', 'Send', SEND],
		['Transaction', 'Send (WP)', SEND],
		['Transaction', 'Delete Many', DELETE],
		['Payment', 'Send', SEND],
		['API Request', 'Send', ['Method', 'Path', 'Options']],
		['Rate Limit', 'Get Status', []],
		['Rate Limit', 'Wait for Room', ['Limit Of', 'Requests', 'Options']],
		['Sent Document', 'Release', ['Sent With', 'Send Once Key', 'Workflow ID']],
	])('shows the fields of %s: %s', async (resource, operation, fields) => {
		await editor().choose('resource', resource);
		const operations = labelsOf(await editor().openList('operation'));
		expect(operations).toContain(operation);
		// It leads to n8n's HTTP Request node, which ignores the limits.
		expect(operations).not.toContain('Custom API Call');
		await editor().page.keyboard.press('Escape');
		await editor().choose('operation', operation);
		const usual = ['Credential', 'Resource', 'Operation'];
		expect(labelsOf(await editor().shownFields())).toEqual([...usual, ...fields]);
		await editor().takeScreenshots(
			`fields-${resource}-${operation}`.replace(/\W+/g, '-').toLowerCase().replace(/-$/, ''),
		);
	});

	test('shows the fields for the chosen kind of data to send', async () => {
		await editor().choose('resource', 'Payment');
		const shown = async () => labelsOf(await editor().shownFields()).slice(3);
		await editor().choose('dataMode', 'JSON');
		expect(await shown()).toEqual(['Data to Send', 'JSON Body', 'Options']);
		await editor().choose('dataMode', 'Auto-Map Input Data');
		expect(await shown()).toEqual(['Data to Send', 'Options']);
		await editor().choose('dataMode', 'Define Below');
		expect(await shown()).toEqual(SEND);
	});

	test('previews the output fields in the next node before the first run', async () => {
		await editor().choose('resource', 'Contact');
		await editor().choose('operation', 'Delete Many');
		await editor().closeNode();
		await editor().addAndOpenNode('Edit Fields (Set)');
		const input = editor().marked('ndv-input-panel');
		await input.getByText('Preview').waitFor();
		for (const name of ['count', 'ids', 'response']) {
			expect(await input.getByText(name, { exact: true }).isVisible()).toBe(true);
		}
		await editor().takeScreenshots('preview');
	});

	test('sends typed fields with their types', async () => {
		const document = { contactId: 42, paid: 80.5, city: 'Ghent' };
		const parameters = { resource: 'payment', operation: 'send', options: {} };
		const send = node(NODE, 'n8n-nodes-business-data.businessData', 1, parameters);
		const saved = await real().save(inARow('Typed fields', [...startWith([document]), send]));
		await editor().openWorkflow(saved.id);
		await editor().openNode(NODE);
		await editor().addTypedField('customer.id', 'String', '={{ $json.contactId }}');
		await editor().addTypedField('customer.city', 'String', '={{ $json.city }}');
		await editor().addTypedField('amount', 'Number', '={{ $json.paid }}');
		await editor().addTypedField('reminder', 'Number', '2');
		await editor().runNode('doc-1');
		expect(
			real()
				.sandbox.journal.documents()
				.map(({ body }) => body),
		).toEqual([{ customer: { id: '42', city: 'Ghent' }, amount: 80.5, reminder: 2 }]);
		await editor().takeScreenshots('typed-fields');
	});
}
