/**
 * What the trigger remembers in n8n's static data: the ID of each record and a hash of its content. 100,000 records with
 * UUIDs take less than 5 MB.
 */
import type { PageState } from '../lists/pages';
import type { ServiceRequest } from '../transport/serviceRequest';
import type { PollSettings, WatchedList } from './pollSettings';
import { FIELD_HASH_LENGTH, HASH_LENGTH } from './watchedFields';

export interface KnownRecord {
	id: string | number;
	hash: string;
	/** A short hash of each field; undefined if they are not kept. */
	fields?: string;
	/** How many complete reads in a row it was missing in, up to `MOST_MISSED`. */
	missed: number;
	/** Whether the current read has seen it. */
	isSeen: boolean;
	/** Whether the last unconfirmed incremental read has seen it. */
	wasSeen: boolean;
}

/** A record missing this often was deleted, whatever has moved. If it is still known, its deletion is withheld. */
export const MOST_MISSED = 5;

/** How many polls the first complete read may need. */
export const MOST_FIRST_READS = 3;

/**
 * What some services always do, and others only if something is wrong: pages of uneven length, an empty page that the
 * previous one had announced, what looks like a failure beside records, or an unusual end of the pages.
 */
export type Sign = 'unevenPages' | 'emptyLastPage' | 'failure' | `end by ${string}`;

/** A read of the list that has not ended. */
export interface ListRead {
	/** The page to read next. */
	pageState: PageState;
	/** The query that it began with, if that changes from poll to poll. */
	query?: ServiceRequest['query'];
	/** Whether it reads the whole list. Otherwise, a missing record is just unchanged. */
	isFull: boolean;
	/** Whether it directly follows another full read, because records may have moved during that. */
	isCheck: boolean;
	/** When it began (ms since 1970), by the service's clock once that is known. */
	beganAt: number;
	/** How many records were known when it began. */
	known: number;
	/** How many entries came, including those without a record. */
	came: number;
	/** The ID of a record that came twice with different content. */
	ambiguousId?: string;
	/** Why it is incomplete. */
	problem?: string;
	/** Why it may be incomplete, worded for the log. A sign that the service always shows does not count. */
	signs: Partial<Record<Sign, string>>;
	/** Describes the first page without records, if the list used to have more pages. */
	emptyPage?: string;
	/** How many records were repeated on a later page, so that others may have been missed between the pages. */
	moved: number;
	/** Whether a record came that was missing before. */
	hasReturned?: true;
	/** By dot path, the numbers in its responses that may be the total number of records. */
	totals: Record<string, number>;
	/** How many pages in a row had only repeated records. */
	repeated: number;
}

/** The settings of the last poll, so that the next one notices an edit. */
interface LastSettings {
	/** A hash of the pagination. */
	pagination?: string;
	/** A hash of the option Incremental, if it is set. */
	incremental?: string;
	/** A hash of those of the watched fields. */
	watched: string;
	/** What marks a deleted record, and until the whole list has been read since, what did so before the last edit. */
	deletedWhen?: PollSettings['deletedWhen'];
	deletedWhenBefore?: PollSettings['deletedWhen'];
}

/** What complete reads have shown about the list. */
interface ObservedList {
	/** How many pages the last complete read had; 0 before the first one. */
	pages: number;
	/** How many records its first page had. */
	firstLength?: number;
	/** Whether records have moved during it. */
	hasMoved: boolean;
	/** The signs that this service always shows. */
	habits: Sign[];
	/** Dot path to the records once there were any, because a list stays where it was found. */
	listPath?: string;
	/** Dot path to a number in the responses that is the total number of records. */
	totalField?: string;
}

/** How well the trigger knows the list so far. */
export interface ReadProgress {
	/** How many polls may still be needed to know all records for the first time; then 0. */
	firstReads: number;
	/** After an edit of the pagination, how many polls may still find old records that the former pagination left out. */
	repagedReads: number;
	/** When the last read that saw everything began, by the service's clock (ms since 1970). */
	cursor?: number;
	/** The last incremental read, if it may have missed something, and when the first of several such reads began. */
	unconfirmed?: { beganAt: number; firstBeganAt: number; isStill: boolean };
	/** With Incremental, when the last full read took place, by n8n's clock. */
	fullReadAt: number;
	/** How many full reads in a row were incomplete. */
	incompleteReads: number;
}

/** What the guard against too many deletions at once needs to know. */
interface DeletionGuard {
	/** How many records were known before the missing ones were first missed; undefined if none is missing. */
	knownBefore?: number;
	/** When withheld deletions were last reported; 0 if there are none. */
	reportedAt: number;
}

export interface State {
	watchedList: WatchedList;
	/** Grows whenever it is saved. */
	revision: number;
	/** The records by their ID as text. */
	known: Map<string, KnownRecord>;
	settings: LastSettings;
	observed: ObservedList;
	reads: ReadProgress;
	guard: DeletionGuard;
	/** The indexes of field hashes, by dot path; undefined if they are not kept. */
	fieldNames?: Map<string, number>;
	/** Whether field hashes would take too much space. */
	hasTooManyFields: boolean;
	/** The current read. */
	read?: ListRead;
}

/** The state as it is saved. */
export type SavedState = Omit<State, 'known' | 'fieldNames'> & {
	version: typeof VERSION;
	ids: Array<KnownRecord['id']>;
	/** The hashes of the records, one after the other, in the order of the IDs. */
	hashes: string;
	/** One character per record for everything else. */
	marks: string;
	fieldNames?: string[];
	/** The field hashes of the records, padded to the same length. */
	fields?: string;
};

