/** A read that goes on from the previous poll, its check, and the time from which changes are read. */
import type { IDataObject } from 'n8n-workflow';

import { readIncremental, requestSince } from '../../../nodes/BusinessData/trigger/incremental';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import type { State } from '../../../nodes/BusinessData/trigger/state';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { ListError } from '../../../nodes/BusinessData/lists/listError';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { responseOf } from '../transport/examples';
import { HOUR, listOf, NOW, PolledTrigger, recordOf, SETTINGS } from './examples';

const OUT_OF_TIME = new OutOfTimeError('', { outcome: 'notSent', description: '' });
const NOT_SENT = new RequestError('not sent', { outcome: 'notSent', description: '' });
const REFUSED = new RequestError('refused', { outcome: 'refused', description: '' });
const LOST = new RequestError('lost', { outcome: 'unknown', description: '' });
const UNCHANGED = new RequestError('', { outcome: 'refused', statusCode: 304, description: '' });
/** The 304 that comes if a header has asked for it, with a date. */
const DATED_UNCHANGED = Buffer.alloc(0);
const CRASH = new Error('crash');
const MINUTE = 60_000;
const BARE = '';
const [ONE, TWO, THREE] = [1, 2, 3].map((id) => [{ id }]);

const INCREMENTAL = {
	...SETTINGS,
	incremental: readIncremental({ values: { parameter: 'since', fullReadHours: 0 } }),
};

/** What its reads have shown so far. */
type Progress = Partial<State['observed'] & State['reads']>;

/** A trigger that knows three records, of which the third may have been missing before. */
function begin(more: Progress = {}, missed = 0) {
	const trigger = new PolledTrigger();
	Object.assign(trigger.state.observed, { pages: 3, firstLength: 1, ...more });
	Object.assign(trigger.state.reads, { firstReads: 0, ...more });
	for (const id of [1, 2, 3]) {
		const record = { ...recordOf(id, id === 3 ? missed : 0), hash: '~~~~~~~~' };
		trigger.state.known.set(`${id}`, record);
	}
	return trigger;
}

/**
 * Polls once.
 * @param pages the response to each request, in their order, or its failure; empty after the last one
 */
async function poll(trigger: PolledTrigger, pages: unknown[], settings: PollSettings = SETTINGS) {
	const asked: string[] = [];
	const request = async ({ query }: ServiceRequest) => {
		const valueOf = (wanted: string) => query.find(({ name }) => name === wanted)?.value;
		asked.push(`${valueOf('page')}${valueOf('since') === undefined ? '' : ' changes'}`);
		const body = pages[asked.length - 1] ?? [];
		if (body instanceof Error) throw body;
		// Each page a minute after the one before.
		const date = new Date(NOW + MINUTE * ++trigger.requests).toUTCString();
		const statusCode = body === DATED_UNCHANGED ? 304 : 200;
		return await Promise.resolve({ ...responseOf(body), statusCode, headers: { date } });
	};
	const logged = trigger.log.length;
	const polled = await trigger.poll(settings, request).catch((error: unknown) => error);
	const events = polled as IDataObject[];
	return {
		asked,
		failure: polled instanceof Error ? polled : undefined,
		state: trigger.state,
		log: trigger.log.slice(logged),
		events,
		gone: polled instanceof Error ? [] : events.filter(({ event }) => event === 'contactDeleted'),
	};
}

beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => void jest.restoreAllMocks());

test.each<[string, unknown[], string[], Error?]>([
	['succeeds, and the read goes on', [THREE], ['3', '4']],
	['is not sent, and the page stays for the next poll', [NOT_SENT], ['3'], NOT_SENT],
	['is refused, and the read begins again', [REFUSED, ONE, TWO, THREE], ['3', '1', '2', '3', '4']],
	['succeeds, the second is refused, and the poll fails', [THREE, REFUSED], ['3', '4'], REFUSED],
	['is lost, and the read begins again', [LOST, ONE, TWO, THREE], ['3', '1', '2', '3', '4']],
	['is refused, as is the second, and the poll fails', [REFUSED, REFUSED], ['3', '1'], REFUSED],
])('the first request of a continued read %s', async (_, pages, asked, error = undefined) => {
	const trigger = begin();
	await poll(trigger, [ONE, TWO, OUT_OF_TIME]);
	expect(await poll(trigger, pages)).toMatchObject({ asked, failure: error });
	expect(trigger.state.read?.pageState.page).toBe(error === undefined ? undefined : 3);
});

