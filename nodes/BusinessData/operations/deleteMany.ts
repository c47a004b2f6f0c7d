/**
 * Deletes many records with few requests: the IDs of all input items are collected, each counted once,
 * and sent in batches. The interface document asks for it (section 8, rule 2).
 */
import { isDeepStrictEqual } from 'node:util';

import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	IPairedItemData,
} from 'n8n-workflow';

import { DELETE_HINT } from '../builderHints';
import type { Account } from '../transport/account';
import { type ServiceResponse, resultIn } from '../transport/response';
import type { Endpoint } from '../transport/endpoints';
import { InvalidSettingError } from '../values/invalidSettingError';
import { afterSuccessError } from '../transport/requestErrors';
import type { ServiceRequest } from '../transport/serviceRequest';
import { readFlag, readWholeNumber } from '../values/settingValues';
import { resultItems } from '../items/responseItems';
import { type Batch, inOrder, readBatches } from '../items/batchesOfIds';
import { PreviousAttempts } from '../items/previousAttempts';
import { errorItem, nameItems, type NodeError, listItems, toNodeError } from '../run/itemErrors';
import { type Operation, shownFor } from './operation';
import { reportDuring } from '../run/progress';
import { optionsField, readRequestOptions } from '../parameters/requestOptions';
import type { Run } from '../run/run';

const DEFAULT_BATCH_SIZE = 100;
const LARGEST_BATCH_SIZE = 10_000;
/** How many batches go at once, after a first one alone: it shows what is wrong with all of them. */
const BATCHES_AT_ONCE = 3;

/**
 * The operation Delete Many of a resource.
 * @param plural what is deleted, for example `contacts`
 * @param endpointOf the endpoint, which is a setting of the credential
 */
export function deleteManyOperation(
	resource: string,
	plural: string,
	endpointOf: (account: Account) => Endpoint,
): Operation {
	return {
		option: {
			name: 'Delete Many',
			value: 'deleteMany',
			action: `Delete many ${plural}`,
			description:
				'Preferred over single requests: 1,000 input items take 10 requests instead of 1,000',
			builderHint: { propertyHint: DELETE_HINT },
		},
		description: shownFor(resource, 'deleteMany', deleteFields(plural)),
		execute: async (run) => await deleteMany(run, endpointOf(run.account)),
	};
}

function deleteFields(plural: string): INodeProperties[] {
	return [
		{
			displayName: 'IDs',
			name: 'ids',
			type: 'string',
			required: true,
			default: '={{ $json.id }}',
			placeholder: 'e.g. 1001, 1002, 1003',
			description: `The ${plural} to delete: an ID, a list with commas, semicolons or line breaks, or an expression that gives a list. The IDs of all input items are collected before the first request.`,
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: false,
			description: 'Whether to only show the requests that would go out, without deleting anything',
		},
		optionsField(
			[
				{
					displayName: 'Batch Size',
					name: 'batchSize',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: LARGEST_BATCH_SIZE },
					default: DEFAULT_BATCH_SIZE,
					description: 'How many IDs go into one request',
				},
			],
			{
				maxWait:
					'How many seconds the batches may wait for the rate limits in all. A batch that would wait beyond that fails at once and is not sent. With 0 they wait as long as it takes. A tool of an agent waits 60 seconds unless this is set.',
			},
		),
	];
}

async function deleteMany(run: Run, endpoint: Endpoint): Promise<INodeExecutionData[]> {
	const isDryRun = readFlag('Dry Run', await sameForAll(run, 'dryRun', 'Dry Run', false));
	await sameForAll(run, 'options', 'Options', {});
	const options = readRequestOptions(run, 0);
	const { batchSize = DEFAULT_BATCH_SIZE } = run.options(0);
	const size = readWholeNumber('Batch Size', batchSize, { least: 1, most: LARGEST_BATCH_SIZE });
	const { batches, errors } = await readBatches(run, size);
	const requestOf = ({ ids }: Batch): ServiceRequest => ({
		...options,
		endpoint,
		body: { [run.account.deleteIdsField]: ids },
	});
	if (isDryRun) {
		return [...batches.map((batch) => dryRunItem(run, batch, requestOf(batch))), ...errors];
	}
	return [...(await deleteBatches(run, batches, requestOf)), ...errors];
}

/**
 * The value of a parameter, which the items must agree on, because their IDs go out together.
 * @returns null for an expression that finds nothing
 * @throws InvalidSettingError
 */
async function sameForAll(run: Run, name: string, field: string, fallback: unknown) {
	const first = run.parameter(name, 0, fallback);
	for (const index of run.items.keys()) {
		if (!isDeepStrictEqual(run.parameter(name, index, fallback), first)) {
			throw new InvalidSettingError(
				field,
				`is not the same for ${nameItems([0, index])}`,
				'The IDs of all items are deleted together: use the same value for all, or a node for each value.',
			);
		}
		await run.yieldToEventLoop();
	}
	return first ?? null;
}

