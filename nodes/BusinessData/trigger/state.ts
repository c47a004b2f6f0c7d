/**
 * What the trigger remembers of the records: the ID of each and a hash of its content, so that changes are
 * found whatever the fields are called. Kept in n8n's static data, so it is small: 100,000 records with
 * UUIDs take less than 5 MB, also while a read of them is under way.
 */
import type { PageState } from '../lists/pages';
import type { ServiceRequest } from '../transport/serviceRequest';
import type { WatchedList } from './pollSettings';
import { fieldHashesLength, HASH_LENGTH } from './watchedFields';

export type RecordId = string | number;

export interface KnownRecord {
	id: RecordId;
	hash: string;
	/** A short hash of each field; undefined where they are not kept. */
	fields?: string;
	/** In how many complete reads in a row it was missing; counted up to `MOST_MISSED`. */
	missed: number;
	/** Whether the read that is under way has seen it. */
	isSeen: boolean;
}

/**
 * A record that was missing so often is gone, whatever has moved meanwhile; one that is kept all the same is withheld.
 */
export const MOST_MISSED = 5;

/** How many reads the first complete one may need. */
const MOST_FIRST_READS = 3;

/** What some services always do, and others when something is wrong. */
export const SIGNS = ['noLastPage', 'emptyLastPage', 'unevenPages'] as const;

export type Sign = (typeof SIGNS)[number];

/** A read of the list that is not at its end. */
export interface ListRead {
	/** What is read next. */
	place: PageState;
	/** The kind of pagination and its parameters; with others, the place means nothing. */
	pagination: string;
	/** The query that it began with, where that changes from poll to poll. */
	query?: ServiceRequest['query'];
	/** Reads only what has changed since the cursor. */
	isIncremental?: true;
	/** When it began (ms since 1970), by the clock of n8n and, from its first response, by that of the service. */
	beganAt: number;
	serviceTime?: number;
	/** The service has said that nothing has changed. */
	isUnchanged?: true;
	/** The ID of a record that came twice with different content. */
	ambiguousId?: string;
	/** How many records came that are marked as deleted and were not known. */
	marked?: number;
	/** Made once more at once, because records may have moved while the list was read before. */
	isCheck?: true;
	/** What makes it incomplete. */
	problem?: string;
	/** What would make it incomplete, were it not what this service always does; each in words for the log. */
	signs?: Partial<Record<Sign, string>>;
	/** In words, the first page without records, where the list had more pages before. */
	emptyPage?: string;
	/** Whether a record came on two pages, so that others may have slipped through between them. */
	hasMoved?: true;
	/** How many records the first page and the page before had. */
	firstLength?: number;
	lastLength?: number;
	/** By their dot paths, the numbers in its responses that may say how many records there are. */
	totals?: Record<string, number>;
	/** A hash of the page before, and how often the same page came again. */
	lastPage?: string;
	repeated?: number;
}

export interface State {
	watchedList: WatchedList;
	/** Grows whenever it is saved. */
	revision: number;
	/** The records by their ID as text. */
	known: Map<string, KnownRecord>;
	/** The names that lead to the ID of a record, where they are not the parts of its dot path. */
	idNames?: string[];
	/** How many reads may still be needed to know the records for the first time; 0 from then on. */
	firstReads: number;
	/** Whether records have moved during the last complete read. */
	hasMoved: boolean;
	/** How many records the first page of the last complete read had. */
	firstLength: number | undefined;
	/** The signs that this service always shows, which mean nothing. */
	habits: Sign[];
	/** How many requests the last complete read took. */
	pages: number | undefined;
	/** Dot path to a number in the responses that was the number of records in the last read. */
	totalField: string | undefined;
	/** By its ID, the hashes of a record that the last read showed with different content. */
	variants: Map<string, string[]>;
	/** A hash of the watched fields. */
	watched: string;
	/** The places of fields in the hashes of records; undefined where they are not kept. */
	fieldNames: Map<string, number> | undefined;
	/** Whether field hashes would take too much space. */
	hasTooManyFields: boolean;
	/** When the last read that came to its end began, by the clock of the service (ms since 1970). */
	cursor: number | undefined;
	/** When the last full read began, by the clock of n8n. */
	fullReadAt: number;
	/** How many full reads in a row did not come to the end of the list. */
	cutOffReads: number;
	/** When withheld deletions were last reported. */
	withheldSaidAt: number | undefined;
	/** The variants of the read that is under way, and what it showed of the records in `variants`. */
	newVariants: Map<string, string[]>;
	read: ListRead | undefined;
}

