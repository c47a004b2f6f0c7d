// How a process remembers the runs it has begun; `workerDied` tests what that prevents.

import type { IExecuteFunctions } from 'n8n-workflow';

import type * as Guard from '../../../nodes/BusinessData/sendOnce/rerunGuard';
import { store as mockStore } from '../../explorer/sendOnceOrders';
import { loadAgain } from '../../support/loadAgain';

jest.mock('n8n-core', () => mockStore.core);
jest.mock('../../../nodes/BusinessData/n8nInternals/services', () => ({
	...jest.requireActual<object>('../../../nodes/BusinessData/n8nInternals/services'),
	runsAgainAfterCrash: () => true,
}));
beforeAll(async () => await mockStore.load());
beforeEach(() => mockStore.clear());

/** As after an update of the package. */
const loadedAgain = () => loadAgain<typeof Guard>('sendOnce/rerunGuard');

function newProcess(): typeof Guard {
	Reflect.deleteProperty(globalThis, Symbol.for('n8n-nodes-business-data/process/1'));
	return loadedAgain();
}

const inLoop = (runIndex: number) =>
	({
		getNode: () => ({ id: 'node', name: 'Send' }),
		getWorkflow: () => ({ id: 'w' }),
		getExecutionId: () => '1',
		evaluateExpression: () => runIndex,
	}) as unknown as IExecuteFunctions;

test('the first run of a loop is remembered for thousands of runs', async () => {
	const { guardRun } = newProcess();
	for (let runIndex = 0; runIndex < 3_000; runIndex++) await guardRun(inLoop(runIndex));
	await expect(newProcess().guardRun(inLoop(0))).rejects.toThrow('its worker has died or hung');
});

test('an update of the package between two attempts does not count as another process', async () => {
	await loadedAgain().guardRun(inLoop(0));
	await expect(loadedAgain().guardRun(inLoop(0))).resolves.toBeDefined();
});
