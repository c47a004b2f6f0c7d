/**
 * Random histories of a service that is read incrementally, in logical time and without a server: writes are shown
 * late, pages shift while they are read, polls fail or run out of time, weeks pass. Judged by the service's own list.
 */
import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { readIncremental } from '../../../nodes/BusinessData/trigger/incremental';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
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
import { SyncService, type SyncSettings } from '../../support/syncService';
import { responseOf } from '../transport/examples';
import { listOf, PolledTrigger, SETTINGS } from './examples';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 600);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

const QUIET: SyncPoll = { afterMs: 120_000, before: [], strikes: [] };

function settingsOf(history: SyncHistory): PollSettings {
	const { pageSize, fullReadHours, sendIn, format, tombstones } = history;
	const values = {
		...{ parameter: 'since', sendIn, fullReadHours, timeZone: ZONE },
		...(format in PARSERS ? { format } : { format: 'custom', customFormat: format }),
	};
	return {
		...SETTINGS,
		list: pageSize === undefined ? readListSettings({}) : listOf({ type: 'pageNumber', pageSize }),
		incremental: readIncremental({ values }),
		deletedWhen: tombstones ? { field: 'deleted', values: ['true'] } : undefined,
		watchedFields: new WatchedFields('', 'views'),
	};
}

const ZONE = 'Europe/Berlin';
const PARSERS: Record<string, (text: string) => number> = {
	iso: Date.parse,
	httpDate: Date.parse,
	unixSeconds: (text) => 1000 * Number(text),
};
const parserOf = (format: string) =>
	PARSERS[format] ?? ((text) => DateTime.fromFormat(text, format, { zone: ZONE }).toMillis());

function strike(service: SyncService, changes: SyncChange[] = []): void {
	for (const change of changes) {
		const ids = [...service.records.keys()].map(Number);
		const id = 'which' in change ? ids[Math.floor(change.which * ids.length)] : undefined;
		if (change.type === 'create') service.create(change.shownAfterMs);
		else if (id === undefined) continue;
		else if (change.type === 'update') service.write(id, change.shownAfterMs);
		else if (change.type === 'revert') service.revert(id);
		else if (change.type === 'view') service.view(id);
		else service.remove(id);
	}
}

async function play(history: SyncHistory): Promise<void> {
	const { length, polls, end, sendIn, format, quietMs } = history;
	jest.setSystemTime(Date.parse(history.startsAt));
	const settings: SyncSettings = { ...history, parse: parserOf(format) };
	const service = new SyncService(settings, length);
	const pollSettings = settingsOf(history);
	const copy = new EventCopy(service.records);
	const trigger = new PolledTrigger();

	const poll = async (one: SyncPoll) => {
		const { afterMs, before, strikes, failsAt, pages = Infinity, isLost } = one;
		// Half of it lies further back than any lookback.
		const half = Math.ceil(before.length / 2);
		strike(service, before.slice(0, half));
		jest.setSystemTime(Date.now() + afterMs);
		strike(service, before.slice(half));
		// With fewer records there is no guard, and of a read over several polls it knows the last part only.
		const isGuarded = service.records.size >= 15 && polls.every((other) => !other.pages);
		service.hides = one.hides === undefined ? service.hides : one.hides && isGuarded;
		settings.aheadMs = (settings.aheadMs ?? 0) + (one.clockMs ?? 0);
		let count = 0;
		const request = async ({ query, headers }: ServiceRequest) => {
			count++;
			const details = { outcome: 'notSent', description: '' } as const;
			if (count === failsAt) throw new RequestError('', { ...details, outcome: 'refused' });
			if (count > pages) throw new OutOfTimeError('', details);
			const asked = new Map(query.map(({ name, value }) => [name, value]));
			const since = sendIn === 'header' ? headers.since : asked.get('since');
			const page = Number(asked.get('page') ?? 1);
			const contacts = service.page(page, since);
			const date = new Date(service.now).toUTCString();
			strike(service, strikes[count - 1]);
			const isNothing = contacts.length === 0 && (since !== undefined || page > 1);
			if (isNothing && end === '304' && page === 1) {
				throw new RequestError('', { ...details, outcome: 'refused', statusCode: 304 });
			}
			const body = isNothing && end === '204' ? '' : { contacts };
			return await Promise.resolve({ ...responseOf(body), headers: { date } });
		};
		try {
			const events = await trigger.poll(pollSettings, request, isLost);
			const contacts = events.map(({ event, contact }) => ({ event, contact: watched(contact) }));
			copy.play(contacts, service.records);
		} catch (error) {
			// Nothing is saved and nothing told; the next poll goes on from before.
			if (!(error instanceof RequestError)) throw error;
		}
	};

	await poll(QUIET);
	for (const one of polls) await poll(one);
	// What is shown late is there by then, and incremental reads have told all but deletions. Where polls have no time
	// to read changes twice, what slips past comes with the next full read.
	for (let times = 0; times < 3; times++) await poll({ ...QUIET, afterMs: quietMs, hides: false });
	// Nor does a clock that was set back show what has changed meanwhile.
	const isPlain = ({ pages, hides, clockMs }: SyncPoll) => !pages && !hides && !clockMs;
	if (polls.every(isPlain)) {
		expect(copy.differencesFrom(service.records).missing).toEqual([]);
	}
	// So many were really deleted.
	pollSettings.maxDeletionPercent = 100;
	for (let times = 0; times < 6; times++) await poll({ ...QUIET, afterMs: 86_400_000 });
	expect({ falseEvents: copy.falseEvents, ...copy.differencesFrom(service.records) }).toEqual({
		...{ falseEvents: [], missing: [], left: [] },
	});
}

const watched = (contact: unknown) => {
	const { views: _, ...record } = contact as IDataObject;
	return record;
};

beforeAll(() => void jest.useFakeTimers({ now: 1_800_000_000_000, doNotFake: [...KEPT] }));
afterAll(() => void jest.useRealTimers());

const KEPT = [
	...(['setImmediate', 'setTimeout', 'setInterval', 'nextTick', 'queueMicrotask'] as const),
	...(['clearImmediate', 'clearTimeout', 'clearInterval', 'performance', 'hrtime'] as const),
];

test('nothing is missed, nothing told twice, and nothing false', async () => {
	await fc.assert(fc.asyncProperty(syncHistory, play), { numRuns: RUNS, seed: SEED });
}, 600_000);
