/** The IDs of all input items, each counted once, in batches. */
import type { INodeExecutionData } from 'n8n-workflow';

import { type Id, nameOfId, readIds } from '../parameters/ids';
import type { Run } from '../run/run';
import { outputOrErrors } from './runTasks';

/** What goes into one request. */
export interface Batch {
	ids: Id[];
	/** Indexes of the input items that name them, in order. */
	items: number[];
}

/**
 * The batches of at most `size` IDs, and the error items of those input items that name no usable ID.
 * @throws a node error instead, unless the node continues on error
 */
export async function readBatches(
	run: Run,
	size: number,
): Promise<{ batches: Batch[]; errors: INodeExecutionData[] }> {
	const itemsById = new Map<string, { id: Id; items: number[] }>();
	const errors: INodeExecutionData[] = [];
	for (const index of run.items.keys()) {
		const collect = () => {
			for (const id of readIds(run.parameter('ids', index))) {
				const name = nameOfId(id);
				const entry = itemsById.get(name);
				if (entry === undefined) itemsById.set(name, { id, items: [index] });
				else if (entry.items.at(-1) !== index) entry.items.push(index);
			}
			return [];
		};
		errors.push(...(await outputOrErrors(run, [index], collect)));
		await run.yieldToEventLoop();
	}
	const entries = [...itemsById.values()];
	const batches: Batch[] = [];
	for (let start = 0; start < entries.length; start += size) {
		const own = entries.slice(start, start + size);
		const items = new Set(own.flatMap((entry) => entry.items));
		batches.push({ ids: own.map(({ id }) => id), items: [...items].sort((a, b) => a - b) });
	}
	return { batches, errors };
}
