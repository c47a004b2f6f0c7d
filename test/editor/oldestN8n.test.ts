// The editor of the oldest n8n that is supported, where what it makes of a description could differ from the
// newest. Build the package before.
import type { Browser } from 'playwright-core';

import { useRealN8n } from '../n8n/useRealN8n';
import { inARow, node, startWith } from '../n8n/workflows';
import { openBrowser, openPage } from './browser';
import { Editor } from './editor';

const NODE = 'Business Data';

const real = useRealN8n('n8n-1');
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	browser = await openBrowser();
	editor = new Editor(await openPage(browser), real().url);
	await editor.signIn(real().owner);
	const fields = [
		{ id: 'customer', name: 'customer.id', type: 'string', value: '={{ $json.contactId }}' },
		{ id: 'amount', name: 'amount', type: 'number', value: '={{ $json.paid }}' },
	];
	const send = node(NODE, 'n8n-nodes-business-data.businessData', 1, {
		...{
			resource: 'payment',
			operation: 'send',
			assignments: { assignments: fields },
			options: {},
		},
	});
	const document = { contactId: 42, paid: 80.5 };
	const saved = await real().save(inARow('Fields', [...startWith([document]), send]));
	await editor.openWorkflow(saved.id);
	await editor.openNode(NODE);
}, 60_000);

afterAll(async () => await browser?.close());

test('fields to send have types, and go out with them', async () => {
	real().sandbox.reset();
	await editor.runNode('doc-1');
	expect(
		real()
			.sandbox.journal.documents()
			.map(({ body }) => body),
	).toEqual([{ customer: { id: '42' }, amount: 80.5 }]);
	await editor.takeScreenshots('oldest-n8n');
});

test.each([
	['resource', ['API Request', 'Contact', 'Payment', 'Rate Limit', 'Sent Document', 'Transaction']],
	['operation', ['Send']],
])('the list of the %s has no "Custom API Call"', async (field, entries) => {
	const shown = await editor.openList(field);
	expect(shown.map(({ label }) => label)).toEqual(entries);
	await editor.page.keyboard.press('Escape');
});
