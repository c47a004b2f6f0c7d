// The example with an AI agent, which uses the node as its tool. A scripted stand-in replaces the model.
import { type ChatModel, startChatModel } from '../support/chatModel';
import { itemsOf, type RealN8n } from './realN8n';
import { readExample } from './workflows';

const QUESTION = 'Which contacts are in Berlin?';
const RESPONSE = 'One contact is in Berlin: Contact 1.';
const CONTACTS_TO_READ = 3;

export function agentTests(real: () => RealN8n): void {
	let model: ChatModel;

	beforeAll(async () => {
		model = await startChatModel([
			{ tool: 'Look_up_contacts', parameters: { limit: CONTACTS_TO_READ } },
			{ text: RESPONSE },
		]);
	});

	afterAll(async () => await model.stop());

	test('contact-lookup-agent: the agent reads contacts with the node as its tool', async () => {
		const { client, sandbox } = real();
		const credentialIds = await real().saveModel(model, 'Model account');
		const workflow = await real().save(readExample('contact-lookup-agent'), credentialIds);
		const message = { sessionId: 'session', action: 'sendMessage', chatInput: QUESTION };
		const executionId = await client.startWorkflow(workflow, 'When a question comes in', [message]);
		const result = await client.waitForExecution(executionId);
		expect(result).toMatchObject({ status: 'success' });
		expect(itemsOf(result, 'Answer about contacts')).toEqual([{ output: RESPONSE }]);

		const [asked, reported] = model.requests;
		expect(model.requests).toHaveLength(2);
		expect(asked?.messages.at(-1)).toEqual({ role: 'user', content: QUESTION });
		const offered = asked?.tools?.map((tool) => tool.function);
		expect(offered).toMatchObject([
			{
				name: 'Look_up_contacts',
				description: expect.stringContaining('Reads the contacts of the business') as string,
				parameters: { properties: { limit: { type: 'number' } } },
			},
		]);
		// The model got the contacts of the service, as many as it had asked for.
		const contacts = sandbox.contacts.list().slice(0, CONTACTS_TO_READ);
		expect(reported?.messages.at(-1)?.role).toBe('tool');
		expect(JSON.parse(String(reported?.messages.at(-1)?.content))).toEqual(contacts);
		expect(sandbox.journal.summary().byEndpoint).toEqual({ 'GET /masterdata/getContacts': 1 });
	});
}
