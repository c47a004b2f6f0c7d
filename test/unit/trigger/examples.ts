/** What the tests of trigger/ share: a watched list, the settings of a poll, and polls without n8n. */
import type { IDataObject } from 'n8n-workflow';

import type { PageClient } from '../../../nodes/BusinessData/lists/pages';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { emitDeletions } from '../../../nodes/BusinessData/trigger/endRead';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { ListReader } from '../../../nodes/BusinessData/trigger/readList';
import {
	type KnownRecord,
	type ListRead,
	newState,
	readState,
	saveState,
	type State,
} from '../../../nodes/BusinessData/trigger/state';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { requestOf } from '../transport/examples';

export const NOW = 1_800_000_000_000;
export const HOUR = 3_600_000;

export const LIST = {
	source: 'contacts',
	business: 'b',
	idField: 'id',
	itemsField: '',
	query: 'q',
	headers: '',
};

export const listOf = (values: object) => readListSettings({ pagination: { values } });

export const SETTINGS: PollSettings = {
	watchedList: LIST,
	request: requestOf('GET', '/list'),
	list: listOf({ type: 'pageNumber', pageSize: 1 }),
	recordName: 'contact',
	wanted: ['Created', 'Updated', 'Deleted'],
	emitsExisting: false,
	readsChangesOnly: false,
	incremental: undefined,
	deletedWhen: undefined,
	watchedFields: new WatchedFields('', ''),
	emitsChangedFields: false,
	maxDeletionPercent: 50,
};

export const HASH = 'aaaaaaaa';

/** A record that was missing `missed` times; if that is negative, one that was seen. */
export const recordOf = (id: number, missed = 0): KnownRecord => ({
	id,
	hash: HASH,
	missed: Math.max(0, missed),
	isSeen: missed < 0,
	wasSeen: false,
});

export type StateParts = { [Name in keyof State]?: Partial<State[Name]> };

/** A state with the records 0, 1, 2, …, by how often each was missing. */
export function stateOf(missed: number[], parts: StateParts = {}): State {
	const known = missed.map((times, id): [string, KnownRecord] => [`${id}`, recordOf(id, times)]);
	const state = newState(LIST);
	return {
		...state,
		known: new Map(known),
		...(parts as Partial<State>),
		settings: { ...state.settings, ...parts.settings },
		observed: { ...state.observed, ...parts.observed },
		reads: { ...state.reads, firstReads: 0, ...parts.reads },
		guard: { ...state.guard, ...parts.guard },
	};
}

export const readAt = (page: number, more: Partial<ListRead> = {}): ListRead => ({
	pageState: { page, count: 0 },
	isFull: true,
	beganAt: 0,
	isCheck: false,
	known: 0,
	came: 0,
	signs: {},
	moved: 0,
	totals: {},
	repeated: 0,
	...more,
});

/** A trigger that is polled without n8n, and whose state is saved as text between polls. */
export class PolledTrigger {
	state = newState(LIST);
	readonly log: string[] = [];
	requests = 0;

	/** Polls, and keeps the new state unless the poll fails or `isLost`. */
	async poll(
		settings: PollSettings,
		request: PageClient['request'],
		isLost = false,
	): Promise<IDataObject[]> {
		const text = JSON.stringify(saveState(this.state));
		const state = readState(JSON.parse(text)) as State;
		const events = new Events();
		const log = (line: string) => void this.log.push(line);
		await new ListReader({ request, baseUrl: '' }, state, settings, events, log).read();
		emitDeletions(state, settings, events);
		if (isLost) return [];
		this.state = state;
		return events.list.map(({ change, record }) => ({
			event: `contact${change}`,
			contact: record,
		}));
	}
}
