/**
 * Random histories of a service that is read incrementally, in logical time and without a server: writes are shown
 * late, pages shift while they are read, polls fail or run out of time, weeks pass. Judged by the service's own list.
 */
import * as fc from 'fast-check';

import { emitDeletions } from '../../../nodes/BusinessData/trigger/endRead';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { readIncremental } from '../../../nodes/BusinessData/trigger/incremental';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { ListReader } from '../../../nodes/BusinessData/trigger/readList';
import { newState, readState, saveState } from '../../../nodes/BusinessData/trigger/state';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { EventCopy } from '../../support/eventCopy';
import {
	type SyncChange,
	type SyncHistory,
	syncHistory,
	type SyncPoll,
} from '../../support/syncHistories';
import { SyncService } from '../../support/syncService';
import { responseOf, requestOf } from '../transport/examples';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 2_000);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

const ASKED = {
	...{ source: 'contacts', business: '', idField: 'id', itemsField: '', query: '', headers: '' },
};

const QUIET: SyncPoll = { afterMs: 120_000, before: [], strikes: [] };

function questionOf({ pageSize, fullReadHours, keepsDeleted }: SyncHistory): PollSettings {
	const pagination = { values: { type: 'pageNumber', pageSize } };
	const values = { parameter: 'since', fullReadHours };
	return {
		watchedList: ASKED,
		request: requestOf('GET', '/list'),
		list: readListSettings(pageSize === undefined ? {} : { pagination }),
		recordName: 'contact',
		idField: 'id',
		wanted: ['Created', 'Updated', 'Deleted'],
		emitsExisting: false,
		readsChangesOnly: false,
		incremental: readIncremental({ values }),
		deletedWhen: keepsDeleted ? { field: 'deleted', values: ['true'] } : undefined,
		watchedFields: new WatchedFields('', ''),
		emitsChangedFields: false,
		maxDeletionPercent: 100,
	};
}

function strike(service: SyncService, changes: SyncChange[] = []): void {
	for (const change of changes) {
		const ids = [...service.records.keys()].map(Number);
		const id = 'which' in change ? ids[Math.floor(change.which * ids.length)] : undefined;
		if (change.type === 'create') service.create(change.shownAfterMs);
		else if (id === undefined) continue;
		else if (change.type === 'update') service.write(id, change.shownAfterMs);
		else service.remove(id);
	}
}

async function play(history: SyncHistory): Promise<void> {
	const { length, polls } = history;
	const service = new SyncService(history, length);
	const question = questionOf(history);
	const copy = new EventCopy(service.records);
	let saved = JSON.stringify(saveState(newState(ASKED)));

	const poll = async ({ afterMs, before, strikes, failsAt, pages = Infinity }: SyncPoll) => {
		// Half of it lies further back than any lookback.
		const half = Math.ceil(before.length / 2);
		strike(service, before.slice(0, half));
		jest.setSystemTime(Date.now() + afterMs);
		strike(service, before.slice(half));
		let count = 0;
		const request = async ({ query }: ServiceRequest) => {
			count++;
			const details = { outcome: 'notSent', description: '' } as const;
			if (count === failsAt) throw new RequestError('', { ...details, outcome: 'refused' });
			if (count > pages) throw new OutOfTimeError('', details);
			const asked = new Map(query.map(({ name, value }) => [name, value]));
			const body = { contacts: service.page(Number(asked.get('page') ?? 1), asked.get('since')) };
			const date = new Date(service.now).toUTCString();
			strike(service, strikes[count - 1]);
			return await Promise.resolve({ ...responseOf(body), headers: { date } });
		};
		const state = readState(JSON.parse(saved)) ?? newState(ASKED);
		const events = new Events('id');
		try {
			await new ListReader(
				{ request, baseUrl: '' },
				question,
				state,
				events,
				() => undefined,
			).read();
		} catch (error) {
			// Nothing is saved and nothing told; the next poll goes on from before.
			if (error instanceof RequestError) return;
			throw error;
		}
		emitDeletions(state, question, events);
		saved = JSON.stringify(saveState(state));
		const reported = events.list.map(({ change, record }) => ({
			event: `contact${change}`,
			contact: record,
		}));
		copy.play(reported, service.records);
	};

	await poll(QUIET);
	for (const one of polls) await poll(one);
	// What is shown late is there by then, and incremental reads have told all but deletions. Where polls have no time
	// to read changes twice, what slips past comes with the next full read.
	for (let times = 0; times < 3; times++) await poll(QUIET);
	if (polls.every(({ pages }) => pages === undefined)) {
		expect(copy.differencesFrom(service.records).missing).toEqual([]);
	}
	for (let times = 0; times < 6; times++) await poll({ ...QUIET, afterMs: 86_400_000 });
	expect({ falseEvents: copy.falseEvents, ...copy.differencesFrom(service.records) }).toEqual({
		...{ falseEvents: [], missing: [], left: [] },
	});
}

beforeAll(() => void jest.useFakeTimers({ now: 1_800_000_000_000, doNotFake: [...KEPT] }));
afterAll(() => void jest.useRealTimers());

const KEPT = [
	...(['setImmediate', 'setTimeout', 'setInterval', 'nextTick', 'queueMicrotask'] as const),
	...(['clearImmediate', 'clearTimeout', 'clearInterval', 'performance', 'hrtime'] as const),
];

test('nothing is missed, nothing told twice, and nothing false', async () => {
	await fc.assert(fc.asyncProperty(syncHistory, play), { numRuns: RUNS, seed: SEED });
}, 120_000);
