/**
 * What the end of a read says of the records that it has not seen.
 *
 * The pages of a list are read one after the other, while the service changes it. A record is passed over
 * when it moves from the unread part of the list to the part that was read. Then either a record that was
 * read leaves that part, and is missing in the next read, or another one is pushed out of it, and is read
 * again on the next page. So a read in which no record came on two pages, and of whose records none is
 * missing in the next one, has seen everything that was there; what is missing in both was deleted.
 */
import { settleVariants } from './comparePage';
import type { Events } from './events';
import type { PollSettings } from './pollSettings';
import { MOST_MISSED, type ListRead, type State } from './state';

/** How many full reads in a row may follow one that did not come to the end of the list. */
const MOST_CUT_OFF = 3;

/**
 * Ends the full read that is under way.
 * @param gone receives the IDs of the records that are deleted
 * @returns whether records were missing twice, but may only have moved, so that another read is needed
 */
export function endRead(
	state: State,
	read: ListRead,
	{ list: { type }, readsChangesOnly, incremental }: PollSettings,
	gone: Set<string>,
): { needsCheck: boolean } {
	const isCutOff = read.problem !== undefined;
	const isComplete = !isCutOff && read.ambiguousId === undefined;
	let needsCheck = false;
	if (isComplete && !readsChangesOnly) {
		const newlyMissed = countMissed(state, read);
		// By their numbers, pages that become longer while they are read pass over records as well.
		const isResized = type === 'pageNumber' && read.firstLength !== state.firstLength;
		const isStill = newlyMissed === 0 && !state.hasMoved && !isResized;
		state.hasMoved = read.hasMoved === true;
		state.firstLength = read.firstLength;
		state.pages = read.place.page;
		// A single page is from one moment.
		const enough = type === 'none' || isStill ? 2 : MOST_MISSED;
		for (const [key, record] of state.known) {
			if (record.missed >= enough) {
				record.missed = MOST_MISSED;
				gone.add(key);
			} else if (record.missed >= 2) needsCheck = read.isCheck !== true;
		}
	}
	if (read.isCheck !== true) {
		state.firstReads = isCutOff ? Math.max(0, state.firstReads - 1) : 0;
		state.cutOffReads = isCutOff && incremental !== undefined ? state.cutOffReads + 1 : 0;
		if (incremental === undefined) state.cursor = undefined;
		// A change may have slipped past between several pages: the incremental read that follows shows it.
		else if (!isCutOff && (state.cursor === undefined || read.place.page === 1)) {
			state.cursor = read.serviceTime ?? read.beganAt;
		}
		// Another one follows with the next poll, unless that does not help.
		if (incremental !== undefined && state.cutOffReads % MOST_CUT_OFF === 0) {
			state.fullReadAt = read.beganAt;
		}
	}
	settleVariants(state);
	forgetRead(state);
	return { needsCheck };
}

/** Drops the read that is under way, as if it had not begun. */
export function forgetRead(state: State): void {
	state.read = undefined;
	state.newVariants.clear();
	for (const record of state.known.values()) record.isSeen = false;
}

/** Counts what the read has not seen. Returns how many records are missing for the first time. */
function countMissed({ known }: State, { isCheck }: ListRead): number {
	let newlyMissed = 0;
	for (const record of known.values()) {
		if (record.isSeen) continue;
		if (record.missed === 0) newlyMissed++;
		// A check tells what has moved, and is no second time.
		if (record.missed === 0 || isCheck !== true) {
			record.missed = Math.min(record.missed + 1, MOST_MISSED);
		}
	}
	return newlyMissed;
}

/** Whether a poll reads the whole list. */
export function isFullReadDue(
	state: State,
	{ incremental, maxDeletionPercent }: PollSettings,
	now: number,
): boolean {
	const { known, cursor, fullReadAt, cutOffReads } = state;
	if (incremental === undefined || cursor === undefined) return true;
	// The clock may also have been set back.
	const isOld = Math.abs(now - fullReadAt) >= incremental.fullReadMs;
	if (incremental.fullReadMs > 0 && isOld) return true;
	if (cutOffReads % MOST_CUT_OFF > 0) return true;
	const missed = [...known.values()].map((record) => record.missed).filter((times) => times > 0);
	if (missed.some((times) => times < MOST_MISSED)) return true;
	return missed.length > 0 && !isTooMany(missed.length, known.size, maxDeletionPercent);
}

/** With fewer records, a share says nothing. */
const LEAST_FOR_GUARD = 10;

function isTooMany(gone: number, known: number, maxDeletionPercent: number): boolean {
	return known >= LEAST_FOR_GUARD && 100 * gone > maxDeletionPercent * known;
}

/** Reports the deletions that a poll has found, unless they are too many. */
export function emitDeletions(
	{ known, idNames }: State,
	{ idField, maxDeletionPercent }: PollSettings,
	events: Events,
): void {
	const { gone } = events;
	if (isTooMany(gone.size, known.size, maxDeletionPercent)) return;
	for (const key of gone) {
		const record = known.get(key);
		if (record !== undefined) events.deleted(key, record, idNames ?? idField.split('.'));
		known.delete(key);
	}
}

/** How many deletions are withheld. */
export function countWithheld({ known }: State): number {
	return [...known.values()].filter(({ missed }) => missed === MOST_MISSED).length;
}
