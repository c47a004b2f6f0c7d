/** Makes one request per item: reads in parallel, everything else one by one in item order. */
import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { type GuardedRequest, withSendOnce } from '../parameters/sendOnceOptions';
import type { TaskResult } from '../run/previousAttempts';
import type { Run } from '../run/run';
import { AlreadySentError, guardRun } from '../sendOnce';
import { afterSuccessError, afterUnknownError } from '../transport/errorTexts';
import { type Result, resultIn, type ServiceResponse } from '../transport/response';
import type { SendGuard, ServiceRequest } from '../transport/serviceRequest';
import { readFlag } from '../values/settingValues';
import { DryRun } from './dryRun';
import { hintAtResult, statusItem } from './responseItems';
import { prepareTasks, runTasks, type Task, type TaskKind } from './runTasks';

/** Makes the output items of a successful request. */
type ToItems = (response: ServiceResponse, result: Result) => Promise<INodeExecutionData[]>;

/** The request of an item. A read sends it itself, perhaps page by page. */
export type Prepared =
	| { request: ServiceRequest; read: () => Promise<INodeExecutionData[]> }
	| { request: ServiceRequest; toItems: ToItems };

/** More than the shortest documented window admits at once. */
const READS: TaskKind = { atOnce: 20 };

const SENDS: TaskKind = {
	atOnce: 1,
	lists: {
		done: ['Sent', 'sentItems'],
		skipped: ['Used before and skipped', 'skippedItems'],
		unknown: ['Perhaps sent', 'perhapsSentItems'],
		failed: ['Not sent', 'failedItems'],
		notTried: ['Not tried', 'notTriedItems'],
	},
};

/**
 * @param prepare makes the request of an item
 * @throws a node error that names the item
 */
export async function requestEach(
	run: Run,
	prepare: (itemIndex: number) => Prepared | Promise<Prepared>,
): Promise<INodeExecutionData[]> {
	const dryRun = new DryRun(run);
	let sendsWithoutKey = false;
	let runGuard: SendGuard | undefined;
	const prepareTask = async (itemIndex: number): Promise<Task> => {
		const prepared = await prepare(itemIndex);
		const { request } = prepared;
		run.client.check(request);
		const task = { items: [itemIndex], endpoint: request.endpoint };
		if ('read' in prepared) {
			const execute = async () => ({ output: await prepared.read(), ending: 'done' as const });
			return { ...task, isRead: true, execute };
		}
		const guarded = withSendOnce(run, itemIndex, request);
		const isDryRun = readFlag('Dry Run', run.options(itemIndex).dryRun);
		if (!isDryRun && guarded.guard === undefined) sendsWithoutKey = true;
		const execute = async () =>
			isDryRun
				? await dryRun.show(guarded)
				: await sendItem(run, guarded, prepared.toItems, task.items, runGuard);
		return { ...task, execute };
	};
	const tasks = await prepareTasks(run, prepareTask);
	if (sendsWithoutKey) runGuard = await guardRun(run.context);
	// A task without an endpoint is one that could not be prepared.
	const areReads = tasks.every(({ endpoint, isRead }) => endpoint === undefined || isRead);
	const items = await runTasks(run, tasks, areReads ? READS : SENDS);
	hintAtPerhapsSent(run, items);
	return items;
}

function hintAtPerhapsSent(run: Run, items: INodeExecutionData[]): void {
	const skipped = items.filter(
		({ json, error }) => !error && json.skipped === true && json.state === 'perhapsSent',
	);
	if (skipped.length === 0) return;
	run.hint(
		'perhaps sent, so skipped. Check in the service, then use Sent Document → Mark as Sent or Release.',
		skipped.map(({ pairedItem }) => (pairedItem as IPairedItemData).item),
	);
}

/**
 * @param items indexes of the input items that the request is for
 * @param runGuard used for a request without a Send Once Key
 * @throws RequestError, or whatever else ended the request
 */
export async function sendItem(
	run: Run,
	request: GuardedRequest,
	toItems: ToItems,
	items: number[],
	runGuard?: SendGuard,
): Promise<TaskResult> {
	const response = await sendUnlessUsed(run, request, runGuard);
	if ('skipped' in response) return { output: [{ json: response }], ending: 'skipped' };
	try {
		const result = resultIn(response);
		hintAtResult(run, response, result, items);
		const output = await toItems(response, result);
		// An empty list would give no output item, and a loop without one would end early.
		return { output: output.length > 0 ? output : [statusItem(response)], ending: 'done' };
	} catch (error) {
		throw afterSuccessError(request, error, run.account.apiKey);
	}
}

async function sendUnlessUsed(
	run: Run,
	request: GuardedRequest,
	runGuard?: SendGuard,
): Promise<ServiceResponse | (IDataObject & { skipped: true })> {
	const { guard } = request;
	const waitFor = async (ended: Promise<void>) => await run.client.waitForOther(request, ended);
	try {
		const state = (await guard?.waitForState(waitFor)) ?? 'notSent';
		if (guard !== undefined && state !== 'notSent') return guard.skipped(state);
		return await run.client.request({ ...request, guard: guard ?? runGuard });
	} catch (error) {
		if (error instanceof AlreadySentError && guard !== undefined) return guard.skipped(error.state);
		throw guard?.mayBeSent === true ? afterUnknownError(request, error, run.account.apiKey) : error;
	}
}
