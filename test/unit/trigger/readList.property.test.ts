/**
 * Thousands of random histories of a list, played without a server: every event is true, and the events lead
 * to the list as it is in the end, also where a poll has time for a few pages only.
 */
import * as fc from 'fast-check';

import { emitDeletions } from '../../../nodes/BusinessData/trigger/endRead';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { ListReader } from '../../../nodes/BusinessData/trigger/readList';
import { newState, readState, saveState } from '../../../nodes/BusinessData/trigger/state';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { ChangingList } from '../../support/changingList';
import { EventCopy } from '../../support/eventCopy';
import { type ListHistory, listHistory, paginationOf } from '../../support/listHistories';
import { responseOf, requestOf } from '../transport/examples';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 1_800);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

const ASKED = {
	source: 'contacts',
	business: '',
	idField: 'id',
	itemsField: '',
	query: '',
	headers: '',
};

function questionOf(history: ListHistory): PollSettings {
	return {
		watchedList: ASKED,
		request: requestOf('GET', '/list'),
		list: readListSettings(paginationOf(history)),
		recordName: 'contact',
		idField: 'id',
		wanted: ['Created', 'Updated', 'Deleted'],
		emitsExisting: history.emitExisting,
		readsChangesOnly: false,
		incremental: undefined,
		deletedWhen: undefined,
		watchedFields: new WatchedFields('', ''),
		emitsChangedFields: false,
		maxDeletionPercent: 100,
	};
}

/** Plays a history with so many pages per poll, and two quiet reads at its end. */
async function play(history: ListHistory, pagesPerPoll: number) {
	const { paging, pageSize, saysTotal, length, emitExisting, polls } = history;
	const list = new ChangingList(paging, pageSize, saysTotal, length);
	const settings = questionOf(history);
	const copy = new EventCopy(emitExisting ? new Map() : list.records);
	let saved = JSON.stringify(saveState(newState(ASKED)));

	/** Returns whether it has come to the end of the list. */
	const poll = async (strikes: ListHistory['polls'][number], mostPages: number) => {
		let pages = 0;
		const request = async ({ query }: { query: Array<{ name: string; value: string }> }) => {
			if (pages++ >= mostPages)
				throw new OutOfTimeError('', { outcome: 'notSent', description: '' });
			const pageRequest = Object.fromEntries(query.map(({ name, value }) => [name, value]));
			const response = responseOf(list.response(pageRequest));
			for (const change of strikes[pages - 1] ?? []) list.change(change);
			return await Promise.resolve(response);
		};
		const state = readState(JSON.parse(saved)) ?? newState(ASKED);
		const events = new Events();
		await new ListReader({ request, baseUrl: '' }, settings, state, events, () => undefined).read();
		emitDeletions(state, settings, events);
		saved = JSON.stringify(saveState(state));
		const reported = events.list.map(({ change, record }) => ({
			event: `contact${change}`,
			contact: record,
		}));
		copy.play(reported, list.records);
		for (const change of strikes.slice(pages).flat()) list.change(change);
		return state.read === undefined;
	};

	// What the first poll knows without telling it is known for certain only if nothing strikes.
	if (!emitExisting) await poll([], Infinity);
	for (const strikes of polls) await poll(strikes, pagesPerPoll);
	// Where polls have little time, a read and its check may go on from before.
	for (let quiet = pagesPerPoll === Infinity ? 2 : 4; quiet > 0;) {
		if (await poll([], pagesPerPoll)) quiet--;
	}
	const result = { falseEvents: copy.falseEvents, ...copy.differencesFrom(list.records) };
	expect(result).toEqual({ falseEvents: [], missing: [], left: [] });
}

const list = (seed: number) => ({ numRuns: RUNS, seed: SEED + seed });

test('random changes between any two pages, and two quiet polls', async () => {
	await fc.assert(
		fc.asyncProperty(listHistory, async (history) => await play(history, Infinity)),
		list(0),
	);
}, 60_000);

test('reads that go on over several polls', async () => {
	await fc.assert(
		fc.asyncProperty(listHistory, fc.integer({ min: 1, max: 4 }), async (history, pagesPerPoll) => {
			await play(history, pagesPerPoll);
		}),
		list(1),
	);
}, 60_000);
