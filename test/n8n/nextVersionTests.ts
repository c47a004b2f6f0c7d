// n8n 3 ahead of its release: the behaviour that n8n 2.41 can already switch on, and its own migration report.
import type { RealN8n } from './realN8n';
import { inARow, node, startWith } from './workflows';

/** What n8n 3 will set by default, recommend or enforce, apart from queue mode. */
export const NEXT_VERSION_SETTINGS = {
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 * 1024),
	N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
	N8N_WORKFLOW_CALLER_POLICY_DEFAULT_OPTION: 'workflowsFromSameOwner',
	// The sandbox is on this computer.
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_BLOCKED_IP_RANGES: '10.0.0.0/8,127.0.0.0/8,100.64.0.0/10,64:ff9b::/96,2002::/16',
	N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
};

/** Call it last: the migration report covers the workflows that all other tests have saved. */
export function nextVersionTests(real: () => RealN8n): void {
	test('a request to a blocked address is not sent, and the error says how to allow the address', async () => {
		const { client, sandbox } = real();
		const blocked = { baseUrl: 'https://100.64.0.1/', apiKey: sandbox.apiKey };
		const businessDataApi = await real().saveCredentialFor('Blocked', blocked);
		const nodes = [
			...startWith([{ id: 1 }]),
			node('Read', 'n8n-nodes-business-data.businessData', 1, { options: {} }),
		];
		const workflow = await real().save(inARow('Blocked', nodes), { businessDataApi });
		const { error } = await client.runWorkflow(workflow, 'Start');
		const tested = await client.testCredential(businessDataApi);
		for (const message of [error, tested.message]) {
			expect(message).toContain("n8n's policy for outgoing requests does not allow the address");
			expect(message).toContain('nothing reached the service');
			expect(message).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
		}
	});

	// These rules are about the installation, not about the package.
	const OF_THE_INSTALLATION = ['docker-only-deployment-v3', 'workflow-import-url-removed-v3'];

	test("n8n's migration report finds nothing to change in settings and workflows", async () => {
		const { instanceResults, workflowResults } = await real().client.readMigrationReport('v3');
		const ofSettings = instanceResults.filter(
			({ ruleId }) => !OF_THE_INSTALLATION.includes(ruleId),
		);
		// An empty list would mean that there is no report.
		expect(instanceResults).not.toEqual([]);
		expect(ofSettings).toEqual([]);
		expect(workflowResults).toEqual([]);
	});
}
