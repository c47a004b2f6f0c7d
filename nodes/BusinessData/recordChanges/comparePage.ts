/** Compares a page of records with what is known of them, and takes it over. */
import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { RequestError } from '../transport/requestError';
import { valueAt } from '../transport/valueAt';
import type { Events } from './events';
import type { Question } from './question';
import { HASH_LENGTH, type KnownRecord, type State } from './state';

export interface ComparedPage {
	/** A record came on a page before as well. */
	hasMoved: boolean;
	/** Such a record had another content there. */
	hasChanged: boolean;
	/** Stands for the records of the page. */
	hash: string;
}

/** n8n does other work in between after so long (ms). */
const LONGEST_TURN_MS = 20;

/**
 * @param events receives what was created and updated
 * @throws RequestError when a record has no ID, or two different ones of the page have the same
 */
export async function comparePage(
	records: unknown[],
	question: Question,
	state: State,
	events: Events,
): Promise<ComparedPage> {
	const { known, firstReadings } = state;
	const tellsCreated = firstReadings === 0 || question.emitsExisting;
	const hashes = new Map<string, string>();
	const page = { hasMoved: false, hasChanged: false };
	let turnBegan = performance.now();
	for (const [index, value] of records.entries()) {
		if (performance.now() - turnBegan > LONGEST_TURN_MS) {
			await new Promise((resolve) => setImmediate(resolve));
			turnBegan = performance.now();
		}
		const id = idOf(value, question, `${index + 1} of ${records.length}`);
		const key = String(id);
		const hash = hashOf(value);
		const hashOnPage = hashes.get(key);
		// A page is from one moment, so this is no record that has changed meanwhile.
		if (hashOnPage !== undefined && hashOnPage !== hash) throw notUnique(question, key);
		if (hashOnPage !== undefined) continue;
		hashes.set(key, hash);

		const record = known.get(key);
		if (record === undefined) {
			known.set(key, { id, hash, missed: 0, isSeen: true });
			if (tellsCreated) events.created(key, value as IDataObject);
			continue;
		}
		const isOther = record.hash !== hash;
		if (record.isSeen) {
			page.hasMoved = true;
			page.hasChanged ||= isOther;
		}
		Object.assign(record, { hash, missed: 0, isSeen: true });
		if (isOther) events.updated(key, value as IDataObject);
	}
	return { ...page, hash: hashOf([...hashes]) };
}

/** The same for the same content, in whatever order the fields come. */
function hashOf(value: unknown): string {
	const text = JSON.stringify(value, (_, inner: unknown) => {
		if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
		const entries = Object.entries(inner as Record<string, unknown>);
		return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
	});
	return createHash('sha256').update(text).digest('base64').slice(0, HASH_LENGTH);
}

/**
 * @param which of the records it is, in words
 * @throws RequestError when it has no ID
 */
export function idOf(
	record: unknown,
	{ recordName, idField }: Question,
	which: string,
): KnownRecord['id'] {
	const id = valueAt(record, idField);
	if (typeof id === 'number' || (typeof id === 'string' && id !== '')) return id;
	throw unusable(
		recordName,
		`${recordName} ${which} has no ID at "${idField}"`,
		`Set ID Field to the field that is unique to a ${recordName}, as a dot path.`,
	);
}

function notUnique({ recordName }: Question, id: string): RequestError {
	return unusable(
		recordName,
		`two different ${recordName}s have the ID "${id}"`,
		`Set ID Field to a field that is unique to a ${recordName}.`,
	);
}

function unusable(recordName: string, problem: string, description: string): RequestError {
	return new RequestError(`The ${recordName}s cannot be compared: ${problem}`, {
		outcome: 'unknown',
		description: `${description} Nothing was changed in what the trigger remembers.`,
	});
}
