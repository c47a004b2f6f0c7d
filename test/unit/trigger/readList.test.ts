/** A read that goes on from the poll before, its check, and the time from which changes are read. */
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { readIncremental } from '../../../nodes/BusinessData/trigger/incremental';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { ListReader } from '../../../nodes/BusinessData/trigger/readList';
import { newState, type State } from '../../../nodes/BusinessData/trigger/state';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { type Outcome, RequestError } from '../../../nodes/BusinessData/transport/requestError';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { responseOf } from '../transport/examples';
import { LIST, SETTINGS } from './examples';

const error = (outcome: Outcome) => new RequestError('', { outcome, description: '' });
const OUT_OF_TIME = new OutOfTimeError('', { outcome: 'notSent', description: '' });

/** Reads a list of three records in two polls, and returns the pages that the second one asks for. */
async function readInTwoPolls(first: Error[], second: Error[]): Promise<string[]> {
	const state = newState(LIST);
	const asked: string[] = [];
	const read = async (failures: Record<string, Error | undefined>) => {
		asked.length = 0;
		const request = async ({ query }: ServiceRequest) => {
			const page = query.find(({ name }) => name === 'page')?.value ?? '';
			asked.push(page);
			const failure = failures[asked.length];
			if (failure !== undefined) throw failure;
			return await Promise.resolve(responseOf(Number(page) > 3 ? [] : [{ id: page }]));
		};
		const client = { request, baseUrl: '' };
		await new ListReader(client, SETTINGS, state, new Events(), () => undefined).read();
	};
	await read({ 3: first[0] });
	await read({ 1: second[0], 2: second[1] }).catch(() => asked.push('failed'));
	return asked;
}

test.each<[string, Error[], string[]]>([
	['succeeds', [], ['3', '4']],
	['is not sent, the place stays for the next poll', [error('notSent')], ['3', 'failed']],
	['is refused, it begins again', [error('refused')], ['3', '1', '2', '3', '4']],
	['has no response, it begins again', [error('unknown')], ['3', '1', '2', '3', '4']],
	[
		'and the second are refused, it fails',
		[error('refused'), error('refused')],
		['3', '1', 'failed'],
	],
])('when the first request of a read that goes on %s', async (_, failures, pages) => {
	expect(await readInTwoPolls([OUT_OF_TIME], failures)).toEqual(pages);
});

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;
const INCREMENTAL = {
	...SETTINGS,
	incremental: readIncremental({ values: { parameter: 'since', fullReadHours: 0 } }),
};
const BARE = '';

/**
 * Reads once.
 * @param pages the response to each request, in their order, or its failure; nothing behind the last one
 */
async function readOnce(
	pages: unknown[],
	{
		settings = SETTINGS,
		more = {},
		missed = 0,
	}: { settings?: PollSettings; more?: Partial<State>; missed?: number } = {},
) {
	const state: State = { ...newState(LIST), firstReads: 0, pages: 3, firstLength: 1, ...more };
	for (const id of [1, 2, 3]) {
		state.known.set(`${id}`, {
			id,
			hash: '~~~~~~~~',
			missed: id === 3 ? missed : 0,
			isSeen: false,
		});
	}
	const events = new Events();
	const log: string[] = [];
	const asked: string[] = [];
	const request = async ({ query }: ServiceRequest) => {
		const valueOf = (wanted: string) => query.find(({ name }) => name === wanted)?.value;
		asked.push(`${valueOf('page')}${valueOf('since') === undefined ? '' : ' changes'}`);
		const body = pages[asked.length - 1] ?? [];
		if (body instanceof Error) throw body;
		// Each page a minute after the one before.
		const date = new Date(NOW + 60_000 * asked.length).toUTCString();
		return await Promise.resolve({ ...responseOf(body), headers: { date } });
	};
	const reader = new ListReader({ request, baseUrl: '' }, settings, state, events, (line) => {
		log.push(line);
	});
	const failure: unknown = await reader.read().catch((reason: unknown) => reason);
	return { state, events, log, asked, failure, gone: [...events.gone] };
}
const [ONE, TWO, THREE, FOUR] = [1, 2, 3, 4].map((id) => [{ id }]);
const CRASH = new Error('crash');
const REFUSED = new RequestError('refused', { outcome: 'refused', description: '' });
const UNCHANGED = new RequestError('', { outcome: 'refused', statusCode: 304, description: '' });