/** The state as it is saved: names stay, and `version` changes with their meaning. */
export interface SavedState {
	version: 2;
	asked: WatchedList;
	revision: number;
	ids: RecordId[];
	/** The hashes of the records, one after the other, in the order of the IDs. */
	hashes: string;
	/** A character per record for `missed` and `isSeen`; left out where all are 0 and false. */
	marks?: string;
	idNames?: string[];
	firstReadings?: number;
	hasMoved?: true;
	firstLength?: number;
	habits?: Sign[];
	pages?: number;
	variants?: Array<[key: string, hashes: string[]]>;
	newVariants?: Array<[key: string, hashes: string[]]>;
	watched?: string;
	fieldNames?: string[];
	/** The field hashes of the records, each as long as all names need. */
	fields?: string;
	hasTooManyFields?: true;
	cursor?: number;
	fullReadAt?: number;
	cutOffReads?: number;
	withheldSaidAt?: number;
	totalField?: string;
	reading?: ListRead;
}

/** The hash of a record that the next read reports, whatever its content. */
export const REPORTED_NEXT = '!'.repeat(HASH_LENGTH);
/** The hash of a record that the next read hashes anew without reporting it: other fields are watched. */
export const TAKEN_NEXT = '~'.repeat(HASH_LENGTH);

/** With field hashes, 100,000 records take less than 12 MB. */
const MOST_FIELD_BYTES = 7_000_000;

/** The base of a mark: its digit is `missed`, and this much more for a record that was seen. */
const SEEN = MOST_MISSED + 1;

export function newState(watchedList: WatchedList): State {
	return {
		watchedList,
		revision: 0,
		known: new Map(),
		firstReads: MOST_FIRST_READS,
		hasMoved: false,
		firstLength: undefined,
		habits: [],
		pages: undefined,
		totalField: undefined,
		variants: new Map(),
		newVariants: new Map(),
		watched: '',
		fieldNames: undefined,
		hasTooManyFields: false,
		cursor: undefined,
		fullReadAt: 0,
		cutOffReads: 0,
		withheldSaidAt: undefined,
		read: undefined,
	};
}

