// Saves the demo workflow in a running n8n, and runs it against the sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../host/executionData';
import type { N8nClient } from '../host/n8nClient';
import type { SavedWorkflow, Workflow } from '../host/n8nTypes';

const CREDENTIAL_TYPE = 'businessDataApi';
const CREDENTIAL_NAME = 'Business Data demo';
const TRIGGER_NAME = 'Start';

/** The number of contacts in the sandbox: enough for three requests of a bulk deletion. */
export const DEMO_CONTACT_COUNT = 250;

/** The published workflow, which can be imported into any n8n. */
function readDemoWorkflow(): Workflow {
	const file = join(__dirname, '..', '..', 'examples', 'demo.workflow.json');
	return JSON.parse(readFileSync(file, 'utf8')) as Workflow;
}

/** The workflow with a saved credential in every node that needs one. */
function withCredential(workflow: Workflow, id: string): Workflow {
	const credentials = { [CREDENTIAL_TYPE]: { id, name: CREDENTIAL_NAME } };
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.credentials?.[CREDENTIAL_TYPE] === undefined ? node : { ...node, credentials },
		),
	};
}

/** Saves the credential for the sandbox and the demo workflow. Replaces those of a previous start. */
export async function saveDemo(client: N8nClient, sandbox: Sandbox): Promise<SavedWorkflow> {
	const credentialId = await client.saveCredential({
		name: CREDENTIAL_NAME,
		type: CREDENTIAL_TYPE,
		data: {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.apiKey,
			limitStore: 'memory',
			customize: false,
		},
	});
	return await client.saveWorkflow(withCredential(readDemoWorkflow(), credentialId));
}

/** Runs the demo workflow once and waits for its end. */
export async function runDemo(
	client: N8nClient,
	workflow: SavedWorkflow,
): Promise<ExecutionResult> {
	return await client.runWorkflow(workflow, TRIGGER_NAME);
}
