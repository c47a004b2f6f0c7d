/** The IDs of all input items, each counted once, in batches. */
import type { INodeExecutionData } from 'n8n-workflow';

import { InvalidSettingError } from '../transport/invalidSettingError';
import { tryParseJson } from '../transport/json';
import { errorItem, toNodeError } from './itemErrors';
import type { Run } from './run';

type Id = string | number;

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
		items: [...new Set(entries.flatMap(({ items }) => items))].sort((a, b) => a - b),
	}));
	return { batches, errors };
}

/** Each ID once, with the items that name it, and the error items of those without a usable ID. */
async function collectIds(run: Run) {
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
		await run.yieldToOthers();
	}
	return { itemsById, errors };
}

/** @throws InvalidSettingError for anything that is not an ID, so that nothing else is deleted */
function readIds(value: unknown): Id[] {
	const parts = partsOf(value);
	if (parts.length === 0) throw invalidIds('the list is empty');
	return parts.map((part) => {
		if (typeof part === 'number' && Number.isFinite(part)) {
			if (Math.abs(part) > Number.MAX_SAFE_INTEGER) throw inexactId(String(part));
			return part;
		}
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
	if (parsed === undefined || 'problem' in parsed) return value.split(',');
	refuseInexactNumbers(value);
	return partsOf(parsed.value);
}

/** A text of JSON, or a number that stands outside of one. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** @throws InvalidSettingError for a number that would go out as another one, or in another form */
function refuseInexactNumbers(json: string): void {
	const numbers = (json.match(TEXT_OR_NUMBER) ?? []).filter((part) => !part.startsWith('"'));
	const inexact = numbers.find((number) => String(Number(number)) !== number);
	if (inexact !== undefined) throw inexactId(inexact);
}

function inexactId(id: string): InvalidSettingError {
	return new InvalidSettingError(
		'IDs',
		`JavaScript cannot hold the number ${id} exactly, so another record could be deleted`,
		`Give the ID as a text: "${id}" in quotation marks where it comes from. Nothing is deleted for this item.`,
	);
}

function invalidIds(problem: string): InvalidSettingError {
	return new InvalidSettingError(
		'IDs',
		problem,
		'Enter an ID, a comma-separated list, or an expression that gives one or a list, for example {{ $json.id }}. Nothing is deleted for this item.',
	);
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
