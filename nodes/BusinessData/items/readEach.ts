/** Runs reads for many items at once, as the limits let them, with the results in input order. */
import type { INodeExecutionData } from 'n8n-workflow';

import { errorItem, toNodeError } from '../run/itemErrors';
import { reportDuring } from '../run/progress';
import type { Run } from '../run/run';

/**
 * Enough to fill the shortest documented window twice: slots are held for a second after the response,
 * so no more than ten requests are ever under way, and the rest only wait in line.
 */
const READS_AT_ONCE = 20;

/**
 * Calls `read` for every item. The first error ends the run, unless the node continues on error.
 * @throws a node error that names its item
 */
export async function readEach(
	run: Run,
	read: (itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const outputs: INodeExecutionData[][] = run.items.map(() => []);
	const indexes = run.items.keys();
	let done = 0;
	const readOnAndOn = async () => {
		for (const index of indexes) {
			outputs[index] = await itemOrError(run, index, read);
			done++;
			await run.yieldToEventLoop();
		}
	};
	const readAll = async () => {
		const count = Math.min(READS_AT_ONCE, run.items.length);
		await Promise.all(Array.from({ length: count }, readOnAndOn));
	};
	const describe = () => `${done} of ${run.items.length} done`;
	run.describeProgress = () => [`${describe()}.`];
	await reportDuring(run, describe, readAll);
	return outputs.flat();
}

/**
 * The output of an item, or its error where the node continues on error.
 * @throws a node error that names the item
 */
export async function itemOrError(
	run: Run,
	index: number,
	execute: (itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	try {
		return await execute(index);
	} catch (error) {
		const nodeError = toNodeError(run.context.getNode(), error, index);
		if (!run.continuesOnError || run.isCanceled) throw nodeError;
		return [errorItem(run.items[index], nodeError, index)];
	}
}
