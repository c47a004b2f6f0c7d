/** Compares a page of records with the known records, and updates the latter. */
import type { IDataObject } from 'n8n-workflow';

import { yieldWhenBusy } from '../async';
import { RequestError } from '../transport/requestError';
import { valueAt } from '../values/dotPath';
import type { Events } from './events';
import { hashOf } from '../values/hash';
import { saysNo } from '../values/text';
import type { PollSettings } from './pollSettings';
import {
	boundFieldHashes,
	type KnownRecord,
	type ListRead,
	MOST_MISSED,
	REHASHED_NEXT,
	type State,
} from './state';
import { differentFields, fieldHashesOf, HASH_LENGTH } from './watchedFields';

/**
 * If a record comes several times in a read, its first content counts. The next read shows the other.
 * @param read receives what the page says about it
 * @param events receives what was created, updated, or marked as deleted
 * @returns whether a record came for the first time in this read
 * @throws RequestError if a record has no ID
 */
export async function comparePage(
	records: unknown[],
	state: State,
	read: ListRead,
	settings: PollSettings,
	events: Events,
): Promise<boolean> {
	const { known, reads } = state;
	const { watchedFields } = settings;
	const wasCutOff = reads.repagedReads > 0 && read.isFull && read.pageState.page > 1;
	const emitsCreated = (reads.firstReads === 0 && !wasCutOff) || settings.emitsExisting;
	const onPage = new Set<string>();
	let isNew = false;
	let namesBefore = state.fieldNames?.size;
	const yieldToEventLoop = yieldWhenBusy();
	for (const [index, value] of records.entries()) {
		await yieldToEventLoop();
		// If each record has fields of its own, their hashes could fill the memory within one page.
		if (state.fieldNames?.size !== namesBefore) boundFieldHashes(state);
		const { fieldNames } = state;
		namesBefore = fieldNames?.size;
		const id = idOf(value, settings, `${index + 1} of ${records.length}`);
		const key = String(id);
		const part = watchedFields.watchedPart(value);
		const hash = hashOf(part, HASH_LENGTH);
		const fields = () => fieldNames && fieldHashesOf(part, fieldNames);
		const isGone = isMarked(value, settings.deletedWhen);
		const record = known.get(key);
		if (record?.isSeen === true) {
			// A page shows one moment, so a record that is on it twice has not moved.
			if (!onPage.has(key)) read.moved++;
			if (isGone || hash === record.hash) continue;
			read.ambiguousId ??= key;
			// If it is as before this poll, nothing has changed.
			if (!events.wasBefore(key, hash)) continue;
		} else isNew = true;
		onPage.add(key);
		if (isGone) {
			if (record === undefined) continue;
			Object.assign(record, { missed: MOST_MISSED, isSeen: true });
			events.gone.set(key, value as IDataObject);
			continue;
		}
		events.gone.delete(key);
		if (record === undefined) {
			known.set(key, { id, hash, fields: fields(), missed: 0, isSeen: true, wasSeen: false });
			// It may have been left out before, because the old settings considered it deleted.
			const wasThere = isMarked(value, state.settings.deletedWhenBefore);
			if (emitsCreated && !wasThere) events.created(key, value as IDataObject);
			continue;
		}
		if (record.missed > 0) read.hasReturned = true;
		const { hash: before, fields: fieldsBefore } = record;
		const fieldsNow = before !== hash || fieldsBefore === undefined ? fields() : fieldsBefore;
		Object.assign(record, { hash, fields: fieldsNow, missed: 0, isSeen: true });
		if (before === hash || before === REHASHED_NEXT) continue;
		const areKnown = fieldNames !== undefined && fieldsBefore !== undefined;
		const changed = areKnown
			? differentFields(fieldsBefore, fieldsNow ?? '', fieldNames)
			: undefined;
		events.updated(key, value as IDataObject, { before, now: hash }, changed);
	}
	return isNew;
}

/** Whether the service marks the record as deleted. */
export function isMarked(record: unknown, deletedWhen: PollSettings['deletedWhen']): boolean {
	if (deletedWhen === undefined) return false;
	const value = valueAt(record, deletedWhen.field);
	const isText = ['string', 'number', 'boolean'].includes(typeof value) || value === null;
	const text = String(value).trim();
	const isAny = deletedWhen.values.includes('*') && !saysNo(text);
	return isText && (isAny || deletedWhen.values.includes(text));
}

/**
 * @param which record it is, in words
 * @throws RequestError if it has no ID
 */
export function idOf(
	record: unknown,
	{ recordName, watchedList: { idField } }: PollSettings,
	which: string,
): KnownRecord['id'] {
	const id = valueAt(record, idField);
	if (typeof id === 'number' || (typeof id === 'string' && id !== '')) return id;
	throw new RequestError(
		`The ${recordName}s cannot be compared: ${recordName} ${which} has no ID at "${idField}"`,
		{
			outcome: 'unknown',
			description: `Set ID Field to the field that identifies a ${recordName}, as a dot path. Nothing was changed in what the trigger remembers.`,
		},
	);
}