test('a full read that is given up next to incremental ones counts as incomplete, and begins again', async () => {
	const incremental = readIncremental({ values: { parameter: 'since' } });
	const trigger = begin({ cursor: NOW });
	await poll(trigger, [[], ONE, OUT_OF_TIME], { ...SETTINGS, incremental });
	expect(trigger.state.read?.pageState.page).toBe(2);
	const pages = [REFUSED, [], ONE, TWO, OUT_OF_TIME];
	const { asked, log } = await poll(trigger, pages, { ...SETTINGS, incremental });
	expect(asked).toEqual(['2', '1 changes', '1', '2', '3']);
	expect(log).toEqual(['Deletions wait, because the list was not read in full: refused']);
	expect(trigger.state).toMatchObject({
		reads: { incompleteReads: 1 },
		read: { pageState: { page: 3 } },
	});
	await poll(trigger, [THREE, []], { ...SETTINGS, incremental });
	await poll(trigger, [ONE, OUT_OF_TIME], { ...SETTINGS, incremental });
	// An incremental read that is given up does not count.
	const { asked: again } = await poll(trigger, [REFUSED], { ...SETTINGS, incremental });
	const { reads, read } = trigger.state;
	expect([again, reads.incompleteReads, read]).toEqual([['2 changes', '1 changes'], 0, undefined]);
});

const refusedBy = (statusCode: number, outcome: 'refused' | 'unknown' = 'refused') =>
	new RequestError('refused', { outcome, statusCode, description: '' });
const DAILY = { ...SETTINGS, incremental: readIncremental({ values: { parameter: 'since' } }) };
test.each<[string, RequestError, boolean, Progress?]>([
	['400', refusedBy(400), true],
	['410', refusedBy(410), true],
	['400, although they are from the last day', refusedBy(400), false, { cursor: NOW }],
	['400, after the clock was set back', refusedBy(400), true, { cursor: NOW + 72 * HOUR }],
	['401', refusedBy(401), false],
	['403', refusedBy(403), false],
	['429', refusedBy(429), false],
	['503', refusedBy(503, 'unknown'), false],
])('changes refused with %s lead to a full read or fail', async (_, refusal, isRead, more = {}) => {
	const before = { cursor: NOW - 365 * 24 * HOUR, ...more };
	const trigger = begin(before);
	const { asked, failure, log, state } = await poll(trigger, [refusal, ONE, TWO, THREE], DAILY);
	expect(asked).toEqual(['1 changes', ...(isRead ? ['1', '2', '3', '4'] : [])]);
	expect([failure, state.reads.cursor]).toEqual([
		isRead ? undefined : refusal,
		isRead ? NOW + 1 * MINUTE : before.cursor,
	]);
	expect(log).toEqual(
		isRead ? ['Reading the whole list, because the changes could not be read: refused'] : [],
	);
});

test.each<[string, unknown[], boolean]>([
	['fails', [refusedBy(503, 'unknown')], true],
	['fails after its first page', [ONE, refusedBy(503, 'unknown')], true],
	['is empty', [BARE], true],
	['cannot be sent', [NOT_SENT], false],
	['has no list', [{ a: 1 }], true],
	['is set up wrongly', [new ListError('Pagination', '')], false],
	['crashes', [CRASH], false],
])('if the full read after changes %s, the poll emits or fails', async (_, pages, isReported) => {
	const trigger = begin({ cursor: NOW });
	const { failure, events, log, state } = await poll(trigger, [[{ id: 9 }], [], ...pages], DAILY);
	expect([failure === undefined, isReported ? events.length : 1]).toEqual([isReported, 1]);
	expect(log.join()).toMatch(
		isReported ? /^Deletions wait, because the list was not read in full: / : /^$/,
	);
	expect([state.reads.incompleteReads, state.read]).toEqual([isReported ? 1 : 0, undefined]);
});