const VERSION = 4;

/** Stands for the hash of a record that the next read must hash again because other fields are watched. */
export const REHASHED_NEXT = '~'.repeat(HASH_LENGTH);

/** Stands for the hash of a record that must be reported whenever it comes. */
export const REPORTED_NEXT = '!'.repeat(HASH_LENGTH);

/** With field hashes, 100,000 records take less than 12 MB. */
const MOST_FIELD_BYTES = 7_000_000;

/** A mark is `missed` plus these numbers if the record is or was seen. */
const IS_SEEN = MOST_MISSED + 1;
const WAS_SEEN = 2 * IS_SEEN;
const MARKS = 2 * WAS_SEEN;

export function newState(watchedList: WatchedList): State {
	return {
		watchedList,
		revision: 0,
		known: new Map(),
		settings: { watched: '' },
		observed: { pages: 0, hasMoved: false, habits: [] },
		reads: { firstReads: MOST_FIRST_READS, repagedReads: 0, fullReadAt: 0, incompleteReads: 0 },
		guard: { reportedAt: 0 },
		hasTooManyFields: false,
	};
}

/** Restores a saved state; undefined if there is none, or it has another version. */
export function readState(saved: unknown): State | undefined {
	if ((saved as Partial<SavedState> | undefined)?.version !== VERSION) return undefined;
	// A copy, because n8n's static data is a slow proxy.
	const copy = JSON.parse(JSON.stringify(saved)) as Partial<SavedState>;
	const { version: _, ids = [], hashes, marks, fieldNames, fields = '', ...rest } = copy;
	const isWhole = hashes?.length === ids.length * HASH_LENGTH && marks?.length === ids.length;
	if (!isWhole || rest.watchedList === undefined) return undefined;
	const length = FIELD_HASH_LENGTH * (fieldNames?.length ?? 0);
	const records = ids.map((id, index): [string, KnownRecord] => {
		const mark = parseInt(marks.charAt(index), MARKS);
		const ofFields = fields.slice(index * length, (index + 1) * length).trimEnd();
		const record: KnownRecord = {
			id,
			hash: hashes.slice(index * HASH_LENGTH, (index + 1) * HASH_LENGTH),
			missed: mark % IS_SEEN,
			isSeen: mark % WAS_SEEN >= IS_SEEN,
			wasSeen: mark >= WAS_SEEN,
		};
		return [String(id), ofFields === '' ? record : { ...record, fields: ofFields }];
	});
	const indexes = fieldNames?.map((name, index) => [name, index] as const);
	const names = indexes && { fieldNames: new Map(indexes) };
	// The saved state may lack fields that were added later.
	const empty = newState(rest.watchedList);
	return {
		...empty,
		...rest,
		settings: { ...empty.settings, ...rest.settings },
		observed: { ...empty.observed, ...rest.observed },
		reads: { ...empty.reads, ...rest.reads },
		guard: { ...empty.guard, ...rest.guard },
		known: new Map(records),
		...names,
	};
}

export function saveState({ known, fieldNames, ...rest }: State): SavedState {
	const records = [...known.values()];
	const mark = ({ missed, isSeen, wasSeen }: KnownRecord) =>
		(missed + (isSeen ? IS_SEEN : 0) + (wasSeen ? WAS_SEEN : 0)).toString(MARKS);
	const length = FIELD_HASH_LENGTH * (fieldNames?.size ?? 0);
	return {
		version: VERSION,
		...rest,
		ids: records.map(({ id }) => id),
		hashes: records.map(({ hash }) => hash).join(''),
		marks: records.map(mark).join(''),
		...(fieldNames && {
			fieldNames: [...fieldNames.keys()],
			fields: records.map(({ fields = '' }) => fields.padEnd(length)).join(''),
		}),
	};
}

/** Drops field hashes that take too much space: first those of unused fields, then all. */
export function boundFieldHashes(state: State): void {
	if (fieldBytes(state) <= MOST_FIELD_BYTES) return;
	forgetUnusedFields(state);
	// There must be room to spare, or the next new field would lead here again.
	if (fieldBytes(state) <= MOST_FIELD_BYTES / 2) return;
	forgetFieldHashes(state);
	state.hasTooManyFields = true;
}

function fieldBytes({ known, fieldNames }: State): number {
	const names = [...(fieldNames?.keys() ?? [])];
	return known.size * FIELD_HASH_LENGTH * names.length + names.join().length;
}

function forgetUnusedFields(state: State): void {
	const { known, fieldNames = new Map<string, number>() } = state;
	const hashOfField = ({ fields = '' }: KnownRecord, index: number) =>
		fields.slice(index * FIELD_HASH_LENGTH, (index + 1) * FIELD_HASH_LENGTH);
	const records = [...known.values()];
	const used = [...fieldNames].filter(([, index]) =>
		records.some((record) => hashOfField(record, index).trim() !== ''),
	);
	for (const record of records) {
		if (record.fields === undefined) continue;
		const hashes = used.map(([, index]) => hashOfField(record, index).padEnd(FIELD_HASH_LENGTH));
		record.fields = hashes.join('').trimEnd();
	}
	state.fieldNames = new Map(used.map(([name], index) => [name, index]));
}

export function forgetFieldHashes(state: State): void {
	for (const record of state.known.values()) delete record.fields;
	delete state.fieldNames;
	state.hasTooManyFields = false;
}
