// `npm start`: starts a real n8n with this node and the sandbox. Builds the node, installs what is missing, runs the
// demo workflow once, prints its result and leaves the editor open.
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../sandbox/server';
import type { Cleanup } from './cleanup';
import { readStartOptions, START_HELP, type StartOptions } from './commandLine';
import { findProblems } from './demo/demoCheck';
import { DEMO_CONTACT_COUNT, runDemo, saveDemo } from './demo/demoWorkflow';
import { endPrograms } from './host/childProcesses';
import { assertPortIsFree } from './host/freePort';
import { ensureHost } from './host/installN8n';
import { N8nClient } from './host/n8nClient';
import type { SavedWorkflow } from './host/n8nTypes';
import { type N8nProcess, startN8n } from './host/n8nProcess';
import { runNpm } from './host/npm';
import { installThisPackage } from './host/packPackage';
import { withProgress } from './host/progress';
import { openUserFolder, type UserFolder } from './host/userFolder';
import { runToEnd } from './runToEnd';

const PROJECT_FOLDER = join(__dirname, '..');

interface Running {
	n8n: N8nProcess;
	sandbox: Sandbox;
	userFolder: UserFolder;
}

async function startEverything(options: StartOptions, cleanup: Cleanup): Promise<Running> {
	if (options.port !== undefined) await assertPortIsFree(options.port);
	await withProgress('Building the node', () =>
		runNpm({ parameters: ['run', 'build'], folder: PROJECT_FOLDER }),
	);
	const host = await ensureHost({ version: 'n8n-2' });
	const userFolder = await openUserFolder(options['user-folder']);
	cleanup.add(async () => {
		// Keep the logs after a failure.
		if (process.exitCode === 1) console.error(`n8n's folder is kept: ${userFolder.path}`);
		else await userFolder.dispose();
	});
	// For programs that are still starting or installing when the start is interrupted.
	cleanup.add(endPrograms);
	await withProgress('Installing the packed node into n8n', () =>
		installThisPackage(userFolder.path, host),
	);
	// The kind of the service's windows is not documented; `both` refuses whatever either kind would.
	const sandbox = await startSandbox({ contactCount: DEMO_CONTACT_COUNT, windowMode: 'both' });
	cleanup.add(() => sandbox.stop());
	const n8n = await withProgress(`Starting n8n ${host.n8nVersion}`, () =>
		startN8n({ host, userFolder, port: options.port }),
	);
	cleanup.add(() => n8n.stop());
	return { n8n, sandbox, userFolder };
}

/** Runs the demo workflow and prints its result. Returns whether everything succeeded. */
async function runAndReport(
	client: N8nClient,
	workflow: SavedWorkflow,
	sandbox: Sandbox,
): Promise<boolean> {
	const execution = await withProgress(`Running the workflow "${workflow.name}"`, () =>
		runDemo(client, workflow),
	);
	const columns = execution.nodes.map(({ name, status, items, milliseconds }) => {
		return { name, status, items: items.length, milliseconds };
	});
	console.table(columns);
	const { requests, refused, documents } = sandbox.journal.summary();
	console.log(`Execution ${execution.id}: ${execution.status}`);
	console.log(`Sandbox: ${requests} requests, ${refused} refused, ${documents} documents sent`);
	const problems = findProblems(execution, sandbox);
	if (problems.length === 0) console.log('Everything came through.');
	else console.error(['Not everything came through:', ...problems].join('\n  '));
	return problems.length === 0;
}

/** Leaves the editor open until n8n ends, which it normally does not by itself. */
async function leaveOpen({ n8n, sandbox, userFolder }: Running, workflowId: string): Promise<void> {
	// Restore the deleted contacts, for further runs in the editor.
	sandbox.contacts.reset();
	const { email, password } = userFolder.owner;
	console.log(
		[
			'',
			`Editor:   ${n8n.url}/workflow/${workflowId}`,
			`E-mail:   ${email}`,
			`Password: ${password}`,
			`Sandbox:  ${sandbox.baseUrl} (its count: ${sandbox.baseUrl}/_sandbox/summary)`,
			`Log:      ${n8n.logFile}`,
			'',
			'The editor stays open. Ctrl+C ends n8n and the sandbox.',
		].join('\n'),
	);
	const { status, signal } = await n8n.ended;
	throw new Error(`n8n has ended by itself (${signal ?? `status ${status}`}): ${n8n.logFile}`);
}

async function start(options: StartOptions, cleanup: Cleanup): Promise<void> {
	const running = await startEverything(options, cleanup);
	const client = new N8nClient(running.n8n.url);
	await client.logInAsOwner(running.userFolder.owner);
	const workflow = await saveDemo(client, running.sandbox);
	const hasSucceeded = await runAndReport(client, workflow, running.sandbox);
	if (options.once) process.exitCode = hasSucceeded ? 0 : 1;
	else await leaveOpen(running, workflow.id);
}

runToEnd(async (cleanup) => {
	const options = readStartOptions(process.argv.slice(2));
	if (options.help) console.log(START_HELP);
	else await start(options, cleanup);
});
