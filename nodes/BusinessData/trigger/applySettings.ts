/** Adapts what the trigger remembers to an edit of its settings. */
import { hashOf } from '../values/hash';
import { forgetRead } from './endRead';
import type { PollSettings } from './pollSettings';
import { forgetFieldHashes, MOST_FIRST_READS, REHASHED_NEXT, type State } from './state';

/** Call before each poll reads. */
export function applySettings(state: State, settings: PollSettings): void {
	applyWatchedFields(state, settings);
	applyDeletedWhen(state, settings);
	applyPagination(state, settings);
}

/** After an edit of the watched fields, a full read hashes all records again. */
function applyWatchedFields(state: State, settings: PollSettings): void {
	const { watchedFields, emitsChangedFields } = settings;
	if (state.settings.watched !== watchedFields.key) {
		for (const record of state.known.values()) record.hash = REHASHED_NEXT;
		forgetFieldHashes(state);
		forgetRead(state);
		state.settings.watched = watchedFields.key;
		delete state.reads.cursor;
	}
	if (!emitsChangedFields) forgetFieldHashes(state);
	else if (!state.hasTooManyFields && state.fieldNames === undefined) {
		state.fieldNames = new Map();
		// Only a full read hashes all records.
		state.reads.fullReadAt = 0;
	}
}

/** After an edit of Deleted When, a full read finds records that it had left out. They existed, so they are not created. */
function applyDeletedWhen(state: State, { deletedWhen, readsChangesOnly }: PollSettings): void {
	const before = state.settings.deletedWhen;
	state.settings.deletedWhen = deletedWhen;
	if (before === undefined || JSON.stringify(before) === JSON.stringify(deletedWhen)) return;
	// Without full reads, nobody can tell when all of them were seen.
	if (readsChangesOnly) return;
	state.settings.deletedWhenBefore = before;
	forgetRead(state);
	delete state.reads.cursor;
}

function applyPagination(state: State, settings: PollSettings): void {
	const { list, incremental, readsChangesOnly } = settings;
	const { itemsField: _, idField: __, ...paging } = list;
	// If an expression asks for changes, the list has other pages than without it.
	const pagination = hashOf(readsChangesOnly ? [paging, 'changes'] : paging, 16);
	const incrementalHash = incremental && hashOf(incremental, 16);
	const isRepaged = state.settings.pagination !== pagination;
	if (!isRepaged && state.settings.incremental === incrementalHash) return;
	forgetRead(state);
	// Unless a full read was complete, what the new settings find first existed before.
	if (state.observed.pages === 0 && !readsChangesOnly) {
		state.reads.firstReads = MOST_FIRST_READS;
		delete state.reads.cursor;
	}
	// So did what they find after a page that was mistaken for the whole list, because services cut lists off silently.
	if (isRepaged && state.observed.pages === 1) {
		state.reads.repagedReads = MOST_FIRST_READS;
		// Until a full read, a change of an existing record would look like a creation.
		state.reads.fullReadAt = 0;
	}
	Object.assign(state.settings, { pagination, incremental: incrementalHash });
}