const OTHER_LOOKBACK = { ...INCREMENTAL.incremental!, lookbackMs: 1 };
test.each<[string, PollSettings, string]>([
	['the same settings', INCREMENTAL, '2'],
	['another page size', { ...INCREMENTAL, list: { ...INCREMENTAL.list, pageSize: 2 } }, '1'],
	['another lookback', { ...INCREMENTAL, incremental: OTHER_LOOKBACK }, '1'],
])('with %s, the next poll continues the read or begins again', async (_, settings, page) => {
	const trigger = begin();
	await poll(trigger, [ONE, OUT_OF_TIME], INCREMENTAL);
	expect((await poll(trigger, [TWO, OUT_OF_TIME], settings)).asked[0]).toBe(page);
});

describe('a record missing twice that may have moved', () => {
	test('is deleted if a check lacks it too', async () => {
		const trigger = begin({ hasMoved: true }, 1);
		const { asked, gone, log } = await poll(trigger, [ONE, TWO, [], ONE, TWO, []]);
		expect(asked).toEqual(['1', '2', '3', '1', '2', '3']);
		expect([gone.length, log]).toEqual([1, []]);
	});

	const AGAIN = 'because the list could not be read again: ';
	const NOTHING = `${AGAIN}The service answered with an empty response instead of a list`;
	test.each<[string, unknown[], string?]>([
		['fails', [REFUSED], `${AGAIN}refused`],
		['is empty', [BARE], NOTHING],
		['is null', ['null'], NOTHING],
		['has no list', [{ a: 1 }, 5], `${AGAIN}Items Field: the response contains no list`],
		['ends early', [ONE, BARE], 'because the list was not read in full: page 2 was empty'],
		['runs out of time', [OUT_OF_TIME]],
	])('stays if the check %s', async (_, check, line = '') => {
		const { failure, gone, log, state } = await poll(begin({ hasMoved: true }, 1), [
			...[ONE, TWO, []],
			...check,
		]);
		expect(log).toEqual(line === '' ? [] : [`Deletions wait, ${line}`]);
		expect([failure, gone]).toEqual([undefined, []]);
		expect(state.known.get('3')?.missed).toBe(2);
		expect(state.read?.isCheck).toBe(line === '' ? true : undefined);
	});

	test('stays if the check crashes, and the poll fails', async () => {
		const trigger = begin({ hasMoved: true }, 1);
		expect((await poll(trigger, [ONE, TWO, [], CRASH])).failure).toBe(CRASH);
	});
});

test('changes are read before the whole list, so that a moved record is not missing', async () => {
	const trigger = begin({ cursor: NOW }, 1);
	const { asked } = await poll(trigger, [THREE, [], ONE, TWO, THREE, []], INCREMENTAL);
	expect(asked).toEqual(['1 changes', '2 changes']);
	const missing = begin({ cursor: NOW }, 1);
	const { asked: both, gone } = await poll(missing, [[], ONE, TWO, []], INCREMENTAL);
	expect(both).toEqual(['1 changes', '1', '2', '3']);
	expect(gone).toHaveLength(1);
	// A full read that goes on comes first.
	missing.state.reads.cursor = undefined;
	await poll(missing, [ONE, OUT_OF_TIME], INCREMENTAL);
	missing.state.reads.cursor = NOW;
	expect((await poll(missing, [TWO, []], INCREMENTAL)).asked).toEqual(['2', '3']);
});

