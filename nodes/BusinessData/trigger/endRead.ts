/**
 * Decides at the end of a read what happened to the records that it has not seen.
 *
 * The list changes while its pages are read one after the other. A read misses a record that moves from the unread part
 * to the part that was read. Then another record either leaves the read part, and is missing in the next read, or is
 * pushed out of it, and comes again on the next page. So a read has seen everything if no record came on two pages, and
 * none of its records is missing in the next read. What both such a full read and the next one lack was deleted. After
 * such an incremental read, the cursor moves to its beginning.
 */
import type { Events } from './events';
import type { PollSettings } from './pollSettings';
import { MOST_MISSED, type ListRead, type State } from './state';

/** How long (ms) the same changes are read again and again before the whole list is read. */
const LONGEST_UNCONFIRMED_MS = 3_600_000;

const MINUTE_MS = 60_000;

/** How much (ms) earlier than planned a scheduled poll may begin. */
const SCHEDULE_TOLERANCE_MS = 5_000;

/**
 * @param events receives the records that are deleted
 * @returns whether records were missing twice, but may only have moved, so that another read is needed
 */
export function endFullRead(
	state: State,
	read: ListRead,
	settings: PollSettings,
	events: Events,
): boolean {
	const { type } = settings.list;
	const { problem, ambiguousId, isCheck } = read;
	const isComplete = problem === undefined && ambiguousId === undefined;
	noteFullRead(state, settings, isComplete);
	let needsCheck = false;
	if (isComplete) {
		const areSomeNew = countMissed(state, isCheck);
		if (areSomeNew) events.knownBefore ??= read.known;
		const { firstLength, page, empty = 0 } = read.pageState;
		// If the page size grows during a read, page numbers skip records as well.
		const isResized = type === 'pageNumber' && firstLength !== state.observed.firstLength;
		// A record that has come back was not deleted, so earlier reads did not see everything.
		const isStill =
			!areSomeNew && !state.observed.hasMoved && !isResized && read.hasReturned !== true;
		state.observed.hasMoved = read.moved > 0;
		state.observed.firstLength = firstLength;
		// Pages after the first empty one are not read again.
		state.observed.pages = page - empty;
		// A single page shows one moment.
		const enough = type === 'none' || isStill ? 2 : MOST_MISSED;
		for (const [key, record] of state.known) {
			if (record.missed >= enough) {
				record.missed = MOST_MISSED;
				events.missing(key);
			} else if (record.missed >= 2) needsCheck = !isCheck;
		}
	}
	if (!isCheck) {
		if (problem === undefined) delete state.settings.deletedWhenBefore;
		const readsLeft = (reads: number) => (problem === undefined ? 0 : Math.max(0, reads - 1));
		state.reads.firstReads = readsLeft(state.reads.firstReads);
		state.reads.repagedReads = readsLeft(state.reads.repagedReads);
		// Between several pages, a change may have been missed, so the next incremental read must ask for it.
		const isFromNow = state.reads.cursor === undefined || read.pageState.page === 1;
		if (problem === undefined && isFromNow) moveCursor(state, read.beganAt);
	}
	forgetRead(state);
	return needsCheck;
}

/** Moves the cursor to the beginning of an incremental read that has seen everything. */
export function advanceCursor(state: State, read: ListRead): void {
	const { beganAt, pageState, problem, moved } = read;
	// The clock was set back, so the read asked for changes of the future. The whole list shows what it left out.
	if (beganAt < (state.reads.cursor ?? 0)) return moveCursor(state, undefined);
	const records = [...state.known.values()];
	const { unconfirmed: before } = state.reads;
	// A short first page holds all that there was at that moment.
	const { page, firstLength = 0 } = pageState;
	const isShort = firstLength < (state.observed.firstLength ?? 0);
	const isOneMoment = page === 1 || (page === 2 && isShort);
	const showsAll = records.every(({ wasSeen, isSeen }) => isSeen || !wasSeen);
	if (isOneMoment && problem === undefined) moveCursor(state, beganAt);
	else if (before?.isStill === true && showsAll) moveCursor(state, before.beganAt);
	else {
		const { firstBeganAt = beganAt } = before ?? {};
		const isStill = problem === undefined && moved === 0;
		state.reads.unconfirmed = { beganAt, firstBeganAt, isStill };
		for (const record of records) record.wasSeen = record.isSeen;
		// Otherwise, in a list that never stands still, the changes to read would keep growing.
		if (beganAt - firstBeganAt > LONGEST_UNCONFIRMED_MS) moveCursor(state, undefined);
	}
}

