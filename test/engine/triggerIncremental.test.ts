// Incremental reads: no change is missed or emitted twice, judged by the history of a service with its own clock.
// Deletions are found by full reads and by marks.

import type { ServerResponse } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { EventCopy } from '../support/eventCopy';
import { after } from '../support/logicalTime';
import type { Query } from '../support/listService';
import { deletedWhen, incremental, pages, query } from '../support/parameters';
import { SimulatedList, type SimulatedSettings } from '../support/simulatedList';
import { inWords, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAGES = pages('pageNumber', { pageSize: 3 });
const BERLIN = 'Europe/Berlin';

/** A trigger with incremental reads, after its first poll. */
async function begin(
	settings: SimulatedSettings = {},
	values: INodeParameters = {},
	options: Record<string, unknown> = {},
) {
	const service = new SimulatedList(settings, 5);
	bench.service.response = (query, response) => service.respond(query, response);
	const { header: parameter = 'since' } = settings;
	const { poll } = bench.trigger({
		options: { ...incremental({ parameter, ...values }), ...options },
	});
	const copy = new EventCopy(service.records);
	expect(await poll()).toEqual([]);
	const pollAfter = async (ms = MINUTE) => {
		await after(ms);
		const events = await poll();
		copy.play(events, service.records);
		return inWords(events);
	};
	/** Where the events differ from the service's own list. */
	const faults = () => ({
		falseEvents: copy.falseEvents,
		...copy.differencesFrom(service.records),
	});
	return { service, pollAfter, faults };
}

const NO_FAULTS = { falseEvents: [], missing: [], left: [] };

describe('the start time of an incremental read', () => {
	const AT = Date.UTC(2026, 5, 30, 22, 15, 30);

	test.each<[string, INodeParameters, string]>([
		['iso', {}, '2026-06-30T22:10:30Z'],
		['iso', { timeZone: ` ${BERLIN} ` }, '2026-07-01T00:10:30+02:00'],
		['iso', { lookbackSeconds: 0 }, '2026-06-30T22:15:30Z'],
		['date', {}, '2026-06-30'],
		['date', { timeZone: BERLIN }, '2026-07-01'],
		['unixSeconds', {}, String(AT / 1000 - 300)],
		['unixMilliseconds', {}, String(AT - 300_000)],
		['httpDate', { timeZone: BERLIN }, 'Tue, 30 Jun 2026 22:10:30 GMT'],
		['custom', { customFormat: 'dd.MM.yyyy HH:mm', timeZone: BERLIN }, '01.07.2026 00:10'],
		['custom', { customFormat: `'[{"since":"'yyyy-MM-dd'"}]'` }, '[{"since":"2026-06-30"}]'],
		// In the hour that comes twice, an earlier time, as the service may take the time for the later one.
		['custom', { customFormat: 'HH:mm', timeZone: BERLIN, at: '2026-10-25T00:40:00Z' }, '01:35'],
		['custom', { customFormat: 'HH:mm', timeZone: BERLIN, at: '2026-10-25T01:40:00Z' }, '02:35'],
	])('is sent as %s with %j', async (format, { at, ...values }, expected) => {
		const time = at === undefined ? AT : Date.parse(at as string);
		const { service, pollAfter } = await begin(
			{ aheadMs: time - Date.now(), parse: () => 0 },
			{ format, ...values },
		);
		await pollAfter();
		expect(service.since).toEqual([undefined, expected]);
	});

	test('replaces a parameter of the same name', async () => {
		const since = '2020-01-01T00:00:00Z';
		const { service, pollAfter } = await begin({}, {}, query('since', since));
		await pollAfter();
		expect(service.since).toEqual([since, expect.not.stringMatching(since)]);
	});

	test('is that of the first response of the previous read, and may be sent in a header', async () => {
		const { service, pollAfter } = await begin({ header: 'X-Since' }, { sendIn: 'header' });
		await pollAfter(2 * MINUTE);
		await pollAfter(3 * MINUTE);
		const [all, first, second] = service.since;
		expect(all).toBeUndefined();
		const apartMs = Date.parse(second ?? '') - Date.parse(first ?? '');
		// The header Date has whole seconds.
		expect(Math.abs(apartMs - 2 * MINUTE)).toBeLessThanOrEqual(1_000);
	});

	test.each<[string, INodeParameters, object?]>([
		['Full Read Hours 0', { fullReadHours: 0 }],
		['Full Read Hours 2,000', { fullReadHours: 2_000 }],
		['an expression', {}, query('open', '={{ "yes" }}')],
	])(
		'is left out for a full read if the service refuses an old time, with %s',
		async (_, values, more = {}) => {
			const MONTH = 30 * 24 * HOUR;
			const respond = ({ since }: Query, response: ServerResponse) => {
				response.setHeader('date', new Date().toUTCString());
				if (since === undefined || Date.now() - Date.parse(since) < MONTH) return [{ id: 1 }];
				return response.writeHead(400).end();
			};
			bench.service.response = respond;
			const { poll } = bench.trigger({ options: { ...incremental(values), ...more } });
			expect(await poll()).toEqual([]);
			// The workflow is off for 40 days, in steps because no timer takes longer.
			for (let days = 0; days < 40; days += 20) await after(20 * 24 * HOUR);
			bench.service.response = (...request) => {
				const list = respond(...request);
				return Array.isArray(list) ? [...list, { id: 2 }] : list;
			};
			expect(inWords(await poll())).toEqual(['contactCreated 2']);
			expect(await poll()).toEqual([]);
		},
	);
});

/** Makes changes, some of which show late, and polls in between. */
async function playDay({ service, pollAfter, faults }: Awaited<ReturnType<typeof begin>>) {
	for (let round = 1; round <= 12; round++) {
		service.write(100 + round);
		service.write((round % 5) + 1, round % 2 === 0 ? 60_000 : 0);
		await after(20_000);
		service.write(((round + 2) % 5) + 1);
		await pollAfter(round % 4 === 0 ? 40 * MINUTE : MINUTE);
	}
	await pollAfter();
	await pollAfter();
	expect(faults()).toEqual(NO_FAULTS);
	expect(bench.logged()).not.toContain('twice with different content');
}

describe('no change is missed or emitted twice', () => {
	test.each<[string, SimulatedSettings, INodeParameters]>([
		['without a Date header and with an exclusive filter', { noDate: true, isExclusive: true }, {}],
		['with a filter by days', { precisionMs: 24 * HOUR }, { format: 'date' }],
	])('%s', async (_, settings, values) => {
		await playDay(await begin(settings, { fullReadHours: 0, ...values }));
	});

	const nothing = (status: number) => (response: ServerResponse) =>
		void response.writeHead(status).end();
	test.each<[string, (response: ServerResponse) => unknown, requests: number]>([
		['a 304', nothing(304), 1],
		['a 204', nothing(204), 1],
		['an empty list', () => [], 1],
		['a 404 for the changes of an existing list', nothing(404), 2],
	])('if %s means that nothing has changed', async (_, respond, requests) => {
		const settings = { pageSize: 3 };
		const { service, pollAfter, faults } = await begin(settings, { fullReadHours: 0 }, PAGES);
		const before = bench.service.queries.length;
		const { response } = bench.service;
		service.write(3);
		bench.service.response = (query, raw) => {
			if (query.since === undefined) return response(query, raw);
			raw.setHeader('date', new Date(service.now).toUTCString());
			return respond(raw);
		};
		expect([await pollAfter(), await pollAfter()]).toEqual([[], []]);
		expect(bench.service.queries.length - before).toBe(2 * requests);
		expect(bench.logged()).not.toContain('reads the same changes again');
		bench.service.response = response;
		expect(await pollAfter()).toEqual(['contactUpdated 3']);
		expect(faults()).toEqual(NO_FAULTS);
	});

	test('if the service refuses the parameter on later pages', async () => {
		let rev = 1;
		bench.service.response = ({ since, from }, response) => {
			response.setHeader('date', new Date().toUTCString());
			if (since !== undefined && from !== undefined) return response.writeHead(400).end();
			const ids = from === undefined ? [1, 2] : [3];
			return { data: ids.map((id) => ({ id, rev })), next: from === undefined ? '?from=3' : null };
		};
		const { poll } = bench.trigger({
			options: { ...incremental(), ...pages('nextUrl', { nextUrlField: 'next' }) },
		});
		expect(await poll()).toEqual([]);
		rev++;
		expect(inWords(await poll())).toEqual([1, 2, 3].map((id) => `contactUpdated ${id}`));
		expect(await poll()).toEqual([]);
	});

	test('but a 404 is an error if the list itself is missing', async () => {
		const { pollAfter } = await begin();
		bench.service.response = (_, response) => nothing(404)(response);
		await expect(pollAfter()).rejects.toThrow('404');
	});
});

describe('deletions', () => {
	test('are found by a full read and confirmed by a second one in the next poll', async () => {
		const { service, pollAfter } = await begin({}, { fullReadHours: 2.5 });
		await after(HOUR);
		service.remove(2);
		expect([await pollAfter(), await pollAfter(HOUR)]).toEqual([[], []]);
		expect(service.since.slice(1)).not.toContain(undefined);
		service.write(3);
		expect(await pollAfter(HOUR)).toEqual(['contactUpdated 3']);
		expect(await pollAfter()).toEqual(['contactDeleted 2']);
		expect(await pollAfter()).toEqual([]);
		const kinds = service.since.map((since) => (since === undefined ? 'full' : 'incremental'));
		expect(kinds.slice(3)).toEqual(['incremental', 'full', 'incremental', 'full', 'incremental']);
	});

	test('are found every day by daily polls, although full reads are slow', async () => {
		const { service, pollAfter } = await begin();
		const { response } = bench.service;
		bench.service.response = (query, raw) => {
			if (query.since !== undefined) return response(query, raw);
			setTimeout(() => raw.end(JSON.stringify(response(query, raw))), 30_000);
			return undefined;
		};
		const firstAt = Date.now();
		for (let days = 1; days < 4; days++) await pollAfter(firstAt + days * 24 * HOUR - Date.now());
		expect(service.since.filter((since) => since === undefined)).toHaveLength(4);
	});

	test('by mark need no full read', async () => {
		const all = [1, 2, 3].map((id) => ({ id, gone: false }));
		bench.service.response = () => all;
		const { poll } = bench.trigger({
			options: { ...incremental(), ...deletedWhen('gone', 'true') },
		});
		expect(await poll()).toEqual([]);
		const [first, ...others] = all;
		const marked = [{ ...first, gone: true }];
		bench.service.response = ({ since }) => (since === undefined ? others : marked);
		expect(inWords([...(await poll()), ...(await poll())])).toEqual(['contactDeleted 1']);
		expect(bench.service.queries.filter(({ since }) => since === undefined)).toHaveLength(1);
	});

	const ANY = '*';
	const LISTED = 'gone, true, 7, null';
	test.each<[string, unknown, boolean]>([
		[ANY, '2026-03-01 12:00:00', true],
		[ANY, true, true],
		...[null, '', false, '0000-00-00 00:00:00', { by: 'a' }].map(
			(mark): [string, unknown, false] => [ANY, mark, false],
		),
		...['gone', ' gone ', true, 7, null].map((mark): [string, unknown, true] => [
			LISTED,
			mark,
			true,
		]),
		...['going', ['gone'], undefined].map((mark): [string, unknown, false] => [
			LISTED,
			mark,
			false,
		]),
	])('with the values %j, the mark %j is recognized: %s', async (values, mark, isMarked) => {
		const { pollList } = bench.trigger({ options: deletedWhen('a.mark', values) });
		await pollList([{ id: 1 }]);
		const event = isMarked ? 'contactDeleted 1' : 'contactUpdated 1';
		expect(inWords(await pollList([{ id: 1, a: { mark } }]))).toEqual([event]);
	});
});
