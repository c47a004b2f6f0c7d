// n8n's AI builder finds the nodes by a user's words, reads how to fill in their parameters, and builds a workflow
// that runs. There is no model: the test calls n8n's own builder tools.
import { N8nConnection } from '../../scripts/host/n8nConnection';
import { connectToMcp, type McpClient, textOf } from '../support/mcpClient';
import type { RealN8n } from './realN8n';
import { sentBy } from './workflows';

const NODE = 'n8n-nodes-business-data.businessData';
const TRIGGER = 'n8n-nodes-business-data.businessDataTrigger';

/** The node types in a response of the search. */
function foundIn(response: string): string[] {
	return [...response.matchAll(/^- (\S+\.\w+)/gm)].map(([, type = '']) => type);
}

/** The code of a pattern, from a comment in the type definition. */
function patternIn(definition: string, title: string): string {
	const [, lines = ''] = definition.split(`<pattern title="${title}">`);
	const [code = ''] = lines.split('</pattern>');
	return code.replace(/^\s*\* ?/gm, '');
}

/** Enables n8n's own MCP server, and connects to it with the owner's key. */
async function connect({ host, url, owner: { email, password } }: RealN8n): Promise<McpClient> {
	const connection = new N8nConnection(url);
	await connection.request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	await connection.request('PATCH', '/rest/mcp/settings', { mcpAccessEnabled: true });
	const path = '/rest/mcp/api-key';
	const { apiKey } = await connection.request<{ apiKey: string }>('GET', path);
	const headers = { authorization: `Bearer ${apiKey}` };
	return await connectToMcp(host.modulesFolder, `${url}/mcp-server/http`, headers);
}

export function builderTests(real: () => RealN8n): void {
	let builder: McpClient;
	beforeAll(async () => {
		builder = await connect(real());
	});
	afterAll(async () => await builder.close());

	test.each([
		['bookkeeping', NODE],
		['send invoice', NODE],
		['payment reminder', NODE],
		['bulk delete contacts', NODE],
		['accounting', NODE],
		['bookkeeping contact changes', TRIGGER],
	])('searching "%s" finds the node %s', async (query, type) => {
		expect(foundIn(await textOf(builder, 'search_nodes', { queries: [query] }))).toContain(type);
	});

	test('the search returns the builder hints of the node and of its operations', async () => {
		const response = await textOf(builder, 'search_nodes', { queries: ['bookkeeping'] });
		const ofNode = response.slice(response.indexOf(`- ${NODE}\n`)).split('\n- ')[0] ?? '';
		expect(ofNode).toContain('It waits for the limits by itself');
		expect(ofNode.match(/@builderHint Each item goes out to a customer/g)).toHaveLength(3);
		expect(ofNode.match(/@builderHint Deletes the records of all input items/g)).toHaveLength(2);
		expect(ofNode).toContain(TRIGGER);
	});

	test('a workflow built from the pattern in the type definition sends the document', async () => {
		const { client, sandbox } = real();
		const nodeIds = [{ nodeId: NODE, resource: 'transaction', operation: 'send' }];
		const definition = await textOf(builder, 'get_node_types', { nodeIds });
		expect(definition).toContain('@builderHint Entries are { id, name, type, value }.');
		const title = 'Send one document per item, each once, with typed fields';
		const invoice = { invoiceNumber: '2026-0001', amount: 80.5, contactId: 7 };
		const code = `import { expr, node, trigger, workflow } from '@n8n/workflow-sdk';
const start = trigger({ type: 'n8n-nodes-base.manualTrigger', version: 1, config: { name: 'Start' } });
const invoices = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: { name: 'Invoices', parameters: { mode: 'raw', jsonOutput: '${JSON.stringify(invoice)}' } },
});
${patternIn(definition, title)}
export default workflow('built', 'Built').add(start).to(invoices).to(sendDocument);`;
		const { structuredContent } = await builder.callTool({
			name: 'create_workflow_from_code',
			arguments: { code, description: 'Sends an invoice', versionName: 'First' },
		});
		const created = structuredContent as { workflowId?: string; warnings?: unknown[] };
		expect(created).toMatchObject({ workflowId: expect.any(String) as string });
		expect(created.warnings ?? []).toEqual([]);
		const workflow = await client.readWorkflow(String(created.workflowId));
		await real().run(await real().save(workflow));
		expect(sentBy(sandbox)).toEqual([
			{ invoiceNumber: '2026-0001', amount: 80.5, customer: { id: '7' } },
		]);
	});
}
