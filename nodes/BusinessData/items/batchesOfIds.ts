/** The IDs of all input items, each counted once, in batches. */
import type { INodeExecutionData } from 'n8n-workflow';

import { type Id, nameOfId, readIds } from '../parameters/ids';
import { errorItem, toNodeError } from '../run/itemErrors';
import type { Run } from '../run/run';

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
	const { itemsById, errors } = await collectIds(run);
	const batches = [...batchesOf(itemsById, size)].map((entries) => ({
		ids: entries.map(({ id }) => id),
		items: inOrder(entries),
	}));
	return { batches, errors };
}

/** Each ID once, with the items that name it, and the error items of those without a usable ID. */
async function collectIds(run: Run) {
	const itemsById = new Map<string, { id: Id; items: number[] }>();
	const errors: INodeExecutionData[] = [];
	for (const [index, input] of run.items.entries()) {
		try {
			for (const id of readIds(run.parameter('ids', index))) {
				const name = nameOfId(id);
				const entry = itemsById.get(name);
				if (entry === undefined) itemsById.set(name, { id, items: [index] });
				else if (entry.items.at(-1) !== index) entry.items.push(index);
			}
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, index);
			if (!run.continuesOnError) throw nodeError;
			errors.push(errorItem(input, nodeError, index));
		}
		await run.yieldToEventLoop();
	}
	return { itemsById, errors };
}

function* batchesOf<T>(entries: Map<string, T>, size: number): Generator<T[]> {
	let batch: T[] = [];
	for (const entry of entries.values()) {
		batch.push(entry);
		if (batch.length === size) {
			yield batch;
			batch = [];
		}
	}
	if (batch.length > 0) yield batch;
}

/** The items of batches, each once and in order. */
export function inOrder(batches: Array<{ items: number[] }>): number[] {
	return [...new Set(batches.flatMap(({ items }) => items))].sort((a, b) => a - b);
}