/** The state as it was saved; undefined when there is none, or one that is not understood. */
export function readState(saved: unknown): State | undefined {
	const { version, ids, hashes, marks, fields, ...rest } = (saved ?? {}) as Partial<SavedState>;
	const isUsable = version === 2 && Array.isArray(ids) && typeof hashes === 'string';
	if (!isUsable || hashes.length !== ids.length * HASH_LENGTH) return undefined;
	if (rest.asked === undefined || (marks !== undefined && marks.length !== ids.length)) {
		return undefined;
	}
	const known = new Map<string, KnownRecord>();
	const fieldNames =
		rest.fieldNames && new Map([...rest.fieldNames].map((name, index) => [name, index] as const));
	const length = fieldNames === undefined ? 0 : fieldHashesLength(fieldNames);
	// One copy, because each look into n8n's static data goes through a proxy.
	for (const [index, id] of [...ids].entries()) {
		const hash = hashes.slice(index * HASH_LENGTH, (index + 1) * HASH_LENGTH);
		const mark = parseInt(marks?.[index] ?? '0', 2 * SEEN);
		const ofFields = fields?.slice(index * length, (index + 1) * length).trimEnd();
		known.set(String(id), {
			id,
			hash,
			...(ofFields ? { fields: ofFields } : {}),
			missed: mark % SEEN,
			isSeen: mark >= SEEN,
		});
	}
	return {
		watchedList: { ...rest.asked },
		revision: rest.revision ?? 0,
		known,
		...(rest.idNames === undefined ? {} : { idNames: [...rest.idNames] }),
		firstReads: rest.firstReadings ?? 0,
		hasMoved: rest.hasMoved ?? false,
		firstLength: rest.firstLength,
		habits: [...(rest.habits ?? [])],
		pages: rest.pages,
		totalField: rest.totalField,
		variants: new Map(copyOf(rest.variants ?? [])),
		newVariants: new Map(copyOf(rest.newVariants ?? [])),
		watched: rest.watched ?? '',
		fieldNames,
		hasTooManyFields: rest.hasTooManyFields ?? false,
		cursor: rest.cursor,
		fullReadAt: rest.fullReadAt ?? 0,
		cutOffReads: rest.cutOffReads ?? 0,
		withheldSaidAt: rest.withheldSaidAt,
		read: rest.reading === undefined ? undefined : copyOf(rest.reading),
	};
}

export function saveState(state: State): SavedState {
	const {
		known,
		watchedList,
		firstReads,
		read,
		hasMoved,
		habits,
		variants,
		newVariants,
		...others
	} = state;
	const { watched, fieldNames, hasTooManyFields, fullReadAt, cutOffReads, ...rest } = others;
	const records = [...known.values()];
	const marks = records.map(markOf).join('');
	// What is undefined is left out, as JSON leaves it out.
	return {
		version: 2,
		asked: watchedList,
		...rest,
		reading: read,
		ids: records.map(({ id }) => id),
		hashes: records.map(({ hash }) => hash).join(''),
		marks: /[^0]/.test(marks) ? marks : undefined,
		firstReadings: firstReads > 0 ? firstReads : undefined,
		hasMoved: hasMoved ? true : undefined,
		habits: habits.length > 0 ? habits : undefined,
		variants: variants.size > 0 ? [...variants] : undefined,
		newVariants: newVariants.size > 0 ? [...newVariants] : undefined,
		watched: watched === '' ? undefined : watched,
		...(fieldNames === undefined
			? {}
			: {
					fieldNames: [...fieldNames.keys()],
					fields: records
						.map(({ fields = '' }) => fields.padEnd(fieldHashesLength(fieldNames)))
						.join(''),
				}),
		hasTooManyFields: hasTooManyFields ? true : undefined,
		fullReadAt: fullReadAt > 0 ? fullReadAt : undefined,
		cutOffReads: cutOffReads > 0 ? cutOffReads : undefined,
	};
}

/** Leaves the field hashes out where they take too much. Returns whether it has done so. */
export function boundFieldHashes(state: State): boolean {
	const { known, fieldNames } = state;
	if (fieldNames === undefined) return false;
	const bytes = known.size * fieldHashesLength(fieldNames) + [...fieldNames.keys()].join().length;
	if (bytes <= MOST_FIELD_BYTES) return false;
	forgetFieldHashes(state);
	state.hasTooManyFields = true;
	return true;
}

/** Takes the hashes of all records anew with the next full read. */
export function forgetHashes(state: State, watched: string): void {
	for (const record of state.known.values()) record.hash = TAKEN_NEXT;
	forgetFieldHashes(state);
	state.variants.clear();
	state.watched = watched;
	state.cursor = undefined;
}

export function forgetFieldHashes(state: State): void {
	for (const record of state.known.values()) delete record.fields;
	state.fieldNames = undefined;
	state.hasTooManyFields = false;
}

function markOf({ missed, isSeen }: KnownRecord): string {
	return (missed + (isSeen ? SEEN : 0)).toString(2 * SEEN);
}

/** A copy without n8n's proxies. */
function copyOf<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}
