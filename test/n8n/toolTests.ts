// The node as a tool, with Retry On Fail: n8n runs it again after a failure, and passes some tools no abort signal.
// Nothing is sent twice, and each call gets its own response.
import { startChatModel } from '../support/chatModel';
import { connectToMcp, type McpClient, textOf } from '../support/mcpClient';
import type { RealN8n } from './realN8n';
import { node, readExample, sentBy } from './workflows';

const ACTS_WITH_500 = { type: 'status', status: 500, act: true } as const;
const RETRYING = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
/** The older version calls its tools itself, the newer one lets n8n's engine run them. */
const AGENT_VERSIONS = [2.2, 3];
const TOOL = 'Send_document';
/** The tool in the example with an agent; here it sends. */
const LOOK_UP = 'Look up contacts';

const tool = (name: string) =>
	node(
		name,
		'n8n-nodes-business-data.businessDataTool',
		1,
		{
			descriptionType: 'manual',
			toolDescription: 'Sends a document to a customer.',
			resource: 'transaction',
			operation: 'send',
			dataMode: 'json',
			jsonBody: `={{ { "number": $fromAI('number', 'Its number', 'number') } }}`,
			options: { timeout: 5 },
		},
		RETRYING,
	);

export function toolTests(real: () => RealN8n): void {
	const sent = () => sentBy(real().sandbox);

	describe.each(AGENT_VERSIONS)('of an agent of version %d', (version) => {
		/** Lets the agent send one document. Returns the tool's response to the model, and the error that a user sees. */
		async function sendByAgent(name: string) {
			const { client } = real();
			const model = await startChatModel([
				{ tool: LOOK_UP.replaceAll(' ', '_'), parameters: { number: 1 } },
				{ text: 'Done.' },
			]);
			try {
				const credentialIds = await real().saveModel(model, `Model account, ${name}`);
				const example = readExample('contact-lookup-agent');
				const nodes = example.nodes.map((one) => {
					if (one.name === LOOK_UP) return tool(LOOK_UP);
					return one.type.endsWith('.agent') ? { ...one, typeVersion: version } : one;
				});
				const workflow = await real().save({ ...example, name, nodes }, credentialIds);
				const message = { sessionId: name, action: 'sendMessage', chatInput: 'Send it.' };
				const id = await client.startWorkflow(workflow, 'When a question comes in', [message]);
				const result = await client.waitForExecution(id);
				const response = model.requests.at(-1)?.messages.at(-1)?.content;
				return { response, error: result.nodes.find(({ name }) => name === LOOK_UP)?.error };
			} finally {
				await model.stop();
			}
		}

		test('does not send again after a 500 that may have sent the document', async () => {
			real().sandbox.fault({ times: 3, action: ACTS_WITH_500 });
			const { response, error } = await sendByAgent(`500 ${version}`);
			expect(sent()).toEqual([{ number: 1 }]);
			// With the newer agent, n8n 1.x ends the execution with the error of the tool.
			const output = version < 3 ? response : [response, error].join();
			expect(output).toContain('The service answered 500');
			expect(output).toContain('a document may have been sent');
		});

		test('is retried after a refusal, and sends the document once', async () => {
			real().sandbox.fault({ action: { type: 'status', status: 400 } });
			const { response } = await sendByAgent(`400 ${version}`);
			expect(sent()).toEqual([{ number: 1 }]);
			expect(response).toContain('doc-1');
		});
	});

	describe('behind an MCP trigger', () => {
		const path = 'documents-tool';
		let clients: McpClient[];

		beforeAll(async () => {
			const trigger = node(
				'MCP',
				'@n8n/n8n-nodes-langchain.mcpTrigger',
				2,
				{ path },
				{ webhookId: path },
			);
			const workflow = await real().save({
				name: 'A tool behind an MCP trigger',
				nodes: [trigger, tool(TOOL)],
				connections: { [TOOL]: { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] } },
				settings: { executionOrder: 'v1' },
			});
			await real().client.publishWorkflow(workflow.id);
			const connect = async () =>
				await connectToMcp(real().host.modulesFolder, `${real().url}/mcp/${path}`);
			clients = [await connect(), await connect()];
		});
		afterAll(async () => {
			for (const client of clients) await client.close();
		});
		const callTool = async (number: number) =>
			await textOf(clients[number > 2 ? 1 : 0] as McpClient, TOOL, { number });

		test('does not send again after a 500 that may have sent the document', async () => {
			real().sandbox.fault({ times: 3, action: ACTS_WITH_500 });
			const response = await callTool(1);
			expect(sent()).toEqual([{ number: 1 }]);
			// n8n marks a thrown error with this prefix.
			expect(response).toContain('Error: The service answered 500');
		});

		test('concurrent calls each get their own response, even if some are refused at first', async () => {
			real().sandbox.fault({ times: 2, action: { type: 'status', status: 400 } });
			const numbers = [1, 2, 3, 4];
			const responses = await Promise.all(numbers.map(callTool));
			const documents = real().sandbox.journal.documents();
			expect(documents).toHaveLength(numbers.length);
			for (const [index, number] of numbers.entries()) {
				const own = documents.find(({ body }) => (body as { number: number }).number === number);
				expect(responses[index]).toContain(`"${own?.id}"`);
			}
		});
	});
}
