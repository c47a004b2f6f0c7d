/**
 * What the end of a reading says of the records that it has not seen.
 *
 * The pages of a list are read one after the other, while the service changes it. A record is passed over
 * when it moves from the unread part of the list to the part that was read. Then either a record that was
 * read leaves that part, and is missing in the next reading, or another one is pushed out of it, and is read
 * again on the next page. So a reading in which no record came on two pages, and of whose records none is
 * missing in the next one, has seen everything that was there; what is missing in both was deleted.
 */
import type { Question } from './question';
import { type KnownRecord, MOST_MISSED, type Reading, type State } from './state';

export interface EndOfReading {
	/** They are forgotten already. */
	deleted: KnownRecord[];
	/** Records were missing twice, but may only have moved: another reading would tell. */
	needsCheck: boolean;
}

/** Ends the reading that is under way. */
export function endReading(
	state: State,
	reading: Reading,
	{ settings: { type }, readsChangesOnly }: Question,
): EndOfReading {
	const isComplete = reading.problem === undefined;
	const deleted: KnownRecord[] = [];
	let needsCheck = false;
	if (isComplete && !readsChangesOnly) {
		const newlyMissed = countMissed(state, reading);
		// By their numbers, pages that become longer while they are read pass over records as well.
		const isResized = type === 'pageNumber' && reading.firstLength !== state.firstLength;
		const isStill = newlyMissed === 0 && !state.hasMoved && !isResized;
		state.hasMoved = reading.hasMoved === true;
		state.firstLength = reading.firstLength;
		// A single page is from one moment.
		const enough = type === 'none' || isStill ? 2 : MOST_MISSED;
		for (const [key, record] of state.known) {
			if (record.missed >= enough) {
				deleted.push(record);
				state.known.delete(key);
			} else if (record.missed >= 2) needsCheck = reading.isCheck !== true;
		}
	}
	if (reading.isCheck !== true) {
		state.firstReadings = isComplete ? 0 : Math.max(0, state.firstReadings - 1);
	}
	forgetReading(state);
	return { deleted, needsCheck };
}

/** Drops the reading that is under way, as if it had not begun. */
export function forgetReading(state: State): void {
	state.reading = undefined;
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
