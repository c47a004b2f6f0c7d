/**
 * Thousands of random histories of a list, in logical time and without a server: writes are shown late, records move
 * between pages while they are read, polls fail or run out of time, weeks pass. Every event must be true, and the events
 * must reproduce the list as it is at the end.
 */
import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { readIncremental } from '../../../nodes/BusinessData/trigger/incremental';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { EventCopy } from '../../support/eventCopy';
import {
	fullHistory,
	type FullHistory,
	type HistoryPoll,
	paginationOf,
	syncHistory,
	type SyncHistory,
} from '../../support/histories';
import { type ListChange, SimulatedList } from '../../support/simulatedList';
import { responseOf } from '../transport/examples';
import { PolledTrigger, SETTINGS } from './examples';

/** The number of runs; six times as many without Incremental, which are quick. */
const RUNS = Number(process.env.TRIGGER_RUNS ?? 400);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);

const QUIET: HistoryPoll = { afterMs: 120_000, before: [], strikes: [] };
const ZONE = 'Europe/Berlin';
const PARSERS: Record<string, (text: string) => number> = {
	iso: Date.parse,
	httpDate: Date.parse,
	unixSeconds: (text) => 1000 * Number(text),
};
const parserOf = (format: string) =>
	PARSERS[format] ?? ((text) => DateTime.fromFormat(text, format, { zone: ZONE }).toMillis());

/** A trigger for a list, and a copy of the list that is kept by its events alone. */
class Play {
	private readonly trigger = new PolledTrigger();
	readonly copy: EventCopy;

	constructor(
		readonly service: SimulatedList,
		readonly settings: PollSettings,
		private readonly end: SyncHistory['end'] = 'list',
		isKnown = true,
	) {
		this.copy = new EventCopy(isKnown ? service.records : new Map());
	}

	/** Returns whether no read is under way. */
	async poll({
		afterMs,
		before,
		strikes,
		failsAt,
		pages = Infinity,
		isLost,
		clockMs = 0,
	}: HistoryPoll) {
		const { service, settings } = this;
		// Half of the changes are older than any lookback.
		const half = Math.ceil(before.length / 2);
		this.strike(before.slice(0, half));
		jest.setSystemTime(Date.now() + afterMs);
		this.strike(before.slice(half));
		service.settings.aheadMs = (service.settings.aheadMs ?? 0) + clockMs;
		let count = 0;
		const request = async ({ query, headers }: ServiceRequest) => {
			count++;
			const details = { outcome: 'notSent', description: '' } as const;
			if (count === failsAt) throw new RequestError('', { ...details, outcome: 'refused' });
			if (count > pages) throw new OutOfTimeError('', details);
			const asked = Object.fromEntries(query.map(({ name, value }) => [name, value]));
			const since = settings.incremental?.sendIn === 'header' ? headers.since : asked.since;
			const body = service.body(asked, since);
			const date = new Date(service.now).toUTCString();
			this.strike(strikes[count - 1]);
			const isFirst = (asked.page ?? '1') === '1';
			const isNothing = body.contacts.length === 0 && (since !== undefined || !isFirst);
			if (isNothing && this.end === '304' && isFirst) {
				throw new RequestError('', { ...details, outcome: 'refused', statusCode: 304 });
			}
			const content = isNothing && this.end === '204' ? '' : body;
			return await Promise.resolve({ ...responseOf(content), headers: { date } });
		};
		try {
			const events = await this.trigger.poll(settings, request, isLost);
			const contacts = events.map(({ event, contact }) => ({ event, contact: watched(contact) }));
			this.copy.play(contacts, service.records);
		} catch (error) {
			// Nothing is saved or emitted; the next poll goes on from the state before.
			if (!(error instanceof RequestError)) throw error;
		}
		this.strike(strikes.slice(count).flat());
		return this.trigger.state.read === undefined;
	}

	expectNoFaults(): void {
		const faults = { falseEvents: this.copy.falseEvents, ...this.differences() };
		expect(faults).toEqual({ falseEvents: [], missing: [], left: [] });
	}

