// n8n 3 ahead of time: what n8n 2.41 can already do as n8n 3 will, and what its own report says of it.
import type { RealN8n } from './realN8n';
import { inARow, node, startWith } from './workflows';

/** The settings that n8n 3 sets by itself, asks for, or leaves no choice of, but for those of queue mode. */
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

/** To be called when the workflows of the other tests are saved, because the report is about all of them. */
export function nextVersionTests(real: () => RealN8n): void {
	test('a request to a blocked address is not sent, and the error says how to allow it', async () => {
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

	// Where this n8n runs, and where workflows are shared, is not the package's.
	const OF_THE_INSTALLATION = ['docker-only-deployment-v3', 'workflow-import-url-removed-v3'];

	test("n8n's own report finds nothing in the settings and the workflows that n8n 3 will change", async () => {
		const { instanceResults, workflowResults } = await real().client.readMigrationReport('v3');
		const ofSettings = instanceResults.filter(
			({ ruleId }) => !OF_THE_INSTALLATION.includes(ruleId),
		);
		// Otherwise the report was not made.
		expect(instanceResults).not.toEqual([]);
		expect(ofSettings).toEqual([]);
		expect(workflowResults).toEqual([]);
	});
}