describe('the cursor of changes', () => {
	const at = (request: number) => NOW + MINUTE * request;
	const LONG = { unconfirmed: { beganAt: 0, firstBeganAt: at(1) - HOUR, isStill: false } };
	const TOO_LONG = { unconfirmed: { ...LONG.unconfirmed, firstBeganAt: at(1) - HOUR - 1 } };
	const HABIT = { habits: ['end by an empty page' as const], firstLength: 2 };
	const SEVERAL = [ONE, TWO, []];

	// With the number of the request whose time becomes the cursor; 0 if the cursor stays.
	test.each<[string, unknown[][], Progress, number | undefined]>([
		['moves to the first page of a full read', [[ONE, TWO, THREE, []]], { cursor: undefined }, 1],
		['moves to changes on one page', [[[]]], {}, 1],
		['moves to changes on a page shorter than usual', [[ONE, []]], { firstLength: 2 }, 1],
		['stays after changes on a page as long as usual', [[ONE, []]], {}, 0],
		['stays after changes on several pages', [SEVERAL], { firstLength: 2 }, 0],
		['moves to the first of two reads', [SEVERAL, SEVERAL], {}, 1],
		['moves to the first of two reads, the second longer', [SEVERAL, [ONE, TWO, THREE, []]], {}, 1],
		['moves to a single page after several', [SEVERAL, [[]]], {}, 4],
		['stays after a read in which a record has moved', [[ONE, TWO, ONE, []], SEVERAL], {}, 0],
		['moves to the first read after such a move', [[ONE, TWO, ONE, []], SEVERAL, SEVERAL], {}, 5],
		['stays after a read if the next lacks one of its records', [SEVERAL, [ONE, THREE, []]], {}, 0],
		['moves to the next read once confirmed', [SEVERAL, [ONE, THREE, []], [ONE, THREE, []]], {}, 4],
		['stays after a read that has not ended', [[ONE, OUT_OF_TIME]], {}, 0],
		['stays after a read that was cut off', [[ONE, TWO, BARE], SEVERAL], {}, 0],
		['stays after a page that says there is more', [[{ a: [], hasMore: true }]], {}, 0],
		['moves to a read that always ends like that', [[ONE, BARE]], HABIT, 1],
		['stays after a 304 without a date', [[UNCHANGED]], {}, 0],
		['moves to a 304 with a date', [[DATED_UNCHANGED]], {}, 1],
		['is dropped after an hour unconfirmed', [[...SEVERAL, ONE, OUT_OF_TIME]], TOO_LONG, undefined],
		['is kept up to an hour unconfirmed', [SEVERAL], LONG, 0],
		['stays after an empty response', [[BARE]], {}, 0],
		['is dropped if the clock is set back', [[[], ONE, OUT_OF_TIME]], { cursor: at(2) }, undefined],
	])('%s', async (_, polls, more, request) => {
		const trigger = begin({ cursor: NOW, fullReadAt: NOW, ...more });
		for (const pages of polls) {
			const { failure, asked } = await poll(trigger, pages, INCREMENTAL);
			expect([failure, asked.length - pages.length]).toEqual([undefined, 0]);
		}
		expect(trigger.state.reads.cursor).toEqual(request === undefined ? undefined : at(request));
	});

	const AGAIN = 'The next poll reads the same changes again: ';
	const TWICE = [{ id: 1 }, { id: 1, a: 1 }];
	test.each<[string, unknown[], string]>([
		['were cut off', [ONE, TWO, BARE], `${AGAIN}page 3 was empty`],
		['are an empty response', [BARE], `${AGAIN}page 1 was empty`],
		['hold an ID twice', [TWICE], 'a record came twice with different content (ID 1)'],
	])('is explained in the log if changes %s', async (_, pages, line) => {
		expect((await poll(begin({ cursor: NOW }), pages, INCREMENTAL)).log).toEqual([line]);
	});
});

test('a time in ISO 8601 has no fractions of a second', () => {
	const values = { parameter: 'since', lookbackSeconds: 0 };
	const { query } = requestSince(SETTINGS.request, readIncremental({ values })!, 1_700_000_000_999);
	expect(query.at(-1)?.value).toBe('2023-11-14T22:13:20Z');
});

test.each([2, 3, 12])('a ring of %i pages is an error, even over several polls', async (pages) => {
	const ring = Array.from({ length: 100 }, (_, index) => ({
		a: [{ id: index % pages }],
		nextCursor: `c${index % pages}`,
	}));
	const settings = { ...SETTINGS, list: listOf({ type: 'cursor' }) };
	const trigger = begin();
	expect((await poll(trigger, [...ring.slice(0, 3), OUT_OF_TIME], settings)).asked.length).toBe(4);
	const { failure, asked } = await poll(trigger, ring.slice(3), settings);
	const again = `Pagination: page ${pages + 1} holds the same items as an earlier one`;
	expect(failure?.message).toBe(again);
	expect(3 + asked.length).toBe(pages + Math.max(pages, 10));
});

