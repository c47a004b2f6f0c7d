// Whatever happens to a list while it is read: the trigger's events, played onto a copy, lead to the list
// that the service has in the end, and none of them is false.

import * as fc from 'fast-check';

import { ChangingList } from '../support/changingList';
import { EventCopy } from '../support/eventCopy';
import { listHistory, type ListHistory, paginationOf } from '../support/listHistories';
import { useTriggerBench } from '../support/triggerBench';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 120);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

const bench = useTriggerBench();

/** Plays a history. Returns the false events, and what is wrong in the copy after two quiet polls. */
async function play(history: ListHistory): Promise<unknown> {
	const { paging, pageSize, saysTotal, length, emitExisting, polls } = history;
	const list = new ChangingList(paging, pageSize, saysTotal, length);
	let strikes: ListHistory['polls'][number] = [];
	bench.service.response = (query) => {
		const response = structuredClone(list.response(query));
		for (const change of strikes.shift() ?? []) list.change(change);
		return response;
	};
	const { poll } = bench.trigger({
		options: { ...paginationOf(history), emitExisting, maxDeletionPercent: 100 },
	});
	const copy = new EventCopy(emitExisting ? new Map() : list.records);
	// What the first poll knows without telling it is known for certain only if nothing strikes.
	const turbulent = emitExisting ? polls : [[], ...polls];
	for (const changes of [...turbulent, [], []]) {
		strikes = [...changes];
		copy.play(await poll(), list.records);
		for (const change of strikes.splice(0).flat()) list.change(change);
	}
	return { falseEvents: copy.falseEvents, ...copy.differencesFrom(list.records) };
}

test('random changes between any two pages: every event is true, and the copy follows', async () => {
	const property = fc.asyncProperty(listHistory, async (history) => {
		expect(await play(history)).toEqual({ falseEvents: [], missing: [], left: [] });
	});
	await fc.assert(property, { numRuns: RUNS, seed: SEED });
}, 600_000);
