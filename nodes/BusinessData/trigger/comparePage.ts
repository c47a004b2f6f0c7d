/** Compares a page of records with the known records, and updates these. */
import type { IDataObject } from 'n8n-workflow';

import { RequestError } from '../transport/requestError';
import { namesAt, valueAt } from '../transport/valueAt';
import type { Events } from './events';
import { hashOf } from '../values/hash';
import type { PollSettings } from './pollSettings';
import { type KnownRecord, MOST_MISSED, type State, TAKEN_NEXT, REPORTED_NEXT } from './state';
import { differentFields, fieldHashesOf, HASH_LENGTH } from './watchedFields';

export interface ComparedPage {
	/** Whether a record was on an earlier page, too. */
	hasMoved: boolean;
	/** The ID of a record that came with different content earlier in this read. */
	ambiguousId?: string;
	/** How many records came that are marked as deleted and were not known. */
	marked: number;
	/** A hash of the records. */
	hash: string;
}

/** How long (ms) a comparison may block the event loop. */
const LONGEST_BLOCK_MS = 20;
/** With more contents of a record, or more records with several contents, the ID field is not unique. */
const MOST_VARIANTS = 1_000;

/**
 * @param events receives what was created and updated
 * @throws RequestError when a record has no ID, or when many records share one
 */
export async function comparePage(
	records: unknown[],
	settings: PollSettings,
	state: State,
	events: Events,
): Promise<ComparedPage> {
	const { known, firstReads, variants, fieldNames } = state;
	const { watchedFields } = settings;
	const emitsCreated = firstReads === 0 || settings.emitsExisting;
	const hashes: string[] = [];
	const onPage = new Set<string>();
	const page: Omit<ComparedPage, 'hash'> = { hasMoved: false, marked: 0 };
	let blockedSince = performance.now();
	for (const [index, value] of records.entries()) {
		if (performance.now() - blockedSince > LONGEST_BLOCK_MS) {
			await new Promise((resolve) => setImmediate(resolve));
			blockedSince = performance.now();
		}
		const id = idOf(value, settings, `${index + 1} of ${records.length}`);
		const key = String(id);
		if (index === 0) noteIdNames(state, value, settings);
		const part = watchedFields.watchedPart(value);
		const hash = hashOf(part, HASH_LENGTH);
		hashes.push(key, hash);
		// A page is from one moment, so on the same one a record has not moved.
		const isOnPage = onPage.has(key);
		onPage.add(key);

		const record = known.get(key);
		if (record?.isSeen === true && !isOnPage) page.hasMoved = true;
		if (isMarked(value, settings)) {
			if (record === undefined) page.marked++;
			else {
				Object.assign(record, { missed: MOST_MISSED, isSeen: true });
				events.gone.add(key);
			}
			continue;
		}
		events.gone.delete(key);
		const fields = () => fieldNames && fieldHashesOf(part, fieldNames);
		if (record === undefined) {
			known.set(key, { id, hash, fields: fields(), missed: 0, isSeen: true });
			if (emitsCreated) events.created(key, value as IDataObject);
			continue;
		}
		if (isVariant(state, record, key, hash)) {
			page.ambiguousId ??= key;
			const most = Math.max(state.newVariants.size, state.newVariants.get(key)?.length ?? 0);
			if (most > MOST_VARIANTS) throw notUnique(settings, key);
		}
		Object.assign(record, { missed: 0, isSeen: true });
		// Content that the previous read showed is no change.
		const isKnown = record.hash === hash || variants.get(key)?.includes(hash) === true;
		if (isKnown && (record.fields !== undefined || fieldNames === undefined)) continue;
		const before = record.fields;
		record.fields = fields();
		if (isKnown) continue;
		const hashesOfRecord = { before: record.hash, now: hash };
		record.hash = hash;
		const changed =
			fieldNames && before !== undefined && record.fields !== undefined
				? differentFields(before, record.fields, fieldNames)
				: undefined;
		if (hashesOfRecord.before === TAKEN_NEXT) continue;
		events.updated(key, value as IDataObject, hashesOfRecord, changed);
	}
	return { ...page, hash: hashOf(hashes, HASH_LENGTH) };
}

/** A name in the path to the ID may itself hold dots, and a record that is deleted is shown with it. */
function noteIdNames(state: State, record: unknown, { idField }: PollSettings): void {
	const names = namesAt(record, idField);
	if (names.length < idField.split('.').length) state.idNames = names;
	else delete state.idNames;
}

/** Whether the service says that the record is deleted. */
export function isMarked(record: unknown, { deletedWhen }: PollSettings): boolean {
	if (deletedWhen === undefined) return false;
	const value = valueAt(record, deletedWhen.field);
	const isText = ['string', 'number', 'boolean'].includes(typeof value) || value === null;
	return isText && deletedWhen.values.includes(String(value).trim());
}

/** Notes different content of a record within one read. Returns whether it differs. */
function isVariant(state: State, record: KnownRecord, key: string, hash: string): boolean {
	const { variants, newVariants } = state;
	const before = newVariants.get(key) ?? (record.isSeen ? [record.hash] : []);
	const isOther = !before.includes(hash);
	const isAgain = isOther && before.length > 0;
	if (isAgain || variants.has(key)) {
		newVariants.set(key, isOther ? [...before, hash] : before);
	}
	return isAgain;
}

/**
 * Ends a read: forgets the variants of records that it showed with one content only.
 * @param keepsOthers whether the read did not show all records and all their contents
 * @returns whether the next read has to show a record again, so that it is reported
 */
export function settleVariants(state: State, keepsOthers = false): boolean {
	const { variants, newVariants } = state;
	let isReportedNext = false;
	for (const [key, hashes] of newVariants) {
		if (hashes.length > 1) continue;
		newVariants.delete(key);
		const others = variants.get(key)?.filter((hash) => hash !== hashes[0]);
		variants.delete(key);
		if (keepsOthers && others !== undefined) variants.set(key, others);
		const record = state.known.get(key);
		// The content differs from the reported one, so the next read reports it.
		if (record === undefined || record.hash === hashes[0]) continue;
		record.hash = REPORTED_NEXT;
		isReportedNext = true;
	}
	const all = keepsOthers ? [...variants, ...newVariants] : [...newVariants];
	state.variants = new Map(all.slice(-MOST_VARIANTS));
	state.newVariants = new Map();
	return isReportedNext;
}

/**
 * @param which of the records it is, in words
 * @throws RequestError when it has no ID
 */
export function idOf(
	record: unknown,
	{ recordName, idField }: PollSettings,
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

function notUnique({ recordName }: PollSettings, id: string): RequestError {
	return unusable(
		recordName,
		`many different ${recordName}s have the same ID, such as "${id}"`,
		`Set ID Field to a field that is unique to a ${recordName}.`,
	);
}

function unusable(recordName: string, problem: string, description: string): RequestError {
	return new RequestError(`The ${recordName}s cannot be compared: ${problem}`, {
		outcome: 'unknown',
		description: `${description} Nothing was changed in what the trigger remembers.`,
	});
}
