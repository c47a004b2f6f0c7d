/**
 * Thousands of random histories of a list, played without a server: every event is true, and the events lead
 * to the list as it is in the end, also where a poll has time for a few pages only.
 */
import * as fc from 'fast-check';

import { tellDeletions } from '../../../nodes/BusinessData/recordChanges/endReading';
import { Events } from '../../../nodes/BusinessData/recordChanges/events';
import { OutOfTimeError } from '../../../nodes/BusinessData/recordChanges/pollClient';
import type { Question } from '../../../nodes/BusinessData/recordChanges/question';
import { ListReader } from '../../../nodes/BusinessData/recordChanges/readList';
import { newState, readState, saveState } from '../../../nodes/BusinessData/recordChanges/state';
import { WatchedFields } from '../../../nodes/BusinessData/recordChanges/watchedFields';
import { readListSettings } from '../../../nodes/BusinessData/resources/list/listSettings';
import { ChangingList } from '../../support/changingList';
import { EventCopy } from '../../support/eventCopy';
import { type ListHistory, listHistory, paginationOf } from '../../support/listHistories';
import { answerOf, requestOf } from '../transport/examples';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 3_000);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

const ASKED = {
	source: 'contacts',
	business: '',
	idField: 'id',
	itemsField: '',
	query: '',
	headers: '',
};

function questionOf(history: ListHistory): Question {
	return {
		asked: ASKED,
		request: requestOf('GET', '/list'),
		settings: readListSettings(paginationOf(history)),
		recordName: 'contact',
		idField: 'id',
		wanted: ['Created', 'Updated', 'Deleted'],
		emitsExisting: history.emitExisting,
		readsChangesOnly: false,
		incremental: undefined,
		deletedWhen: undefined,
		watchedFields: new WatchedFields('', ''),
		tellsChangedFields: false,
		maxDeletionPercent: 100,
	};
}

/** Plays a history with so many pages per poll, and two quiet readings at its end. */
async function play(history: ListHistory, pagesPerPoll: number) {
	const { paging, pageSize, saysTotal, length, emitExisting, polls } = history;
	const list = new ChangingList(paging, pageSize, saysTotal, length);
	const question = questionOf(history);
	const copy = new EventCopy(emitExisting ? new Map() : list.records);
	let saved = JSON.stringify(saveState(newState(ASKED)));

	/** Returns whether it has come to the end of the list. */
	const poll = async (strikes: ListHistory['polls'][number], mostPages: number) => {
		let pages = 0;
		const request = async ({ query }: { query: Array<{ name: string; value: string }> }) => {
			if (pages++ >= mostPages)
				throw new OutOfTimeError('', { outcome: 'notSent', description: '' });
			const asked = Object.fromEntries(query.map(({ name, value }) => [name, value]));
			const answer = answerOf(list.answer(asked));
			for (const change of strikes[pages - 1] ?? []) list.change(change);
			return await Promise.resolve(answer);
		};
		const state = readState(JSON.parse(saved)) ?? newState(ASKED);
		const events = new Events('id');
		await new ListReader({ request, baseUrl: '' }, question, state, events, () => undefined).read();
		tellDeletions(state, question, events);
		saved = JSON.stringify(saveState(state));
		const told = events.list.map(({ change, record }) => ({
			event: `contact${change}`,
			contact: record,
		}));
		copy.play(told, list.records);
		for (const change of strikes.slice(pages).flat()) list.change(change);
		return state.reading === undefined;
	};

	// What the first poll knows without telling it is known for certain only if nothing strikes.
	if (!emitExisting) await poll([], Infinity);
	for (const strikes of polls) await poll(strikes, pagesPerPoll);
	// Where polls have little time, a reading and its check may go on from before.
	for (let quiet = pagesPerPoll === Infinity ? 2 : 4; quiet > 0;) {
		if (await poll([], pagesPerPoll)) quiet--;
	}
	const result = { falseEvents: copy.falseEvents, ...copy.differencesFrom(list.records) };
	expect(result).toEqual({ falseEvents: [], missing: [], left: [] });
}

const settings = (seed: number) => ({ numRuns: RUNS, seed: SEED + seed });

test('random changes between any two pages, and two quiet polls', async () => {
	await fc.assert(
		fc.asyncProperty(listHistory, async (history) => await play(history, Infinity)),
		settings(0),
	);
}, 60_000);

test('readings that go on over several polls', async () => {
	await fc.assert(
		fc.asyncProperty(listHistory, fc.integer({ min: 1, max: 4 }), async (history, pagesPerPoll) => {
			await play(history, pagesPerPoll);
		}),
		settings(1),
	);
}, 60_000);