test.each([
	['unchanged, then changed', [[1, 'a']], [[1, 'b']], 1],
	['changed, then unchanged', [[1, 'b']], [[1, 'b']], 0],
	['only in a later poll', [], [[1, 'b']], 1],
])(
	'reading only changes, an edit of watched fields rehashes in one poll: %s',
	async (_, first, second, updates) => {
		const pageOf = (records: unknown[][]) => records.map(([id, name]) => ({ id, name }));
		const settings = { ...SETTINGS, list: readListSettings({}), readsChangesOnly: true };
		const trigger = begin();
		await poll(trigger, [pageOf([[1, 'a']])], settings);
		const edited = { ...settings, watchedFields: new WatchedFields('', 'views') };
		expect((await poll(trigger, [pageOf(first)], edited)).events).toEqual([]);
		const { events } = await poll(trigger, [pageOf(second)], edited);
		expect(events).toHaveLength(updates);
	},
);

test('first reads that are cut off and go on with the next poll come to an end', async () => {
	const trigger = begin({ firstReads: 3, pages: 1 });
	const cutOff = { a: [], hasMore: true };
	const firstReads = [];
	await poll(trigger, [ONE, OUT_OF_TIME]);
	for (let polls = 0; polls < 3; polls++) {
		const { state } = await poll(trigger, [cutOff, ONE, OUT_OF_TIME]);
		firstReads.push(state.reads.firstReads);
	}
	expect(firstReads).toEqual([2, 1, 0]);
});

test('if only changes are read, there may be more, and the first poll reads once', async () => {
	const settings = { ...SETTINGS, list: readListSettings({}), readsChangesOnly: true };
	const trigger = begin({ firstReads: 3 });
	const { asked, log, state } = await poll(trigger, [{ a: ONE, hasMore: true }], settings);
	expect([asked.length, log, state.reads.firstReads]).toEqual([1, [], 0]);
});

describe('without the expression for changes', () => {
	const CHANGES = { ...SETTINGS, readsChangesOnly: true };
	const ALL = [ONE, TWO, THREE, []];

	test('the whole list is read, even if a read of changes was under way', async () => {
		const trigger = begin();
		await poll(trigger, [ONE, OUT_OF_TIME], CHANGES);
		const { asked } = await poll(trigger, ALL);
		expect(asked).toEqual(['1', '2', '3', '4']);
	});

	test.each([undefined, readIncremental({ values: { parameter: 'since', fullReadHours: 0 } })])(
		'records that changes never showed do not count as created: %j',
		async (incremental) => {
			const trigger = new PolledTrigger();
			await poll(trigger, [ONE], { ...CHANGES, incremental });
			expect(trigger.state.known.size).toBe(1);
			const { events } = await poll(trigger, ALL, { ...SETTINGS, incremental });
			expect([events, trigger.state.known.size]).toEqual([[], 3]);
			const more = [...ALL.slice(0, 3), [{ id: 4 }], []];
			const later = await poll(trigger, more, SETTINGS);
			expect(later.events).toMatchObject([{ event: 'contactCreated' }]);
		},
	);
});

test('if only changes are read, the option lets withheld deletions of marked records through', async () => {
	const settings = {
		...SETTINGS,
		list: readListSettings({}),
		readsChangesOnly: true,
		deletedWhen: { field: 'gone', values: ['true'] },
	};
	const all = Array.from({ length: 12 }, (_, id) => ({ id }));
	const marked = all.slice(0, 8).map(({ id }) => ({ id, gone: true }));
	const trigger = new PolledTrigger();
	await poll(trigger, [all], settings);
	expect((await poll(trigger, [marked], settings)).events).toEqual([]);
	// One of them comes again without the mark.
	expect((await poll(trigger, [[{ id: 0 }]], settings)).events).toEqual([]);
	const { gone } = await poll(trigger, [[]], { ...settings, maxDeletionPercent: 100 });
	expect(gone).toHaveLength(7);
	expect((await poll(trigger, [[]], settings)).events).toEqual([]);
});
