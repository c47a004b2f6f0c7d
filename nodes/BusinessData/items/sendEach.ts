/**
 * Sends something for each item, one after the other in item order. The first failure stops the rest,
 * unless the node continues on error, and says which items were sent, perhaps or for certain, which were
 * not, and which were not tried.
 */
import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { AlreadySentError, type SendOnce } from '../sendOnce';
import type { ServiceResponse } from '../transport/response';
import { afterSuccessError, afterUnknownError } from '../transport/requestErrors';
import { InvalidSettingError } from '../values/invalidSettingError';
import { isRead, type ServiceRequest } from '../transport/serviceRequest';
import { readFlag } from '../values/settingValues';
import { PreviousAttempts, type ItemResult } from './previousAttempts';
import {
	errorItem,
	isErrorJson,
	listItems,
	nameItems,
	type NodeError,
	toNodeError,
} from '../run/itemErrors';
import { describeSends, reportDuring } from '../run/progress';
import type { Run } from '../run/run';
import { DryRun } from './dryRun';
import { sendOnceOf } from '../parameters/sendOnceOptions';

/** Makes the output of an item from the response to its request. */
export type ToItems<T> = (
	response: ServiceResponse,
	request: T,
	itemIndex: number,
) => INodeExecutionData[] | Promise<INodeExecutionData[]>;

/** Sends an item's request, if it is one that reads, and makes the output of the item. */
type Read<T> = (request: T, itemIndex: number) => Promise<INodeExecutionData[]>;

/**
 * @param prepare builds the request of an item; all are built before the first is sent, so that a
 * mistake in the last item leaves nothing half done
 * @param read for items that read, where a run may have some
 * @throws a node error that names its item
 */
export async function sendEach<T extends ServiceRequest>(
	run: Run,
	prepare: (itemIndex: number) => T | Promise<T>,
	toItems: ToItems<T>,
	read?: Read<T>,
): Promise<INodeExecutionData[]> {
	const prepared: Array<Prepared<T> | { error: NodeError }> = [];
	for (const index of run.items.keys()) {
		prepared.push(await tryToPrepare(run, prepare, index));
		await run.yieldToEventLoop();
	}
	const outputs: INodeExecutionData[][] = [];
	const describe = async () => {
		const next = prepared[outputs.length];
		const endpoint = next !== undefined && 'request' in next ? next.request.endpoint : undefined;
		return await describeSends(run, outputs.length, prepared.length, endpoint);
	};
	const execute = async (item: Prepared<T>, index: number): Promise<ItemResult> =>
		read !== undefined && isRead(item.request)
			? { output: await read(item.request, index) }
			: await sendItem(run, item, index, toItems);
	await reportDuring(run, describe, async () => await sendAll(run, prepared, execute, outputs));
	const items = outputs.flat();
	hintAtPerhapsSent(run, items);
	return items;
}

/** @param outputs gets the output of each item as soon as it is done */
async function sendAll<T extends ServiceRequest>(
	run: Run,
	prepared: Array<Prepared<T> | { error: NodeError }>,
	execute: (item: Prepared<T>, index: number) => Promise<ItemResult>,
	outputs: INodeExecutionData[][],
): Promise<void> {
	const previousAttempts = PreviousAttempts.of(run.context);
	const endings = new Map<number, ItemEnding>();
	const endingOf = (item: number) =>
		endings.get(item) ?? previousAttempts.endingOf(item) ?? 'notTried';
	const progress = () => listsOf(prepared.map((_, item) => endingOf(item)));
	run.describeProgress = () => sentencesOf(progress());
	const dryRun = new DryRun(run);
	for (const [index, item] of prepared.entries()) {
		try {
			if ('error' in item) throw item.error;
			if (item.isDryRun) {
				outputs.push([await dryRun.show(item, index)]);
				continue;
			}
			const send = async () => await execute(item, index);
			const { output, isSkipped } = await previousAttempts.resultOf(index, send);
			outputs.push(output);
			endings.set(index, isSkipped === true ? 'skipped' : 'sent');
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, index);
			const sendsNothing = 'request' in item && isRead(item.request);
			const mayBeSent = nodeError.context.outcome === 'unknown' && !sendsNothing;
			endings.set(index, mayBeSent ? 'perhapsSent' : 'notSent');
			if (!run.continuesOnError || run.isCanceled) {
				throw withProgress(nodeError, index, progress());
			}
			outputs.push([errorItem(run.items[index], nodeError, index)]);
		}
		await run.yieldToEventLoop();
	}
}

/** A skipped item that may not have been sent is for a person to look at. */
function hintAtPerhapsSent(run: Run, items: INodeExecutionData[]): void {
	const skipped = items.filter(({ json }) => json.skipped === true && json.state === 'perhapsSent');
	if (skipped.length === 0) return;
	const indexes = skipped.map(({ pairedItem }) => (pairedItem as IPairedItemData).item);
	run.hint(
		`${skipped.length} ${skipped.length === 1 ? 'item is' : 'items are'} perhaps sent: ${nameItems(indexes)}. Check in the service, then use Sent Document → Mark as Sent or Release.`,
	);
}