	differences() {
		return this.copy.differencesFrom(this.service.records);
	}

	private strike(changes: ListChange[] = []): void {
		for (const change of changes) this.service.change(change);
	}
}

const watched = (contact: unknown) => {
	const { views: _, ...record } = contact as IDataObject;
	return record;
};

async function playFull({ length, emitExisting, polls, ...settings }: FullHistory) {
	const list = readListSettings(paginationOf(settings));
	const all = { ...SETTINGS, list, emitsExisting: emitExisting, maxDeletionPercent: 100 };
	const play = new Play(new SimulatedList(settings, length), all, 'list', !emitExisting);
	// What the first poll remembers without an event is certain only if nothing strikes.
	if (!emitExisting) await play.poll(QUIET);
	for (const one of polls) await play.poll(one);
	// A read and its check may take several polls.
	for (let quiet = polls.some(({ pages }) => pages) ? 4 : 2; quiet > 0;) {
		if (await play.poll(QUIET)) quiet--;
	}
	play.expectNoFaults();
}

async function playSync({ startsAt, length, polls, end, quietMs, ...history }: SyncHistory) {
	jest.setSystemTime(Date.parse(startsAt));
	const { sendIn, format, fullReadHours, tombstones } = history;
	const values = {
		parameter: 'since',
		sendIn,
		fullReadHours,
		timeZone: ZONE,
		...(format in PARSERS ? { format } : { format: 'custom', customFormat: format }),
	};
	const service = new SimulatedList({ ...history, parse: parserOf(format) }, length);
	const settings = {
		...SETTINGS,
		list: readListSettings(paginationOf(history)),
		incremental: readIncremental({ values }),
		deletedWhen: tombstones ? { field: 'deleted', values: ['true'] } : undefined,
		watchedFields: new WatchedFields('', 'views'),
	};
	const play = new Play(service, settings, end);
	await play.poll(QUIET);
	for (const one of polls) {
		// With fewer records there is no guard, and it knows only the last part of a read over several polls.
		const isGuarded = service.records.size >= 15 && polls.every(({ pages }) => !pages);
		service.hides = one.hides === undefined ? service.hides : one.hides && isGuarded;
		// A record that one read did not show, and that slips past the next one, looks like a deletion.
		await play.poll(one);
	}
	service.hides = false;
	// By then, late records are shown, and incremental reads have emitted all but deletions. If polls have no time for
	// all pages, what slips past comes with the next full read.
	for (let times = 0; times < 3; times++) await play.poll({ ...QUIET, afterMs: quietMs });
	// A clock that was set back hides changes, too.
	const isPlain = ({ pages, hides, clockMs }: HistoryPoll) => !pages && !hides && !clockMs;
	if (polls.every(isPlain)) expect(play.differences().missing).toEqual([]);
	// So many records were really deleted.
	settings.maxDeletionPercent = 100;
	for (let times = 0; times < 6; times++) await play.poll({ ...QUIET, afterMs: 86_400_000 });
	play.expectNoFaults();
}

const KEPT = [
	...(['setImmediate', 'setTimeout', 'setInterval', 'nextTick', 'queueMicrotask'] as const),
	...(['clearImmediate', 'clearTimeout', 'clearInterval', 'performance', 'hrtime'] as const),
	// It is missing in Jest's types, and slow if it is fake.
	'Intl' as 'Date',
];
beforeAll(() => void jest.useFakeTimers({ now: 1_800_000_000_000, doNotFake: [...KEPT] }));
afterAll(() => void jest.useRealTimers());

test('events reproduce a list that is read in full, in one poll or over several', async () => {
	await fc.assert(fc.asyncProperty(fullHistory, playFull), { numRuns: 6 * RUNS, seed: SEED });
}, 600_000);

test('events reproduce a list that is read incrementally', async () => {
	await fc.assert(fc.asyncProperty(syncHistory, playSync), { numRuns: RUNS, seed: SEED });
}, 600_000);
