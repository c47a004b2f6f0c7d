/**
 * Sends something for each item, one after the other in item order. The first failure stops the rest,
 * unless the node continues on error, and says which items were sent, which was not, and which were
 * not tried.
 */
import type { INodeExecutionData } from 'n8n-workflow';

import type { Answer } from '../transport/answer';
import { afterSuccessError } from '../transport/requestErrors';
import { isRead, type ServiceRequest } from '../transport/serviceRequest';
import { EarlierTries, type ItemResult } from './earlierTries';
import { errorItem, nameItems, type NodeError, toNodeError } from './itemErrors';
import type { Run } from './run';
import { SendOnce, UsedBeforeError } from './sendOnce';

/** Makes the output of an item from the answer to its request. */
export type ToItems<T> = (
	answer: Answer,
	request: T,
	itemIndex: number,
) => INodeExecutionData[] | Promise<INodeExecutionData[]>;

/**
 * @param prepare builds the request of an item; all are built before the first is sent, so that a
 * mistake in the last item leaves nothing half done
 * @throws a node error that names its item
 */
export async function sendEach<T extends ServiceRequest>(
	run: Run,
	prepare: (itemIndex: number) => T,
	toItems: ToItems<T>,
): Promise<INodeExecutionData[]> {
	const prepared: Array<Prepared<T> | { error: NodeError }> = [];
	for (const index of run.items.keys()) {
		prepared.push(tryToPrepare(run, prepare, index));
		await run.yieldToOthers();
	}
	const earlierTries = EarlierTries.of(run.context);
	const outputs: INodeExecutionData[][] = [];
	const sent = new Set<number>();
	const skipped = new Set<number>();
	for (const [index, item] of prepared.entries()) {
		try {
			if ('error' in item) throw item.error;
			const send = async () => await sendItem(run, item, index, toItems);
			const { output, isSkipped } = await earlierTries.resultOf(index, send);
			outputs.push(output);
			(isSkipped === true ? skipped : sent).add(index);
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, index);
			if (!run.continuesOnError || run.isCanceled) {
				const isSent = (other: number) => sent.has(other) || earlierTries.hasSent(other);
				throw withProgress(nodeError, index, run.items.length, { isSent, skipped });
			}
			outputs.push([errorItem(run.items[index], nodeError, index)]);
		}
		await run.yieldToOthers();
	}
	return outputs.flat();
}

/** An item's request, and what sees to it that it goes out once. */
interface Prepared<T> {
	request: T;
	guard: SendOnce | undefined;
}

function tryToPrepare<T extends ServiceRequest>(
	run: Run,
	prepare: (itemIndex: number) => T,
	index: number,
): Prepared<T> | { error: NodeError } {
	try {
		const request = prepare(index);
		run.client.check(request);
		return { request, guard: isRead(request) ? undefined : SendOnce.of(run, index, request) };
	} catch (error) {
		const nodeError = toNodeError(run.context.getNode(), error, index);
		if (!run.continuesOnError) throw nodeError;
		return { error: nodeError };
	}
}

/** @throws RequestError, or what else ended the request */
async function sendItem<T extends ServiceRequest>(
	run: Run,
	{ request, guard }: Prepared<T>,
	index: number,
	toItems: ToItems<T>,
): Promise<ItemResult> {
	const answer = await sendUnlessUsed(run, request, guard);
	if (answer === 'used') {
		const output = [{ json: guard?.skipped() ?? {}, pairedItem: { item: index } }];
		return { output, isSkipped: true };
	}
	try {
		return { output: await toItems(answer, request, index) };
	} catch (error) {
		throw isRead(request) ? error : afterSuccessError(request, error, run.account.apiKey);
	}
}

async function sendUnlessUsed(
	run: Run,
	request: ServiceRequest,
	guard: SendOnce | undefined,
): Promise<Answer | 'used'> {
	try {
		if ((await guard?.wasUsed()) === true) return 'used';
		return await run.client.request({ ...request, guard });
	} catch (error) {
		if (error instanceof UsedBeforeError) return 'used';
		throw error;
	}
}

/** Adds to the error what became of the other items. */
function withProgress(
	error: NodeError,
	failed: number,
	count: number,
	{ isSent, skipped }: { isSent: (item: number) => boolean; skipped: ReadonlySet<number> },
): NodeError {
	const others = Array.from({ length: count }, (_, item) => item).filter((item) => item !== failed);
	const sentItems = others.filter(isSent);
	const skippedItems = others.filter((item) => skipped.has(item));
	const notTriedItems = others.filter((item) => !isSent(item) && !skipped.has(item));
	Object.assign(error.context, { sentItems, skippedItems, failedItem: failed, notTriedItems });
	if (count === 1) return error;
	const parts = [
		sentItems.length > 0 ? `Sent: ${nameItems(sentItems)}.` : 'No item was sent before it.',
		...(skippedItems.length > 0 ? [`Used before and skipped: ${nameItems(skippedItems)}.`] : []),
		error.context.outcome === 'unknown'
			? `Perhaps sent: ${nameItems([failed])}.`
			: `Not sent: ${nameItems([failed])}.`,
		...(notTriedItems.length > 0 ? [`Not tried: ${nameItems(notTriedItems)}.`] : []),
	];
	error.description = [error.description, ...parts].filter(Boolean).join(' ');
	return error;
}
