/**
 * Sends something for each item, one after the other in item order. The first failure stops the rest,
 * unless the node continues on error, and says which items were sent, which was not, and which were
 * not tried.
 */
import type { INodeExecutionData } from 'n8n-workflow';

import { isRead, type ServiceRequest } from '../transport/serviceRequest';
import { EarlierTries } from './earlierTries';
import { errorItem, nameItems, type NodeError, toNodeError } from './itemErrors';
import type { Run } from './run';
import { SendOnce } from './sendOnce';

/**
 * @param prepare builds the request of an item; all are built before the first is sent, so that a
 * mistake in the last item leaves nothing half done
 * @param send sends it and returns the item's output
 * @throws a node error that names its item
 */
export async function sendEach<T extends ServiceRequest>(
	run: Run,
	prepare: (itemIndex: number) => T,
	send: Send<T>,
): Promise<INodeExecutionData[]> {
	const prepared = run.items.map((_, index) => tryToPrepare(run, prepare, index));
	const earlierTries = EarlierTries.of(run.context);
	const outputs: INodeExecutionData[][] = [];
	for (const [index, request] of prepared.entries()) {
		const input = run.items[index];
		if ('error' in request) {
			outputs.push([errorItem(input, request.error, index)]);
			continue;
		}
		try {
			outputs.push(
				await earlierTries.resultOf(index, async () => await sendOnce(request, index, send)),
			);
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, index);
			if (!run.continuesOnError || run.isCanceled) {
				const isSent = (item: number) => item < index || earlierTries.hasSent(item);
				throw withProgress(nodeError, index, run.items.length, isSent);
			}
			outputs.push([errorItem(input, nodeError, index)]);
		}
	}
	return outputs.flat();
}

interface Prepared<T> {
	request: T;
	guard: SendOnce | undefined;
}

type Send<T> = (request: T, itemIndex: number) => Promise<INodeExecutionData[]>;

async function sendOnce<T>(
	{ request, guard }: Prepared<T>,
	index: number,
	send: Send<T>,
): Promise<INodeExecutionData[]> {
	if (guard === undefined) return await send(request, index);
	return await guard.unlessUsed(index, async () => await send(request, index));
}

function tryToPrepare<T extends ServiceRequest>(
	run: Run,
	prepare: (itemIndex: number) => T,
	index: number,
): Prepared<T> | { error: NodeError } {
	try {
		const request = prepare(index);
		run.client.check(request);
		const guard = isRead(request) ? undefined : SendOnce.of(run, index);
		return { request: { ...request, guard }, guard };
	} catch (error) {
		const nodeError = toNodeError(run.context.getNode(), error, index);
		if (!run.continuesOnError) throw nodeError;
		return { error: nodeError };
	}
}

/** Adds to the error what became of the other items. */
function withProgress(
	error: NodeError,
	failed: number,
	count: number,
	isSent: (item: number) => boolean,
): NodeError {
	const others = Array.from({ length: count }, (_, item) => item).filter((item) => item !== failed);
	const sentItems = others.filter(isSent);
	const notTriedItems = others.filter((item) => !isSent(item));
	Object.assign(error.context, { sentItems, failedItem: failed, notTriedItems });
	if (count === 1) return error;
	const parts = [
		sentItems.length > 0 ? `Sent: ${nameItems(sentItems)}.` : 'No item was sent before it.',
		error.context.outcome === 'unknown'
			? `Perhaps sent: ${nameItems([failed])}.`
			: `Not sent: ${nameItems([failed])}.`,
		...(notTriedItems.length > 0 ? [`Not tried: ${nameItems(notTriedItems)}.`] : []),
	];
	error.description = [error.description, ...parts].filter(Boolean).join(' ');
	return error;
}
