/**
 * What the end of a reading says of the records that it has not seen.
 *
 * The pages of a list are read one after the other, while the service changes it. A record is passed over
 * when it moves from the unread part of the list to the part that was read. Then either a record that was
 * read leaves that part, and is missing in the next reading, or another one is pushed out of it, and is read
 * again on the next page. So a reading in which no record came on two pages, and of whose records none is
 * missing in the next one, has seen everything that was there; what is missing in both was deleted.
 */
import { settleVariants } from './comparePage';
import type { Events } from './events';
import type { Question } from './question';
import { MOST_MISSED, type Reading, type State } from './state';

/** So many full reads in a row may follow one that did not come to the end of the list. */
const MOST_CUT_OFF = 3;

/**
 * Ends the full read that is under way.
 * @param gone receives the IDs of the records that are deleted
 * @returns whether records were missing twice, but may only have moved: another read would tell
 */
export function endReading(
	state: State,
	reading: Reading,
	{ settings: { type }, readsChangesOnly, incremental }: Question,
	gone: Set<string>,
): { needsCheck: boolean } {
	const isCutOff = reading.problem !== undefined;
	const isComplete = !isCutOff && reading.ambiguousId === undefined;
	let needsCheck = false;
	if (isComplete && !readsChangesOnly) {
		const newlyMissed = countMissed(state, reading);
		// By their numbers, pages that become longer while they are read pass over records as well.
		const isResized = type === 'pageNumber' && reading.firstLength !== state.firstLength;
		const isStill = newlyMissed === 0 && !state.hasMoved && !isResized;
		state.hasMoved = reading.hasMoved === true;
		state.firstLength = reading.firstLength;
		state.pages = reading.place.page;
		// A single page is from one moment.
		const enough = type === 'none' || isStill ? 2 : MOST_MISSED;
		for (const [key, record] of state.known) {
			if (record.missed >= enough) {
				record.missed = MOST_MISSED;
				gone.add(key);
			} else if (record.missed >= 2) needsCheck = reading.isCheck !== true;
		}
	}
	if (reading.isCheck !== true) {
		state.firstReadings = isCutOff ? Math.max(0, state.firstReadings - 1) : 0;
		state.cutOffReads = isCutOff && incremental !== undefined ? state.cutOffReads + 1 : 0;
		if (incremental === undefined) state.cursor = undefined;
		// Of several pages, a change may have slipped past: the incremental read that follows shows it.
		else if (!isCutOff && (state.cursor === undefined || reading.place.page === 1)) {
			state.cursor = reading.serviceTime ?? reading.beganAt;
		}
		// Another one follows with the next poll, unless that does not help.
		if (incremental !== undefined && state.cutOffReads % MOST_CUT_OFF === 0) {
			state.fullReadAt = reading.beganAt;
		}
	}
	settleVariants(state);
	forgetReading(state);
	return { needsCheck };
}

/** Drops the reading that is under way, as if it had not begun. */
export function forgetReading(state: State): void {
	state.reading = undefined;
	state.newVariants.clear();
	for (const record of state.known.values()) record.isSeen = false;
}

/** Counts what the reading has not seen. Returns how many records are missing for the first time. */
function countMissed({ known }: State, { isCheck }: Reading): number {
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
	{ incremental, maxDeletionPercent }: Question,
	now: number,
): boolean {
	const { known, cursor, fullReadAt, cutOffReads } = state;
	if (incremental === undefined || cursor === undefined) return true;
	// It may also have been set back since.
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

/** Tells the deletions that a poll has found, unless they are too many. */
export function tellDeletions(
	{ known }: State,
	{ maxDeletionPercent }: Question,
	events: Events,
): void {
	const { gone } = events;
	if (isTooMany(gone.size, known.size, maxDeletionPercent)) return;
	for (const key of gone) {
		const record = known.get(key);
		if (record !== undefined) events.deleted(key, record);
		known.delete(key);
	}
}

/** How many deletions are withheld. */
export function countWithheld({ known }: State): number {
	return [...known.values()].filter(({ missed }) => missed === MOST_MISSED).length;
}