/** What became of an item, as the error that ends the run reports it. */
type ItemEnding = 'sent' | 'skipped' | 'perhapsSent' | 'notSent' | 'notTried';

/** An item's request, and the guard that sends it once only. */
interface Prepared<T extends ServiceRequest> {
	request: T;
	guard: SendOnce | undefined;
	isDryRun: boolean;
}

async function tryToPrepare<T extends ServiceRequest>(
	run: Run,
	prepare: (itemIndex: number) => T | Promise<T>,
	index: number,
): Promise<Prepared<T> | { error: NodeError }> {
	try {
		const request = await prepare(index);
		run.client.check(request);
		const guard = sendOnceOf(run, index, request);
		const isDryRun = !isRead(request) && readFlag('Dry Run', run.options(index).dryRun);
		return { request: withIdempotencyKey(run, request, guard), guard, isDryRun };
	} catch (error) {
		const nodeError = toNodeError(run.context.getNode(), error, index);
		if (!run.continuesOnError) throw nodeError;
		nodeError.context.outcome ??= 'notSent';
		return { error: nodeError };
	}
}

/** @throws InvalidSettingError when the header is set by hand, too */
function withIdempotencyKey<T extends ServiceRequest>(
	{ account }: Run,
	request: T,
	guard: SendOnce | undefined,
): T {
	const { idempotencyHeader: name } = account;
	if (guard === undefined || name === '') return request;
	if (Object.keys(request.headers).some((own) => own.toLowerCase() === name.toLowerCase())) {
		throw new InvalidSettingError(
			'Headers',
			`"${name}" is the idempotency header of the credential`,
			'Remove it: its value comes from the Send Once Key.',
		);
	}
	const headers = { ...request.headers, [name]: guard.idempotencyKey };
	return { ...request, headers, isIdempotent: true };
}

/** @throws RequestError, or what else ended the request */
async function sendItem<T extends ServiceRequest>(
	run: Run,
	{ request, guard }: Prepared<T>,
	index: number,
	toItems: ToItems<T>,
): Promise<ItemResult> {
	const response = await sendUnlessUsed(run, request, guard);
	if ('skipped' in response) {
		return { output: [{ json: response, pairedItem: { item: index } }], isSkipped: true };
	}
	try {
		const output = await toItems(response, request, index);
		return { output: run.hasErrorOutput ? output.map(asSuccess(response)) : output };
	} catch (error) {
		throw afterSuccessError(request, error, run.account.apiKey);
	}
}

/** n8n would put an item out as failed, and a workflow may send it again, because of what its JSON looks like. */
const asSuccess =
	({ statusCode }: ServiceResponse) =>
	(item: INodeExecutionData): INodeExecutionData =>
		isErrorJson(item.json) ? { ...item, json: { statusCode, ...item.json } } : item;

async function sendUnlessUsed(
	run: Run,
	request: ServiceRequest,
	guard: SendOnce | undefined,
): Promise<ServiceResponse | (IDataObject & { skipped: true })> {
	try {
		const waitFor = async (ended: Promise<void>) => await run.client.waitForOther(request, ended);
		const state = (await guard?.state(waitFor)) ?? 'notSent';
		if (state !== 'notSent') throw new AlreadySentError(state);
		return await run.client.request({ ...request, guard });
	} catch (error) {
		if (error instanceof AlreadySentError && guard !== undefined) return guard.skipped(error.state);
		throw guard?.mayBeSent === true ? afterUnknownError(request, error, run.account.apiKey) : error;
	}
}

type ItemLists = ReturnType<typeof listsOf>;

function listsOf(endings: ItemEnding[]) {
	const itemsThat = (ending: ItemEnding) =>
		[...endings.keys()].filter((item) => endings[item] === ending);
	return {
		sentItems: itemsThat('sent'),
		skippedItems: itemsThat('skipped'),
		perhapsSentItems: itemsThat('perhapsSent'),
		failedItems: itemsThat('notSent'),
		notTriedItems: itemsThat('notTried'),
	};
}

function sentencesOf(lists: ItemLists): string[] {
	return listItems([
		['Sent', lists.sentItems],
		['Used before and skipped', lists.skippedItems],
		['Perhaps sent', lists.perhapsSentItems],
		['Not sent', lists.failedItems],
		['Not tried', lists.notTriedItems],
	]);
}

/** Adds what became of the items to the error. */
function withProgress(error: NodeError, failedItem: number, lists: ItemLists): NodeError {
	Object.assign(error.context, { ...lists, failedItem });
	if (Object.values(lists).flat().length === 1) return error;
	const mayBeSent = [...lists.sentItems, ...lists.perhapsSentItems];
	const parts = [
		...(mayBeSent.every((item) => item === failedItem) ? ['No item was sent before it.'] : []),
		...sentencesOf(lists),
	];
	error.description = [error.description, ...parts].filter(Boolean).join(' ');
	return error;
}
