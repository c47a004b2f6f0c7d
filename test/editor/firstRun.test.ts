// What a person meets first where the setup is not complete: no credential, and a queue mode whose processes share no Redis.
import { WITH_EDITOR } from '../n8n/realN8n';
import { useRealN8n } from '../n8n/useRealN8n';
import { RedisServer } from '../support/redisServer';
import type { Editor } from './editor';
import { useEditor } from './useEditor';

const real = useRealN8n('n8n-2', async (cleanup) => {
	const redis = await RedisServer.start();
	cleanup.add(async () => await redis.dispose());
	return {
		...WITH_EDITOR,
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'false',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
	};
});
const signedIn = useEditor(real);
let editor: Editor;
beforeAll(() => (editor = signedIn()));

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