describe('a record that is missing for the second time, and may only have moved', () => {
	const MOVED = { missed: 1, more: { hasMoved: true } };

	test('is gone when a check lacks it too', async () => {
		const { asked, gone, log } = await readOnce([ONE, TWO, [], ONE, TWO, []], MOVED);
		expect(asked).toEqual(['1', '2', '3', '1', '2', '3']);
		expect([gone, log]).toEqual([['3'], []]);
	});

	test.each<[string, unknown[], string | undefined]>([
		['fails', [REFUSED], 'because the list could not be read again: refused'],
		['has nothing', [BARE], 'because the list was not read in full: page 1 was empty'],
		['is null', ['null'], 'because the list was not read in full: page 1 was empty'],
		['has no list', [{ a: 1 }, 5], undefined],
		[
			'has nothing on its second page',
			[ONE, BARE],
			'because the list was not read in full: page 2 was empty',
		],
		['is out of time', [OUT_OF_TIME], undefined],
	])('stays when the check %s', async (_, check, line) => {
		const { failure, gone, log, state } = await readOnce([ONE, TWO, [], ...check], MOVED);
		if (line !== undefined) expect(log).toEqual([`Deletions wait, ${line}`]);
		expect([failure, gone]).toEqual([undefined, []]);
		expect(state.known.get('3')?.missed).toBe(2);
	});

	test('stays when the check crashes, which the poll does not pass over', async () => {
		const { failure } = await readOnce([ONE, TWO, [], CRASH], MOVED);
		expect(failure).toBe(CRASH);
	});
});

describe('after a full read beside incremental ones, in which a record is missing', () => {
	const KNOWN = { settings: INCREMENTAL, more: { cursor: undefined, fullReadAt: 1 } };

	test.each<[string, unknown[], string[], unknown]>([
		['it is among what has changed', [THREE, []], ['1 changes', '2 changes'], undefined],
		['what has changed cannot be read', [REFUSED], ['1 changes'], undefined],
		['the poll crashes', [CRASH], ['1 changes'], CRASH],
	])('%s', async (_, pages, changes, error) => {
		const { asked, failure, state } = await readOnce([ONE, TWO, [], ...pages], KNOWN);
		expect(asked.slice(0, 3 + changes.length)).toEqual(['1', '2', '3', ...changes]);
		expect(failure).toBe(error);
		expect(state.read).toBeUndefined();
		expect(state.known.get('3')?.missed).toBe(pages.length === 2 ? 0 : 1);
	});

	test.each<[string, unknown[], number, Partial<State>]>([
		['nothing is missing', [ONE, TWO, THREE, []], 4, {}],
		['the list has one page', [[{ id: 1 }, { id: 2 }]], 2, {}],
		['it is deleted', [ONE, TWO, []], 3, { hasMoved: false }],
	])('no changes are read where %s', async (what, pages, count, more) => {
		const missed = what === 'it is deleted' ? 1 : 0;
		const settings = what.includes('one page')
			? { ...INCREMENTAL, list: readListSettings({}) }
			: INCREMENTAL;
		const { asked } = await readOnce(pages, { settings, more: { ...KNOWN.more, ...more }, missed });
		expect(asked.filter((one) => one.includes('changes'))).toEqual([]);
		expect(asked.length).toBeLessThanOrEqual(count);
	});
});

