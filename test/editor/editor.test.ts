// The node as a user sees it: in a browser, in the editor of a real n8n. Build the package before.
import type { Browser } from 'playwright-core';

import { WITH_EDITOR } from '../n8n/realN8n';
import { useRealN8n } from '../n8n/useRealN8n';
import { openBrowser, openPage } from './browser';
import { Editor } from './editor';
import { fieldTests, labelsOf } from './fieldTests';

const NODE = 'Business Data';

const real = useRealN8n('n8n-2', WITH_EDITOR);
let browser: Browser | undefined;
let editor: Editor;
beforeAll(async () => {
	browser = await openBrowser();
	editor = new Editor(await openPage(browser), real().url);
	await editor.signIn(real().owner);
});
afterAll(async () => await browser?.close());

describe('the nodes panel', () => {
	test.each(['business data', 'invoice', 'send invoice', 'delete contacts', 'payment'])(
		'finds the node by "%s"',
		async (text) => {
			await editor.openNewWorkflow();
			const found = await editor.search(text);
			expect(found.map(({ name }) => name)).toContain(NODE);
			expect(found.find(({ name }) => name === NODE)?.description).toMatch(/bookkeeping service/);
			await editor.takeScreenshots(`nodes-panel-${text.replace(' ', '-')}`);
		},
	);
});

describe('the credential', () => {
	const WRONG_KEY = '0123456789abcdef'.repeat(4);

	test('shows the required fields, and further fields only where they apply', async () => {
		await editor.openNewWorkflow();
		await editor.addNode('Manual Trigger');
		await editor.addAndOpenNode(NODE, 'Get many contacts');
		await editor.openNewCredential();
		const usual = ['Base URL *', 'API Key *', 'Count Limits In', 'Customize for This Installation'];
		const shown = async () => labelsOf(await editor.shownCredentialFields());
		expect((await shown()).slice(0, 4)).toEqual(usual);
		await editor.takeScreenshots('credential');

		await editor.choose('limitStore', 'Redis');
		const redis = ['Host', 'Port', 'User', 'Password', 'Database', 'TLS'];
		expect(await shown()).toEqual(expect.arrayContaining(redis.map((name) => `Redis ${name}`)));
		await editor.takeScreenshots('credential-redis');
		await editor.choose('limitStore', 'This n8n Process');
		expect((await shown()).slice(0, 4)).toEqual(usual);
	});

	test('shows the possible causes of a 401 when it is tested', async () => {
		await editor.fillInCredential('baseUrl', real().sandbox.baseUrl);
		await editor.fillInCredential('apiKey', WRONG_KEY);
		const result = await editor.saveCredential();
		expect(result).toContain('API Key: The service answered 401 Unauthorized');
		expect(result).toContain('Four causes are possible: ');
		expect(result).toContain('it has exactly 64 characters, 0–9 and a–f');
		await editor.takeScreenshots('credential-401');
		await editor.closeCredential();
	});

	test('is accepted with the right API key', async () => {
		await editor.openCredential();
		await editor.fillInCredential('apiKey', real().sandbox.apiKey);
		expect(await editor.saveCredential()).toContain('Connection tested successfully');
		await editor.takeScreenshots('credential-accepted');
		await editor.closeCredential();
	});
});

describe('a run', () => {
	test('shows the output items', async () => {
		const output = await editor.runNode('contact-12@example.com');
		expect(output).toContain('12 items');
		await editor.takeScreenshots('items');
	});

	test('shows a hint with possible reasons if the list is empty', async () => {
		real().sandbox.fault({ action: { type: 'status', status: 200, body: [] } });
		expect(await editor.runNode(/The list is empty/)).toContain('belongs to the right business');
		await editor.takeScreenshots('empty-list');
	});

	test('shows an error that says what went wrong and how to fix it', async () => {
		await editor.choose('operation', 'Delete Many');
		const error = await editor.runNode('IDs: {{ $json.id }} has no value (undefined)');
		expect(error).toContain('Check the expression, and where its value comes from.');
		await editor.takeScreenshots('error-ids');
	});
});

describe('the form of the node', () => fieldTests(real, () => editor));

describe('the trigger', () => {
	const USUAL = ['Credential', 'Poll Times', 'Mode', 'Source'];

	test('can be found, shows its fields and fetches a test event', async () => {
		await editor.openNewWorkflow();
		await editor.addAndOpenNode(NODE, 'On contact updated');
		expect(labelsOf(await editor.shownFields())).toEqual([
			...USUAL,
			...['Events', 'ID Field', 'Options'],
		]);
		const source = editor.marked('parameter-input-source').locator('input');
		expect(await source.inputValue()).toBe('Contacts');
		expect(await editor.marked('parameter-input-events').innerText()).toBe('Contact Updated');
		await editor.takeScreenshots('trigger');
		await editor.runNode('contact-1@example.com');
		await editor.takeScreenshots('trigger-event');
	});

	test('watches any list by its path', async () => {
		await editor.choose('source', 'Endpoint');
		expect(labelsOf(await editor.shownFields())).toEqual([
			...USUAL,
			...['Path', 'Events', 'ID Field', 'Options'],
		]);
		const events = await editor.marked('parameter-input-events').innerText();
		expect(events.split('\n')).toEqual(['Record Created', 'Record Updated']);
		await editor.fillIn('path', '/txndata/getPayments');
		await editor.takeScreenshots('trigger-endpoint');
		const output = await editor.runNode('payment-1');
		expect(output).toContain('recordCreated');
		await editor.takeScreenshots('trigger-endpoint-event');
	});
});

test('an AI agent can use the node as a tool', async () => {
	await editor.openNewWorkflow();
	await editor.addNode('Manual Trigger');
	await editor.addNode('AI Agent');
	const toolInput = editor.page.locator('[data-handleid="inputs/ai_tool/0"]');
	await editor.marked('canvas-handle-plus', toolInput).click();
	const found = await editor.search('bookkeeping');
	expect(found.map(({ name }) => name)).toEqual(['Business Data Tool']);
	await editor.takeScreenshots('tool-search');
	await editor.addAndOpenNode('Business Data Tool');
	expect(labelsOf(await editor.shownFields())).toEqual([
		'Credential',
		'Tool Description',
		'Resource',
		'Operation',
		'Return All',
		'Limit',
		'Options',
	]);
	await editor.takeScreenshots('tool');
	await editor.closeNode();
	await editor.takeScreenshots('tool-canvas');
});
