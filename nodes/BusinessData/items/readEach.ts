/** Runs reads for many items at once, as the limits let them, with the results in input order. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { Run } from '../run/run';
import { runTasks, type Task, type TaskKind } from './runTasks';

/**
 * Enough to fill the shortest documented window twice: slots are held for a second after the response, so no more
 * than ten requests are ever under way, and the rest only wait in line.
 */
export const READS: TaskKind = { atOnce: 20 };

/**
 * Calls `read` for every item. The first error ends the run, unless the node continues on error.
 * @throws a node error that names its item
 */
export async function readEach(
	run: Run,
	read: (itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const taskOf = (index: number): Task => ({
		items: [index],
		execute: async () => ({ output: await read(index), ending: 'done' }),
	});
	return await runTasks(run, [...run.items.keys()].map(taskOf), READS);
}
