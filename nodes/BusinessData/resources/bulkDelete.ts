/**
 * Deletes many records with few requests: the IDs of all input items are collected, each counted once,
 * and sent in batches. The interface document asks for it (section 8, rule 2).
 */
import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Account } from '../transport/account';
import { jsonOf } from '../transport/answer';
import type { Endpoint } from '../transport/endpoints';
import { InvalidSettingError } from '../transport/invalidSettingError';
import { tryParseJson } from '../transport/json';
import type { ServiceRequest } from '../transport/serviceRequest';
import { readFlag, readWholeNumber } from '../transport/settingValues';
import { EarlierTries } from './earlierTries';
import { errorItem, nameItems, type NodeError, toNodeError } from './itemErrors';
import { type Operation, shownFor } from './operation';
import { optionsField, readRequestOptions } from './requestOptions';
import type { Run } from './run';

type Id = string | number;

const DEFAULT_BATCH_SIZE = 100;
const LARGEST_BATCH_SIZE = 10_000;

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
			description: `The ${plural} to delete: an ID, a comma-separated list, or an expression that gives a list. The IDs of all input items are collected before the first request.`,
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: false,
			description: 'Whether to only show the requests that would go out, without deleting anything',
		},
		optionsField([
			{
				displayName: 'Batch Size',
				name: 'batchSize',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: LARGEST_BATCH_SIZE },
				default: DEFAULT_BATCH_SIZE,
				description: 'How many IDs go into one request',
			},
		]),
	];
}

async function deleteMany(run: Run, endpoint: Endpoint): Promise<INodeExecutionData[]> {
	const { itemsById, errors } = collectIds(run);
	const options = readRequestOptions(run, 0);
	const batchSize = readBatchSize(run.options(0));
	const isDryRun = readFlag('Dry Run', run.parameter<unknown>('dryRun', 0, false));
	const earlierTries = EarlierTries.of(run.context);
	const outputs: INodeExecutionData[] = [];
	for (const [batchIndex, batch] of [...batchesOf(itemsById, batchSize)].entries()) {
		const ids = batch.map(({ id }) => id);
		const items = [...new Set(batch.flatMap((entry) => entry.items))].sort((a, b) => a - b);
		const pairedItem = items.map((item) => ({ item }));
		const request: ServiceRequest = {
			...options,
			endpoint,
			body: { [run.account.deleteIdsField]: ids },
		};
		if (isDryRun) {
			const { method, path } = endpoint;
			const json = {
				dryRun: true,
				method,
				path,
				count: ids.length,
				body: { ...(request.body as object) },
			};
			outputs.push({ json, pairedItem });
			continue;
		}
		try {
			const deleted = await earlierTries.resultOf(batchIndex, async () => {
				const response = jsonOf(await run.client.request(request)) ?? null;
				return [{ json: { count: ids.length, ids, response: response }, pairedItem }];
			});
			outputs.push(...deleted);
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error);
			if (!run.continuesOnError || run.isCanceled) {
				// Where the node continues on error, batches that failed have outputs too.
				const batchesDone = outputs.filter(({ error: failure }) => failure === undefined).length;
				throw withProgress(nodeError, batchesDone, items);
			}
			for (const item of items) outputs.push(errorItem(run.items[item], nodeError, item));
		}
	}
	return [...outputs, ...errors];
}

/** Each ID once, with the items that name it, and the error items of those without a usable ID. */
function collectIds(run: Run) {
	const itemsById = new Map<string, { id: Id; items: number[] }>();
	const errors: INodeExecutionData[] = [];
	for (const [index, input] of run.items.entries()) {
		try {
			for (const id of readIds(run.parameter<unknown>('ids', index, undefined))) {
				const entry = itemsById.get(String(id));
				if (entry === undefined) itemsById.set(String(id), { id, items: [index] });
				else if (entry.items.at(-1) !== index) entry.items.push(index);
			}
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, index);
			if (!run.continuesOnError) throw nodeError;
			errors.push(errorItem(input, nodeError, index));
		}
	}
	return { itemsById, errors };
}

/** @throws InvalidSettingError for anything that is not an ID, so that nothing else is deleted */
function readIds(value: unknown): Id[] {
	const parts = partsOf(value);
	if (parts.length === 0) throw invalidIds('the list is empty');
	return parts.map((part) => {
		if (typeof part === 'number' && Number.isFinite(part)) return part;
		if (typeof part === 'string' && part.trim() !== '') return part.trim();
		const isMissing = part === undefined || part === null || part === '';
		throw invalidIds(
			isMissing || typeof part === 'string' ? 'an ID is empty' : 'an ID is not a text or a number',
		);
	});
}

function partsOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	// AI agents and expressions inside a text write lists as JSON.
	const parsed = value.trim().startsWith('[') ? tryParseJson(value) : undefined;
	if (parsed !== undefined && 'value' in parsed) return partsOf(parsed.value);
	return value.split(',');
}

function invalidIds(problem: string): InvalidSettingError {
	return new InvalidSettingError(
		'IDs',
		problem,
		'Enter an ID, a comma-separated list, or an expression that gives one or a list, for example {{ $json.id }}. Nothing is deleted for this item.',
	);
}

interface BatchOption {
	batchSize?: unknown;
}

function readBatchSize({ batchSize = DEFAULT_BATCH_SIZE }: BatchOption): number {
	return readWholeNumber('Batch Size', batchSize, { least: 1, most: LARGEST_BATCH_SIZE });
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

/** Adds to the error how far the deletion got. */
function withProgress(error: NodeError, batchesDone: number, items: number[]): NodeError {
	Object.assign(error.context, { batchesDone, failedItems: items });
	const progress = `${batchesDone} ${batchesDone === 1 ? 'batch was' : 'batches were'} deleted before; this one holds the IDs of ${nameItems(items)}.`;
	error.description = [error.description, progress].filter(Boolean).join(' ');
	return error;
}
