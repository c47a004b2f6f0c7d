/** Deletes the IDs of all input items in batches, as the interface document recommends (section 8, rule 2). */
import { isDeepStrictEqual } from 'node:util';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { DryRun } from '../items/dryRun';
import { sendItem } from '../items/requestEach';
import { itemsOf } from '../items/responseItems';
import { runTasks, type Task, type TaskKind } from '../items/runTasks';
import { type Id, nameOfId, readIds } from '../parameters/ids';
import { optionsField, readRequestOptions } from '../parameters/requestOptions';
import { errorItem, nameItems, toNodeError } from '../run/itemErrors';
import type { Run } from '../run/run';
import type { Endpoint } from '../transport/endpoints';
import type { Result, ServiceResponse } from '../transport/response';
import { InvalidSettingError } from '../values/invalidSettingError';
import { readFlag, readWholeNumber } from '../values/settingValues';
import type { Operation } from './operation';

const DEFAULT_BATCH_SIZE = 100;
const LARGEST_BATCH_SIZE = 10_000;

const DELETIONS: TaskKind = {
	atOnce: 3,
	isFirstAlone: true,
	lists: {
		done: ['Deleted', 'deletedItems'],
		unknown: ['Perhaps deleted', 'perhapsDeletedItems'],
		failed: ['Not deleted', 'failedItems'],
		notTried: ['Not tried', 'notTriedItems'],
	},
};

/**
 * @param plural what is deleted, for example `contacts`
 * @param setting credential setting with the endpoint
 */
export function deleteManyOperation(
	plural: string,
	setting: 'contactDelete' | 'transactionDelete',
): Operation {
	return {
		option: {
			name: 'Delete Many',
			value: 'deleteMany',
			action: `Delete many ${plural}`,
			description:
				'Preferred over single requests: 1,000 input items take 10 requests instead of 1,000',
			builderHint: {
				propertyHint:
					'Deletes the records of all input items in few requests, so never loop over them. Set dryRun: true unless the user asked to delete at once; a second node without it deletes after an approval.',
			},
		},
		fields: [
			{
				displayName: 'IDs',
				name: 'ids',
				type: 'string',
				required: true,
				default: '={{ $json.id }}',
				placeholder: 'e.g. 1001, 1002, 1003',
				description: `The ${plural} to delete: an ID, a list separated by commas, semicolons or line breaks, or an expression that returns a list. The IDs of all input items are collected before the first request.`,
			},
			{
				displayName: 'Dry Run',
				name: 'dryRun',
				type: 'boolean',
				default: false,
				description:
					'Whether to only show the requests that would be sent, without deleting anything',
			},
			optionsField([
				{
					displayName: 'Batch Size',
					name: 'batchSize',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: LARGEST_BATCH_SIZE },
					default: DEFAULT_BATCH_SIZE,
					description: 'How many IDs to send per request',
				},
			]),
		],
		execute: async (run) => await deleteMany(run, run.account[setting]),
	};
}

async function deleteMany(run: Run, endpoint: Endpoint): Promise<INodeExecutionData[]> {
	const isDryRun = readFlag('Dry Run', await sameForAll(run, 'dryRun', 'Dry Run', false));
	await sameForAll(run, 'options', 'Options', {});
	const options = readRequestOptions(run, 0);
	const { batchSize = DEFAULT_BATCH_SIZE } = run.options(0);
	const size = readWholeNumber('Batch Size', batchSize, { least: 1, most: LARGEST_BATCH_SIZE });
	const { all, errors } = await readNamedIds(run);
	const batches = await batchesOf(run, all, size);
	const dryRun = new DryRun(run);
	const tasks = batches.map(({ ids, items }): Task => {
		const request = { ...options, endpoint, body: { [run.account.deleteIdsField]: ids } };
		const count = ids.length;
		const toItems = async (response: ServiceResponse, result: Result) => {
			const [item] = await itemsOf(run, response, result);
			const shown = result.kind === 'json' ? (result.value as IDataObject) : item?.json;
			return [{ ...item, json: { count, ids, response: shown } }];
		};
		const execute = async () =>
			isDryRun
				? await dryRun.show(request, { count })
				: await sendItem(run, request, toItems, items);
		return { items, ids, endpoint, execute };
	});
	return [...(await runTasks(run, tasks, DELETIONS)), ...errors];
}

/**
 * The value of a parameter, which must be the same for all items because their IDs go out together.
 * @throws InvalidSettingError
 */
async function sameForAll(run: Run, name: string, field: string, fallback: unknown) {
	const first = run.parameter(name, 0, fallback);
	for (const itemIndex of run.items.keys()) {
		if (!isDeepStrictEqual(run.parameter(name, itemIndex, fallback), first)) {
			throw new InvalidSettingError(
				field,
				`is not the same for ${nameItems([0, itemIndex])}`,
				'The IDs of all items are deleted together: use the same value for all, or a node for each value.',
			);
		}
		await run.yieldToEventLoop();
	}
	return first;
}

/** IDs, and the indexes of the items that name them. */
interface NamedIds {
	/** The parameter that they were read from. */
	value: unknown;
	ids: Id[];
	items: number[];
}

/**
 * The IDs that the items name, and error items for those without a usable ID.
 * @throws a node error for such an item, unless the node continues on error
 */
async function readNamedIds(run: Run) {
	const all: NamedIds[] = [];
	const errors: INodeExecutionData[] = [];
	for (const itemIndex of run.items.keys()) {
		try {
			const value = run.parameter('ids', itemIndex);
			const last = all.at(-1);
			// An expression may return the IDs of all items for each of them.
			if (last !== undefined && isDeepStrictEqual(value, last.value)) last.items.push(itemIndex);
			else all.push({ value, ids: readIds(value), items: [itemIndex] });
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, itemIndex);
			if (!run.continuesOnError) throw nodeError;
			errors.push(errorItem(run.items[itemIndex], nodeError, itemIndex));
		}
		await run.yieldToEventLoop();
	}
	return { all, errors };
}

/** The IDs in batches, each ID once, with the indexes of all items that name one of them. */
async function batchesOf(run: Run, all: NamedIds[], size: number) {
	const byId = new Map<string, { id: Id; namedBy: NamedIds[] }>();
	for (const named of all) {
		for (const id of named.ids) {
			const entry = byId.get(nameOfId(id)) ?? { id, namedBy: [] };
			byId.set(nameOfId(id), entry);
			entry.namedBy.push(named);
		}
		await run.yieldToEventLoop();
	}
	const entries = [...byId.values()];
	const batches: Array<{ ids: Id[]; items: number[] }> = [];
	for (let start = 0; start < entries.length; start += size) {
		const batch = entries.slice(start, start + size);
		const namedBy = new Set(batch.flatMap((entry) => entry.namedBy));
		const items = new Set([...namedBy].flatMap((named) => named.items));
		batches.push({ ids: batch.map(({ id }) => id), items: [...items].sort((a, b) => a - b) });
	}
	return batches;
}