describe('the time from which the next changes are asked for', () => {
	const FIRST = NOW + 60_000;
	const incremental = (more: Partial<State>) => ({
		settings: INCREMENTAL,
		more: { cursor: NOW, fullReadAt: NOW, ...more },
	});

	test.each<[string, unknown[], Partial<State>, number | undefined, number]>([
		['the first page of a full read', [ONE, TWO, THREE, []], { cursor: undefined }, FIRST, 4],
		['that of changes on one page', [[]], {}, FIRST, 1],
		[
			'that of changes on a page shorter than those of the list',
			[ONE, []],
			{ firstLength: 2 },
			FIRST,
			2,
		],
		['that of changes on a page as long', [ONE, [], ONE, []], {}, FIRST, 4],
		['that of the first of two reads of changes', [ONE, TWO, [], ONE, TWO, []], {}, FIRST, 6],
		[
			'that of the second of three, where a record has moved in the first',
			[ONE, TWO, ONE, [], ONE, TWO, [], ONE, TWO, []],
			{},
			FIRST + 240_000,
			10,
		],
		[
			'that of the second of three, where it lacks a record of the first',
			[ONE, TWO, [], ONE, THREE, [], ONE, THREE, []],
			{},
			FIRST + 180_000,
			9,
		],
		[
			'the one before, where records move in four reads',
			Array.from({ length: 4 }, () => [ONE, TWO, ONE, []]).flat(),
			{},
			NOW,
			16,
		],
		[
			'that of the first, where the second does not come to its end',
			[ONE, TWO, [], ONE, OUT_OF_TIME],
			{},
			FIRST,
			5,
		],
		['the one before, where the first read does not end', [ONE, OUT_OF_TIME], {}, NOW, 2],
		['the one before, where the list was cut off', [ONE, TWO, BARE], {}, NOW, 3],
		// A 304 shows no time of the service, and n8n's may be ahead of it.
		['the one before, where the service says 304', [UNCHANGED], {}, NOW, 1],
		[
			'none, where that is more than an hour ago',
			[ONE, TWO, BARE],
			{ cursor: FIRST - HOUR - 1 },
			undefined,
			3,
		],
		[
			'the one before, where that is an hour ago',
			[ONE, TWO, BARE],
			{ cursor: FIRST - HOUR },
			FIRST - HOUR,
			3,
		],
		[
			'that of the first, where lists always end with nothing',
			[ONE, TWO, BARE, ONE, TWO, BARE],
			{ habits: ['noLastPage'] },
			FIRST,
			6,
		],
	])('is %s', async (_, pages, more, cursor, requests) => {
		const { state, asked, failure } = await readOnce(pages, incremental(more));
		expect(failure).toBeUndefined();
		expect([state.cursor, asked.length]).toEqual([cursor, requests]);
	});

	test('changes that were cut off are said in the log', async () => {
		const { log } = await readOnce([ONE, TWO, BARE], incremental({}));
		expect(log).toEqual(['The next poll reads the same changes again: page 3 was empty']);
	});
});

test.each([
	[10, false],
	[11, true],
])('the same page %i times: an error: %s', async (times, isError) => {
	const list = readListSettings({ pagination: { values: { type: 'cursor' } } });
	const pages = Array.from({ length: times }, (_, index) => ({
		contacts: FOUR,
		nextCursor: `c${index}`,
	}));
	const { failure, state } = await readOnce([...pages, { contacts: ONE }], {
		settings: { ...SETTINGS, list },
	});
	expect(failure instanceof RequestError).toBe(isError);
	expect(state.read === undefined).toBe(!isError);
});

test('where only changes are read, there may be more, and the first poll reads once', async () => {
	const settings = { ...SETTINGS, list: readListSettings({}), readsChangesOnly: true };
	const pages = Array.from({ length: 4 }, () => ({ contacts: ONE, hasMore: true }));
	const { asked, log, state } = await readOnce(pages, { settings, more: { firstReads: 3 } });
	expect([asked.length, log, state.firstReads]).toEqual([1, [], 0]);
});

test.each<[string, PollSettings, string]>([
	['the same settings', INCREMENTAL, '2'],
	['another page size', { ...INCREMENTAL, list: { ...INCREMENTAL.list, pageSize: 2 } }, '1'],
	[
		'another lookback',
		{ ...INCREMENTAL, incremental: { ...INCREMENTAL.incremental!, lookbackMs: 1 } },
		'1',
	],
])('with %s, the next poll goes on or begins again', async (_, settings, page) => {
	const more = { cursor: undefined };
	const { state } = await readOnce([ONE, OUT_OF_TIME], { settings: INCREMENTAL, more });
	const { asked } = await readOnce([OUT_OF_TIME], { settings, more: state });
	expect(asked[0]).toBe(page);
});
