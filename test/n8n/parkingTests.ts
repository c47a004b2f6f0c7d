// Executions that Wait for Room has parked continue with their items after n8n was killed. Sub-workflows wait in the
// node instead, because n8n would lose some of their results.
import type { SavedWorkflow, WorkflowNode } from '../../scripts/host/n8nTypes';
import { scaledLimits } from '../support/scaledLimits';
import { itemsOf, type RealN8n } from './realN8n';
import { useLimitedSandbox } from './useRealN8n';
import { inARow, node, set, startWith } from './workflows';

const ONE_MINUTE = scaledLimits(1, 1 / 10);
/**
 * n8n must have restarted before an execution wakes, even on a busy machine: an execution that wakes while n8n looks
 * for crashed executions may count as crashed for ever.
 */
const PARKED = {
	'POST /txndata/sendTxn': { max: 3, windowSeconds: 240 },
	'POST /txndata/sendTxnWP': { max: 3, windowSeconds: 150 },
};
/** When (s) the two sub-workflows end. n8n parks both, and the second ends while their caller is parked. */
const DELAYS = [68, 100];
const LIMITS = { ...ONE_MINUTE, endpoints: { ...ONE_MINUTE.endpoints, ...PARKED } };
const DOCUMENTS = ['a', 'b', 'c'].map((id) => ({ id }));

/** @param publishesSubWorkflows whether this n8n runs only published sub-workflows */
export function parkingTests(real: () => RealN8n, publishesSubWorkflows: boolean): void {
	const limited = useLimitedSandbox(real, 'Business Data to park', LIMITS);

	const ownNode = (name: string, parameters: object) =>
		node(name, 'n8n-nodes-business-data.businessData', 1, { ...parameters });
	/** Nodes that use up a limit, wait for room, and then output the IDs of the items they have kept. */
	const waiting = (resource: string, requests = DOCUMENTS.length) => [
		ownNode('Send', { resource, operation: 'send', dataMode: 'autoMapInputData', options: {} }),
		ownNode('Wait', {
			resource: 'rateLimit',
			operation: 'waitForRoom',
			limitOf: `${resource}:send`,
			requests,
			options: { parkAfter: 2 },
		}),
		set('Woken', `={{ { "woken": $('One each').item.json.id } }}`),
	];
	const woken = DOCUMENTS.map(({ id }) => ({ woken: id }));

	/** Saves a sub-workflow of these nodes, behind a trigger of the name `first`. */
	async function saveChild(name: string, first: string, nodes: WorkflowNode[]) {
		const passthrough = { inputSource: 'passthrough' };
		const called = node(first, 'n8n-nodes-base.executeWorkflowTrigger', 1.1, passthrough);
		const child = await real().save(inARow(name, [called, ...nodes]), limited.credentialIds);
		if (publishesSubWorkflows) await real().client.publishWorkflow(child.id);
		return child;
	}
	const callForEach = ({ id }: SavedWorkflow) =>
		node('Sub-workflow', 'n8n-nodes-base.executeWorkflow', 1.2, {
			mode: 'each',
			workflowId: { __rl: true, mode: 'id', value: id },
			options: { waitForSubWorkflow: true },
		});

	test('sub-workflows called once per item wait in the node, and n8n passes on all their results', async () => {
		const { credentialIds } = limited;
		const nodes = waiting('payment', 1).slice(1);
		const child = await saveChild('Waits as a sub-workflow', 'One each', nodes);
		const parent = await real().save(
			inARow('Has a sub-workflow for each item', [
				...startWith(DOCUMENTS),
				...waiting('payment').slice(0, 1),
				set('Documents again', `={{ $('One each').item.json }}`),
				callForEach(child),
				node('Result', 'n8n-nodes-base.noOp', 1),
			]),
			credentialIds,
		);
		await expectWoken(await real().client.startWorkflow(parent, 'Start'), 'Result');
	});

	test('a parked execution continues with its items after n8n was killed', async () => {
		const { client } = real();
		const { sandbox, credentialIds } = limited;
		const workflow = await real().save(
			inARow('Parks', [...startWith(DOCUMENTS), ...waiting('transaction')]),
			credentialIds,
		);
		const before = sandbox.journal.documents().length;
		const id = await client.startWorkflow(workflow, 'Start');
		await client.waitForExecution(id, (status) => status === 'waiting');
		await real().kill();
		await real().startAgain();
		await expectWoken(id, 'Woken');
		expect(sandbox.journal.documents()).toHaveLength(before + DOCUMENTS.length);
		expect(sandbox.journal.refused()).toEqual([]);
	});

	test('a parked execution keeps its items when a sub-workflow that it has called ends', async () => {
		const { credentialIds } = limited;
		const give = (name: string, items: object[]) =>
			node(name, 'n8n-nodes-base.code', 2, {
				jsCode: `return ${JSON.stringify(items.map((json) => ({ json })))};`,
			});
		const delay = { resume: 'timeInterval', amount: '={{ $json.seconds }}', unit: 'seconds' };
		const child = await saveChild('Ends late', 'Called', [
			node('Delay', 'n8n-nodes-base.wait', 1.1, delay, { webhookId: 'ends-late' }),
			give('End', [{ id: 'of the sub-workflow' }]),
		]);
		const wp = { resource: 'transaction', operation: 'sendWp', dataMode: 'autoMapInputData' };
		const room = { resource: 'rateLimit', operation: 'waitForRoom', requests: DOCUMENTS.length };
		const parent = await real().save(
			inARow('Parks while a sub-workflow runs', [
				...startWith(DOCUMENTS),
				ownNode('Send', wp),
				give(
					'Delays',
					DELAYS.map((seconds) => ({ seconds })),
				),
				callForEach(child),
				give('Documents again', DOCUMENTS),
				ownNode('Wait', { ...room, limitOf: 'transaction:sendWp', options: { parkAfter: 2 } }),
			]),
			credentialIds,
		);
		const id = await real().client.startWorkflow(parent, 'Start');
		const result = await real().client.waitForExecution(id, (status) => status === 'success');
		expect(itemsOf(result, 'Wait')).toEqual(DOCUMENTS);
	});

	async function expectWoken(id: string, name: string): Promise<void> {
		// For a moment during startup, n8n shows parked executions as crashed.
		const result = await real().client.waitForExecution(id, (status) => status === 'success');
		expect(itemsOf(result, name)).toEqual(woken);
	}
}
