// The tests in a real n8n, in the oldest n8n that is supported. Build the package before.
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

test('the demo workflow: everything comes through', async () => {
	const { client } = real();
	const sandbox = await startSandbox({ contactCount: DEMO_CONTACT_COUNT, windowMode: 'both' });
	try {
		const execution = await runDemo(client, await saveDemo(client, sandbox));
		expect(findProblems(execution, sandbox)).toEqual([]);
	} finally {
		await sandbox.stop();
	}
});

describe('sending once', () => sendingTests(real));
describe('waiting for room', () => parkingTests(real, false));
describe('the node as a tool', () => toolTests(real));
describe('the example', () => exampleTests(real));
// n8n 1.x loses the status before it looks for the credential's own message.
describe('the installed package', () => installationTests(real));
