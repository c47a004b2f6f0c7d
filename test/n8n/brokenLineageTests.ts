// Behind nodes that break the lineage of items, a failed item leaves by the error output (n8n#37407).
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, node, SEND, send, startWith } from './workflows';

const code = (jsCode: string) => node('Break', 'n8n-nodes-base.code', 2, { jsCode });
const aggregate = node('Break', 'n8n-nodes-base.aggregate', 1, {
	aggregate: 'aggregateAllItemData',
	options: {},
});

export function brokenLineageTests(real: () => RealN8n): void {
	test.each([
		['Code without pairedItem', code('return [{ json: { id: 7 } }, { json: { id: 8 } }];'), 2],
		[
			'Code with a wrong pairedItem',
			code('return [7, 8].map((id) => ({ json: { id }, pairedItem: { item: id, input: 3 } }));'),
			2,
		],
		['Aggregate', aggregate, 1],
	])('a failed item leaves by the error output behind %s', async (name, breaking, count) => {
		const { client, sandbox } = real();
		sandbox.reset();
		sandbox.fault({ after: count - 1, action: { type: 'status', status: 400 } });
		const sending = send({}, { onError: 'continueErrorOutput' });
		const workflow = inARow(name, [
			...startWith([1, 2, 3].map((id) => ({ id }))),
			breaking,
			sending,
		]);
		const ends = ['Sent', 'Failed'].map((end) => node(end, 'n8n-nodes-base.noOp', 1));
		workflow.nodes.push(...ends);
		workflow.connections[SEND] = {
			main: ends.map((end) => [{ node: end.name, type: 'main', index: 0 }]),
		};
		const result = await client.runWorkflow(await real().save(workflow), 'Start', 60);
		expect(result).toMatchObject({ status: 'success' });
		expect(itemsOf(result, 'Sent')).toEqual(
			sandbox.journal.documents().map(({ id }) => ({ id, status: 'sent' })),
		);
		expect(itemsOf(result, 'Sent')).toHaveLength(count - 1);
		expect(itemsOf(result, 'Failed')).toMatchObject([
			{ error: 'The service answered 400 Bad Request: Scripted response' },
		]);
	});
}
