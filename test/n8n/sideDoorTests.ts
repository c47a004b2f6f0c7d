// Ways past the node to the service: n8n's own HTTP Request node with our credential, and the entry "Custom
// API Call" that leads there.
import type { SavedWorkflow, WorkflowNode } from '../../scripts/host/n8nTypes';
import { credentialFor } from '../support/scaledLimits';
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, node, startWith } from './workflows';

const HTTP_REQUEST = 'HTTP Request';
const CONTACTS = 'GET /masterdata/getContacts';
const CUSTOM_API_CALL = { name: 'Custom API Call', value: '__CUSTOM_API_CALL__' };

/** An HTTP Request node with our credential, which sends the key to the address that its user enters. */
function httpRequest(real: RealN8n): WorkflowNode {
	return {
		...node(HTTP_REQUEST, 'n8n-nodes-base.httpRequest', 4.2, {
			url: `${real.sandbox.baseUrl}/masterdata/getContacts`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'businessDataApi',
			options: {},
		}),
		credentials: { businessDataApi: { id: null, name: '' } },
	};
}

async function saveHttpRequest(real: RealN8n, name: string): Promise<SavedWorkflow> {
	return await real.save(inARow(name, [...startWith([{}]), httpRequest(real)]));
}

/** No list of ours has "Custom API Call", while n8n adds it to those of others. */
export function customApiCallTests(real: () => RealN8n): void {
	test('no list of resources or operations has "Custom API Call"', async () => {
		const types = await real().client.readNodeTypes();
		const listsOf = (name: string) =>
			types
				.filter((type) => type.name === name)
				.flatMap(({ properties }) => properties)
				.filter((property) => property.name === 'resource' || property.name === 'operation')
				.map(({ options }) => options);
		for (const name of ['businessData', 'businessDataTool']) {
			const lists = listsOf(`n8n-nodes-business-data.${name}`);
			expect(lists).toHaveLength(7);
			expect(lists.flat()).not.toContainEqual(CUSTOM_API_CALL);
		}
		expect(listsOf('n8n-nodes-base.stripe').flat()).toContainEqual(CUSTOM_API_CALL);
	});
}

/** In n8n 2.x only our nodes can use the credential. */
export function restrictionTests(real: () => RealN8n): void {
	beforeEach(() => real().sandbox.reset());

	test('the HTTP Request node cannot be saved with it, as a tool neither', async () => {
		const refusal = 'cannot use credential type \\"businessDataApi\\" — it is restricted to: ';
		await expect(saveHttpRequest(real(), 'New with HTTP Request')).rejects.toMatchObject({
			status: 400,
			message: expect.stringContaining(refusal) as string,
		});
		const existing = await real().save(inARow('Existing', startWith([{}])));
		await expect(saveHttpRequest(real(), 'Existing')).rejects.toMatchObject({ status: 400 });
		expect((await real().client.readWorkflow(existing.id)).nodes).toHaveLength(3);
		const tool = { ...httpRequest(real()), type: 'n8n-nodes-base.httpRequestTool' };
		const withTool = inARow('New with tool', [...startWith([{}]), tool]);
		await expect(real().save(withTool)).rejects.toMatchObject({
			status: 400,
			message: expect.stringContaining('n8n-nodes-business-data.businessDataTrigger') as string,
		});
	});
}

/** n8n 1.x does not know the restriction, and has a setting of its own that helps. SECURITY.md says so. */
export function noRestrictionTests(real: () => RealN8n): void {
	test.each([
		['All', 'success', 2],
		['None', 'error', 1],
	])(
		'with Allowed HTTP Request Domains: %s, the HTTP Request node ends in %s',
		async (domains, status, requests) => {
			const { client, sandbox } = real();
			sandbox.reset();
			const businessDataApi = await client.saveCredential({
				name: `Domains: ${domains}`,
				type: 'businessDataApi',
				data: { ...credentialFor(sandbox), allowedHttpRequestDomains: domains.toLowerCase() },
			});
			const parameters = { resource: 'contact', operation: 'getMany', limit: 1, options: {} };
			const read = node('Read', 'n8n-nodes-business-data.businessData', 1, parameters);
			const nodes = [...startWith([{}]), read, httpRequest(real())];
			const workflow = await real().save(inARow(`Domains: ${domains}`, nodes), { businessDataApi });
			const result = await client.runWorkflow(workflow, 'Start', 60);
			expect(itemsOf(result, 'Read')).toHaveLength(1);
			expect(result).toMatchObject({ status });
			expect(sandbox.journal.summary().byEndpoint).toEqual({ [CONTACTS]: requests });
		},
	);
}