/** @throws InvalidSettingError that the run would throw before it sends the request */
function dryRunItem(run: Run, batch: Batch, request: ServiceRequest): INodeExecutionData {
	run.client.check(request);
	const { endpoint, query, body } = request;
	const { method, path } = endpoint;
	const asked = { method, path, ...(query.length > 0 ? { query } : {}) };
	const json = { dryRun: true, ...asked, count: batch.ids.length, body: { ...(body as object) } };
	return { json, pairedItem: pairedItemsOf(batch) };
}

/** @throws a node error that says how far it got */
async function deleteBatches(
	run: Run,
	batches: Batch[],
	requestOf: (batch: Batch) => ServiceRequest,
): Promise<INodeExecutionData[]> {
	const previousAttempts = PreviousAttempts.of(run.context);
	const outputs: INodeExecutionData[][] = batches.map(() => []);
	const failed: FailedBatch[] = [];
	let done = 0;
	let begun = 0;
	/** The failures that end the run. */
	const ending: FailedBatch[] = [];
	const deleteBatch = async (index: number, batch: Batch): Promise<void> => {
		try {
			const { output } = await previousAttempts.resultOf(index, async () => {
				const response = await run.client.request(requestOf(batch));
				try {
					return { output: [await batchItem(run, batch, response)] };
				} catch (error) {
					throw afterSuccessError(requestOf(batch), error, run.account.apiKey);
				}
			});
			outputs[index] = output;
			done++;
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error);
			const { items } = batch;
			const failure = { error: nodeError, items };
			failed.push(failure);
			if (!run.continuesOnError || run.isCanceled) ending.push(failure);
			else outputs[index] = items.map((item) => errorItem(run.items[item], nodeError, item));
		}
	};
	const isRemembered = (index: number) => previousAttempts.endingOf(index) !== undefined;
	const notTried = () => batches.filter((_, index) => index >= begun && !isRemembered(index));
	run.describeProgress = () => describeBatches(listsOf(failed, notTried()), done);
	const deleteNext = async (): Promise<boolean> => {
		const batch = batches[begun];
		if (batch === undefined || ending.length > 0) return false;
		await deleteBatch(begun++, batch);
		return true;
	};
	const deleteOnAndOn = async () => {
		while (await deleteNext());
	};
	await reportDuring(
		run,
		() => `${done} of ${batches.length} batches deleted`,
		async () => {
			await deleteNext();
			await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, deleteOnAndOn));
		},
	);
	for (const [index, batch] of [...batches.entries()].slice(begun)) {
		// A batch that a previous attempt remembers needs no request, and is not reported as not tried.
		if (isRemembered(index)) await deleteBatch(index, batch);
	}
	const [endedBy] = ending;
	if (endedBy !== undefined) throw errorOf(endedBy, failed, done, notTried());
	return outputs.flat();
}

/** The output of a batch, with the response of the service. */
async function batchItem(
	run: Run,
	batch: Batch,
	serviceResponse: ServiceResponse,
): Promise<INodeExecutionData> {
	const [item] = await resultItems(run, serviceResponse, 0);
	const result = resultIn(serviceResponse);
	const response = result.kind === 'json' ? (result.value as IDataObject) : item?.json;
	return {
		...item,
		json: { count: batch.ids.length, ids: batch.ids, response },
		pairedItem: pairedItemsOf(batch),
	};
}

function pairedItemsOf({ items }: Batch): IPairedItemData[] {
	return items.map((item) => ({ item }));
}

interface FailedBatch {
	error: NodeError;
	items: number[];
}

type ItemLists = ReturnType<typeof listsOf>;

function listsOf(failed: FailedBatch[], notTried: Batch[]) {
	// Records that may have been deleted are not listed as failed.
	const isUnknown = ({ error }: FailedBatch) => error.context.outcome === 'unknown';
	return {
		perhapsDeletedItems: inOrder(failed.filter(isUnknown)),
		failedItems: inOrder(failed.filter((one) => !isUnknown(one))),
		notTriedItems: inOrder(notTried),
	};
}

function describeBatches(lists: ItemLists, done: number): string[] {
	const sentences = listItems(
		[
			['Perhaps deleted', lists.perhapsDeletedItems],
			['Not deleted', lists.failedItems],
			['Not tried', lists.notTriedItems],
		],
		'the IDs of ',
	);
	return [`${done} ${done === 1 ? 'batch was' : 'batches were'} deleted.`, ...sentences];
}

/**
 * The error that ends the run, with how many batches were deleted and which were not tried.
 * @param endedBy the first that ended the run
 */
function errorOf(
	endedBy: FailedBatch,
	failed: FailedBatch[],
	done: number,
	notTried: Batch[],
): NodeError {
	const perhapsDeleted = failed.find((one) => one.error.context.outcome === 'unknown');
	const { error } = perhapsDeleted ?? endedBy;
	const lists = listsOf(failed, notTried);
	Object.assign(error.context, { batchesDone: done, ...lists });
	const parts = [error.description, ...describeBatches(lists, done)];
	error.description = parts.filter(Boolean).join(' ');
	return error;
}
