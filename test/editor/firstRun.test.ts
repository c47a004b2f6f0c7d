// What a person meets first where the setup is not complete: no credential, and a queue mode whose processes share no Redis.
import type { Browser } from 'playwright-core';

import { useRealN8n } from '../n8n/useRealN8n';
import { RedisServer } from '../support/redisServer';
import { openBrowser, openPage } from './browser';
import { Editor } from './editor';

const queueMode = {
	EXECUTIONS_MODE: 'queue',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'false',
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: '',
};
let redis: RedisServer;
beforeAll(async () => {
	redis = await RedisServer.start();
	queueMode.QUEUE_BULL_REDIS_PORT = String(redis.port);
});
const real = useRealN8n('n8n-2', queueMode);
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	browser = await openBrowser();
	editor = new Editor(await openPage(browser), real().url);
	await editor.signIn(real().owner);
}, 60_000);
afterAll(async () => {
	await browser?.close();
	await redis?.dispose();
});

async function openNode(): Promise<void> {
	await editor.openNewWorkflow();
	await editor.addNode('Manual Trigger');
	await editor.addAndOpenNode('Business Data', 'Get many contacts');
}

test('a hint says that the processes of queue mode do not share the limits', async () => {
	await openNode();
	const output = await editor.runNode(/n8n runs in queue mode/);
	expect(output).toContain('Choose Redis under Count Limits In in the credential.');
	await editor.takeScreenshots('queue-mode');
});

test('without a credential, the node asks for one', async () => {
	await real().client.deleteCredential(real().credentialId);
	await openNode();
	await editor.runNode('Node does not have any credentials set');
	const credential = editor.marked('node-credentials-select', editor.parameters);
	expect(await credential.count()).toBe(0);
	await editor.takeScreenshots('no-credential');
});