/** Counts the records that the read has not seen. @returns whether any is missing for the first time */
function countMissed({ known }: State, isCheck: boolean): boolean {
	let areSomeNew = false;
	for (const record of known.values()) {
		if (record.isSeen) continue;
		if (record.missed === 0) areSomeNew = true;
		// A check only shows which records have moved.
		if (record.missed === 0 || !isCheck) record.missed = Math.min(record.missed + 1, MOST_MISSED);
	}
	return areSomeNew;
}

/** Notes that a full read has ended, or was given up. */
export function noteFullRead(
	state: State,
	{ incremental }: PollSettings,
	isComplete: boolean,
): void {
	// Without Incremental, every poll is a full read, and the state would change each time.
	if (incremental === undefined) return;
	state.reads.fullReadAt = Date.now();
	state.reads.incompleteReads = isComplete ? 0 : state.reads.incompleteReads + 1;
}

/** Drops the current read as if it had not begun. */
export function forgetRead(state: State): void {
	delete state.read;
	for (const record of state.known.values()) record.isSeen = false;
}

function moveCursor(state: State, time: number | undefined): void {
	state.reads.cursor = time;
	delete state.reads.unconfirmed;
}

/**
 * Whether a poll reads the whole list.
 * @param events what this poll has found so far
 */
export function isFullReadDue(
	state: State,
	{ incremental, readsChangesOnly, maxDeletionPercent }: PollSettings,
	pollBeganAt: number,
	{ gone }: Events,
): boolean {
	const { cursor, fullReadAt, incompleteReads } = state.reads;
	if (readsChangesOnly) return false;
	if (incremental === undefined || cursor === undefined) return true;
	const { fullReadMs } = incremental;
	// After an incomplete read, retry at once, then after 1, 3, 7, … minutes, as a list may never be complete.
	const retryMs = MINUTE_MS * (2 ** (incompleteReads - 1) - 1);
	const waitMs = incompleteReads === 0 ? fullReadMs : Math.min(retryMs, fullReadMs);
	// The clock may also have been set back.
	const isOld =
		fullReadMs > 0 && Math.abs(pollBeganAt - fullReadAt) + SCHEDULE_TOLERANCE_MS >= waitMs;
	if (isOld || incompleteReads > 0) return isOld;
	const missed = [...state.known].filter(([key, record]) => record.missed > 0 && !gone.has(key));
	if (missed.some(([, record]) => record.missed < MOST_MISSED)) return true;
	return missed.length > 0 && !isTooMany(missed.length, state, maxDeletionPercent);
}

/** With fewer known records, a percentage means little. */
const LEAST_FOR_GUARD = 10;

/** The number of records that the guard measures against, without newer ones, which may be of another business. */
export function knownForGuard({ known, guard }: State): number {
	return guard.knownBefore ?? known.size;
}

function isTooMany(gone: number, state: State, maxDeletionPercent: number): boolean {
	const known = knownForGuard(state);
	// Newer records may be gone too, which can make more than 100 %.
	const isGuarded = known >= LEAST_FOR_GUARD && maxDeletionPercent < 100;
	return isGuarded && 100 * gone > maxDeletionPercent * known;
}

/** Emits the deletions of a poll unless they are too many. @returns how many are withheld */
export function emitDeletions(
	state: State,
	{ watchedList, maxDeletionPercent }: PollSettings,
	events: Events,
): number {
	const { known } = state;
	const { gone, knownBefore } = events;
	state.guard.knownBefore ??= knownBefore;
	if (!isTooMany(gone.size, state, maxDeletionPercent)) {
		for (const key of gone.keys()) {
			const record = known.get(key);
			if (record !== undefined) events.deleted(key, record, watchedList.idField);
			known.delete(key);
		}
	}
	const missing = [...known.values()].filter(({ missed }) => missed > 0);
	if (missing.length === 0) delete state.guard.knownBefore;
	// The records missed before are settled, so begin anew, even if each poll misses others.
	else if (missing.every(({ missed }) => missed === 1))
		state.guard.knownBefore = knownBefore ?? state.guard.knownBefore;
	return missing.filter(({ missed }) => missed === MOST_MISSED).length;
}
