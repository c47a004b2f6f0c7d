// The node as a tool, with Retry On Fail: n8n runs it again when it fails, and gives some tools no signal
// when they are to stop. Nothing is sent twice, and each call gets its own response.
import { startChatModel } from '../support/chatModel';
import { McpClient } from '../support/mcpClient';
import type { RealN8n } from './realN8n';
import { node, sentBy } from './workflows';

const ACTS_AND_RESPONSES_500 = { type: 'status', status: 500, act: true } as const;
const RETRYING = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
/** The older calls its tools itself, the newer has n8n's engine run them. */
const AGENT_VERSIONS = [2.2, 3];
const TOOL = 'Send_document';
const QUESTION = { promptType: 'define', text: 'Send it.', options: {} };

const tool = () =>
	node(
		TOOL,
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

	beforeEach(() => real().sandbox.reset());

	describe.each(AGENT_VERSIONS)('of an agent of version %d', (version) => {
		/** Lets the agent send one document. Returns what the model was told of it, and n8n's user. */
		async function sendByAgent(name: string) {
			const { client } = real();
			const model = await startChatModel([
				{ tool: TOOL, parameters: { number: 1 } },
				{ text: 'Done.' },
			]);
			try {
				const openAiApi = await client.saveCredential({
					name: `Model account, ${name}`,
					type: 'openAiApi',
					data: model.account,
				});
				const chatModel = node('Chat model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
					model: { __rl: true, mode: 'list', value: 'gpt-5-mini' },
					options: {},
				});
				chatModel.credentials = { openAiApi: { id: null, name: '' } };
				const to = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
				const workflow = await real().save(
					{
						name: `Agent of version ${version}, ${name}`,
						nodes: [
							node('Start', 'n8n-nodes-base.manualTrigger', 1),
							node('Agent', '@n8n/n8n-nodes-langchain.agent', version, QUESTION),
							chatModel,
							tool(),
						],
						connections: {
							Start: to('main'),
							'Chat model': to('ai_languageModel'),
							[TOOL]: to('ai_tool'),
						},
						settings: { executionOrder: 'v1' },
					},
					{ openAiApi },
				);
				const result = await client.runWorkflow(workflow, 'Start');
				const response = model.requests.at(-1)?.messages.at(-1)?.content;
				return { response, error: result.nodes.find((one) => one.name === TOOL)?.error };
			} finally {
				await model.stop();
			}
		}

		test('the service acts and responds with 500: one document', async () => {
			real().sandbox.fault({ times: 3, action: ACTS_AND_RESPONSES_500 });
			const { error } = await sendByAgent('500');
			expect(sent()).toEqual([{ number: 1 }]);
			expect(error).toContain('The service answered 500');
		});

		test('the service refuses it at first: it is retried, and sent once', async () => {
			real().sandbox.fault({ action: { type: 'status', status: 400 } });
			const { response } = await sendByAgent('400');
			expect(sent()).toEqual([{ number: 1 }]);
			expect(response).toContain('doc-1');
		});
	});

	describe('behind an MCP trigger', () => {
		const path = 'documents-tool';
		let mcp: McpClient;

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
				nodes: [trigger, tool()],
				connections: { [TOOL]: { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] } },
				settings: { executionOrder: 'v1' },
			});
			await real().client.publishWorkflow(workflow.id);
			mcp = await McpClient.connect(`${real().url}/mcp/${path}`);
		});

		test('the service acts and responds with 500: one document', async () => {
			real().sandbox.fault({ times: 3, action: ACTS_AND_RESPONSES_500 });
			const response = await mcp.call(TOOL, { number: 1 });
			expect(sent()).toEqual([{ number: 1 }]);
			expect(response).toContain('The service answered 500');
		});

		test('several calls at once, some of them refused at first: each gets its own response', async () => {
			real().sandbox.fault({ times: 2, action: { type: 'status', status: 400 } });
			const other = await McpClient.connect(`${real().url}/mcp/${path}`);
			const numbers = [1, 2, 3, 4];
			const responses = await Promise.all(
				numbers.map(async (number) => await (number > 2 ? other : mcp).call(TOOL, { number })),
			);
			const documents = real().sandbox.journal.documents();
			expect(documents).toHaveLength(numbers.length);
			for (const [index, number] of numbers.entries()) {
				const own = documents.find(({ body }) => (body as { number: number }).number === number);
				expect(responses[index]).toContain(`"${own?.id}"`);
			}
		});
	});
}
