// Executions that Wait for Room has parked go on after n8n was killed, with their items; sub-workflows hand their
// result on, or wait in the node where n8n would lose it.
import { scaledLimits } from '../support/scaledLimits';
import { itemsOf, type RealN8n } from './realN8n';
import { useLimitedSandbox } from './useRealN8n';
import { inARow, node, startWith } from './workflows';

/**
 * Ten minutes become one. Both must be parked before one wakes, and n8n must have started again: what it wakes while it
 * looks for executions that have crashed may count as one of them for ever.
 */
const LIMITS = scaledLimits(1, 1 / 10);
const DOCUMENTS = ['a', 'b', 'c'].map((id) => ({ id }));

/** @param parksSubWorkflows whether this n8n knows how to */
export function parkingTests(real: () => RealN8n, parksSubWorkflows: boolean): void {
	const limited = useLimitedSandbox(real, 'Business Data to park', LIMITS);

	const ours = (name: string, parameters: object) =>
		node(name, 'n8n-nodes-business-data.businessData', 1, { ...parameters });
	/** Uses up the room of a kind of documents, waits for it, and tells what it has been given. */
	const waiting = (resource: string) => [
		ours('Send', { resource, operation: 'send', dataMode: 'autoMapInputData', options: {} }),
		ours('Wait', {
			...{ resource: 'rateLimit', operation: 'waitForRoom', limitOf: `${resource}:send` },
			...{ requests: DOCUMENTS.length, options: { parkAfter: 2 } },
		}),
		node('Woken', 'n8n-nodes-base.set', 3.4, {
			mode: 'raw',
			jsonOutput: `={{ { "woken": $('One each').item.json.id } }}`,
			options: {},
		}),
	];
	const woken = DOCUMENTS.map(({ id }) => ({ woken: id }));

	test('an execution and one with a sub-workflow, parked when n8n is killed', async () => {
		const { client } = real();
		const { sandbox, credentialIds } = limited;
		const [, ...documents] = startWith(DOCUMENTS);
		const passthrough = { inputSource: 'passthrough' };
		const called = node('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, passthrough);
		const child = await real().save(
			inARow('Parks as a sub-workflow', [called, ...documents, ...waiting('payment')]),
			credentialIds,
		);
		const parent = await real().save(
			inARow('Has a sub-workflow that parks', [
				node('Start', 'n8n-nodes-base.manualTrigger', 1),
				node('Sub-workflow', 'n8n-nodes-base.executeWorkflow', 1.2, {
					workflowId: { __rl: true, mode: 'id', value: child.id },
					options: {},
				}),
				node('Result', 'n8n-nodes-base.noOp', 1),
			]),
		);
		const alone = await real().save(
			inARow('Parks', [...startWith(DOCUMENTS), ...waiting('transaction')]),
			credentialIds,
		);
		if (parksSubWorkflows) await client.publishWorkflow(child.id);
		const parentId = await client.startWorkflow(parent, 'Start');
		if (!parksSubWorkflows) await expectWoken(parentId, 'Result');
		const aloneId = await client.startWorkflow(alone, 'Start');
		const parked = parksSubWorkflows ? [parentId, aloneId] : [aloneId];
		for (const id of parked) {
			await client.waitForExecution(id, (status) => status === 'waiting');
		}
		await real().kill();
		await real().startAgain();
		for (const id of parked) await expectWoken(id, id === parentId ? 'Result' : 'Woken');
		expect(sandbox.journal.documents()).toHaveLength(2 * DOCUMENTS.length);
		expect(sandbox.journal.refused()).toEqual([]);
	});

	async function expectWoken(id: string, name: string): Promise<void> {
		// For a moment of its start, n8n takes what was parked for crashed.
		const result = await real().client.waitForExecution(id, (status) => status === 'success');
		expect(itemsOf(result, name)).toEqual(woken);
	}
}
