// Tests of test/n8n in the oldest supported n8n. Build the package before.
import { startSandbox } from '../../sandbox/server';
import { findProblems } from '../../scripts/demo/demoCheck';
import { DEMO_CONTACT_COUNT, runDemo, saveDemo } from '../../scripts/demo/demoWorkflow';
import { exampleTests } from '../n8n/exampleTests';
import { installationTests } from '../n8n/installationTests';
import { parkingTests } from '../n8n/parkingTests';
import { WITH_EDITOR } from '../n8n/realN8n';
import { sendingTests } from '../n8n/sendingTests';
import { toolTests } from '../n8n/toolTests';
import { useRealN8n } from '../n8n/useRealN8n';

const real = useRealN8n('n8n-1', WITH_EDITOR);

test('the demo workflow succeeds for all its items', async () => {
	const { client } = real();
	const sandbox = await startSandbox({ contactCount: DEMO_CONTACT_COUNT, windowMode: 'both' });
	try {
		const execution = await runDemo(client, await saveDemo(client, sandbox));
		expect(findProblems(execution, sandbox)).toEqual([]);
	} finally {
		await sandbox.stop();
	}
});

describe('Send Once', () => sendingTests(real));
describe('Wait for Room', () => parkingTests(real, false));
describe('the node as the tool', () => toolTests(real));
describe('the example workflow', () => exampleTests(real));
// n8n 1.x drops the status code before it looks up the credential's own error message.
describe('the installed package', () => installationTests(real));
