/**
 * Thousands of random histories of a list, played without a server: every event is true, and the events lead
 * to the list as it is in the end, also where a poll has time for a few pages only.
 */
import * as fc from 'fast-check';

import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { ChangingList } from '../../support/changingList';
import { EventCopy } from '../../support/eventCopy';
import { type ListHistory, listHistory, paginationOf } from '../../support/listHistories';
import { responseOf } from '../transport/examples';
import { PolledTrigger, SETTINGS } from './examples';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 1_800);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

/** Plays a history with so many pages per poll, and two quiet reads at its end. */
async function play(history: ListHistory, pagesPerPoll: number) {
	const { paging, pageSize, saysTotal, length, emitExisting, polls } = history;
	const list = new ChangingList(paging, pageSize, saysTotal, length);
	const settings = {
		...{ ...SETTINGS, list: readListSettings(paginationOf(history)) },
		...{ emitsExisting: emitExisting, maxDeletionPercent: 100 },
	};
	const trigger = new PolledTrigger();
	const copy = new EventCopy(emitExisting ? new Map() : list.records);

	/** Returns whether it has come to the end of the list. */
	const poll = async (strikes: ListHistory['polls'][number], mostPages: number) => {
		let pages = 0;
		const request = async ({ query }: ServiceRequest) => {
			if (pages++ >= mostPages)
				throw new OutOfTimeError('', { outcome: 'notSent', description: '' });
			const pageRequest = Object.fromEntries(query.map(({ name, value }) => [name, value]));
			const response = responseOf(list.response(pageRequest));
			for (const change of strikes[pages - 1] ?? []) list.change(change);
			return await Promise.resolve(response);
		};
		copy.play(await trigger.poll(settings, request), list.records);
		for (const change of strikes.slice(pages).flat()) list.change(change);
		return trigger.state.read === undefined;
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

test.each([
	['random changes between any two pages, and two quiet polls', fc.constant(Infinity)],
	['reads that go on over several polls', fc.integer({ min: 1, max: 4 })],
])(
	'%s',
	async (name, pagesPerPoll) => {
		const property = fc.asyncProperty(listHistory, pagesPerPoll, play);
		await fc.assert(property, { numRuns: RUNS, seed: SEED + name.length });
	},
	600_000,
);
