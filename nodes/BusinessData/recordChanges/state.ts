/**
 * What the trigger remembers of the records: the ID of each and a hash of its content, so that changes are
 * found whatever the fields are called. Kept in n8n's static data, so it is small: 100,000 records with
 * UUIDs take less than 5 MB, also while a reading of them is under way.
 */
import type { Place } from '../resources/list/pages';
import type { ServiceRequest } from '../transport/serviceRequest';
import type { Asked } from './question';

export type RecordId = string | number;

export interface KnownRecord {
	id: RecordId;
	hash: string;
	/** In how many complete readings in a row it was missing; counted up to `MOST_MISSED`. */
	missed: number;
	/** Whether the reading that is under way has seen it. */
	isSeen: boolean;
}

/** A record that was missing so often is gone, whatever has moved meanwhile. */
export const MOST_MISSED = 5;

/** So many readings may be needed for the first complete one. */
const MOST_FIRST_READINGS = 3;

/** A reading of the list that is not at its end. */
export interface Reading {
	/** What is read next. */
	place: Place;
	/** The kind of pagination and its parameters; with others, the place means nothing. */
	pagination: string;
	/** The query that it began with, where that changes from poll to poll. */
	query?: ServiceRequest['query'];
	/** Made once more at once, because records may have moved while the list was read before. */
	isCheck?: true;
	/** What makes it incomplete. */
	problem?: string;
	/** Whether a record came on two pages, so that others may have slipped through between them. */
	hasMoved?: true;
	/** How many records the first page and the page before had. */
	firstLength?: number;
	lastLength?: number;
	/** By their dot paths, the numbers in its answers that may say how many records there are. */
	totals?: Record<string, number>;
	/** A hash of the page before, and how often the same page came again. */
	lastPage?: string;
	repeated?: number;
}

export interface State {
	asked: Asked;
	/** Grows whenever it is saved. */
	revision: number;
	/** The records by their ID as text. */
	known: Map<string, KnownRecord>;
	/** How many readings may still be needed to know the records for the first time; 0 from then on. */
	firstReadings: number;
	/** Whether records have moved during the last complete reading. */
	hasMoved: boolean;
	/** How many records the first page of the last complete reading had. */
	firstLength: number | undefined;
	/** Whether the last reading ended with an empty page that a cursor had announced. */
	endsEmpty: boolean | undefined;
	/** Dot path to a number in the answers that was the number of records in the last reading. */
	totalField: string | undefined;
	reading: Reading | undefined;
}

/** As it is saved; `version` changes with its meaning. Version 1, of the first edition, named no question. */
export interface SavedState {
	version: 2;
	asked: Asked;
	revision: number;
	ids: RecordId[];
	/** The hashes of the records, one after the other, in the order of the IDs. */
	hashes: string;
	/** A character per record for `missed` and `isSeen`; left out where all are 0 and false. */
	marks?: string;
	firstReadings?: number;
	hasMoved?: true;
	firstLength?: number;
	endsEmpty?: boolean;
	totalField?: string;
	reading?: Reading;
}

/** 48 bits as base64: the chance that a change goes unseen is one in 280 million million. */
export const HASH_LENGTH = 8;

/** The base of a mark: its digit is `missed`, and this much more for a record that was seen. */
const SEEN = MOST_MISSED + 1;

export function newState(asked: Asked): State {
	return {
		asked,
		revision: 0,
		known: new Map(),
		firstReadings: MOST_FIRST_READINGS,
		hasMoved: false,
		firstLength: undefined,
		endsEmpty: undefined,
		totalField: undefined,
		reading: undefined,
	};
}

/** The state as it was saved; undefined when there is none, or one that is not understood. */
export function readState(saved: unknown): State | undefined {
	const { version, ids, hashes, marks, ...rest } = (saved ?? {}) as Partial<SavedState>;
	const isUsable = version === 2 && Array.isArray(ids) && typeof hashes === 'string';
	if (!isUsable || hashes.length !== ids.length * HASH_LENGTH) return undefined;
	if (rest.asked === undefined || (marks !== undefined && marks.length !== ids.length)) {
		return undefined;
	}
	const known = new Map<string, KnownRecord>();
	// One copy, because each look into n8n's static data goes through a proxy.
	for (const [index, id] of [...ids].entries()) {
		const hash = hashes.slice(index * HASH_LENGTH, (index + 1) * HASH_LENGTH);
		const mark = parseInt(marks?.[index] ?? '0', 2 * SEEN);
		known.set(String(id), { id, hash, missed: mark % SEEN, isSeen: mark >= SEEN });
	}
	return {
		asked: { ...rest.asked },
		revision: rest.revision ?? 0,
		known,
		firstReadings: rest.firstReadings ?? 0,
		hasMoved: rest.hasMoved ?? false,
		firstLength: rest.firstLength,
		endsEmpty: rest.endsEmpty,
		totalField: rest.totalField,
		reading: rest.reading === undefined ? undefined : structuredCloneOf(rest.reading),
	};
}

export function saveState({ known, firstReadings, hasMoved, ...rest }: State): SavedState {
	const records = [...known.values()];
	const marks = records.map(markOf).join('');
	// What is undefined is left out, as JSON leaves it out.
	return {
		version: 2,
		...rest,
		ids: records.map(({ id }) => id),
		hashes: records.map(({ hash }) => hash).join(''),
		marks: /[^0]/.test(marks) ? marks : undefined,
		firstReadings: firstReadings > 0 ? firstReadings : undefined,
		hasMoved: hasMoved ? true : undefined,
	};
}

function markOf({ missed, isSeen }: KnownRecord): string {
	return (missed + (isSeen ? SEEN : 0)).toString(2 * SEEN);
}

/** A copy without n8n's proxies. */
function structuredCloneOf<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}
