/** Only a complete read shows deletions: faults on any page, and records that move during a read. */
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { responseOf } from '../transport/examples';
import { listOf, PolledTrigger, SETTINGS } from './examples';

interface Contact {
	id: number;
	name?: string;
}

type Query = Record<string, string | undefined>;
/** The response to the n-th request (from 1) of a poll; undefined for the page of the list. */
type Respond = (query: Query, number: number) => unknown;

const contacts = (...ids: number[]): Contact[] => ids.map((id) => ({ id }));
const TEN = contacts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

/** The page of a list that a query asks for, with three records per page. */
function pageOf(list: Contact[], { page, offset, cursor }: Query) {
	const start = page === undefined ? Number(offset ?? cursor ?? 0) : 3 * (Number(page) - 1);
	const next = start + 3 < list.length && offset === undefined && page === undefined;
	return {
		contacts: list.slice(start, start + 3),
		...(next ? { nextCursor: String(start + 3) } : {}),
	};
}

const KINDS = ['pageNumber', 'offset', 'cursor'];

/** A trigger for a list with this pagination. */
function watch(type: string, list: Contact[] = TEN, settings: Partial<PollSettings> = {}) {
	const state = { list, headers: {} };
	const trigger = new PolledTrigger();
	const all = { ...SETTINGS, list: listOf({ type, pageSize: 3 }), maxDeletionPercent: 100 };
	const poll = async (respond: Respond = () => undefined) => {
		let number = 0;
		const request = async ({ query }: ServiceRequest) => {
			const asked = Object.fromEntries(query.map(({ name, value }) => [name, value]));
			const page = pageOf(state.list, asked);
			const body = respond(asked, ++number) ?? page;
			if (body instanceof Error) throw body;
			return await Promise.resolve(responseOf(body, { headers: state.headers }));
		};
		const events = await trigger.poll({ ...all, ...settings }, request);
		return events.map(({ event, contact }) => `${event as string} ${(contact as Contact).id}`);
	};
	return { state, poll, log: trigger.log };
}

/** The same, after a poll. */
async function begin(...parameters: Parameters<typeof watch>) {
	const watched = watch(...parameters);
	expect(await watched.poll()).toEqual([]);
	return watched;
}

const onRequest = (number: number, body: unknown): Respond => {
	return (_, one) => (one === number ? body : undefined);
};
/** Changes the list after the n-th response. */
const changeBehind = (state: { list: Contact[] }, number: number, list: Contact[]): Respond => {
	return (_, one) => {
		if (one === number) state.list = list;
	};
};

const FAILURE = { contacts: [], success: false, message: 'Try again' };
const EMPTY = { contacts: [] };

describe.each(KINDS)('pagination by %s', (type) => {
	const isCursor = type === 'cursor';
	const NO_RECORDS = isCursor
		? 'had no records, although'
		: 'had no records, although more followed';
	test.each<[string, number[], unknown, string]>([
		['an empty body', [2, 3, 4], '', 'was empty'],
		['null', [2], 'null', 'was empty'],
		['no list', [2, 3], { a: 1 }, 'was no list'],
		['a failure', [1, 2], FAILURE, 'holds what looks like a failure'],
		// With a cursor, nothing distinguishes an empty first page from an empty list.
		['an empty list', isCursor ? [2, 3] : [1, 2, 3], EMPTY, NO_RECORDS],
	])('%s as one of the pages %j never deletes anything', async (_, numbers, body, words) => {
		for (const number of numbers) {
			const { state, poll, log } = await begin(type);
			for (let times = 0; times < 6; times++)
				expect(await poll(onRequest(number, body))).toEqual([]);
			expect(log.join()).toContain(`page ${number} ${words}`);
			state.list = TEN.slice(0, 3);
			expect([await poll(), (await poll()).length]).toEqual([[], 7]);
		}
	});

	test.each([
		FAILURE,
		{ contacts: null, errorCode: 17 },
		{ contacts: null, page: 1, resultCode: 17 },
		{ contacts: {}, errorCode: 17 },
	])('%j in place of a one-page list deletes nothing, however often', async (body) => {
		const { poll } = await begin(type, contacts(1, 2));
		for (let times = 0; times < 3; times++) {
			expect(await poll(onRequest(1, body)).catch(() => [])).toEqual([]);
		}
		expect(await poll()).toEqual([]);
	});

	test.each([{ success: false }, { error: { code: 'timeout' } }, { errors: ['timeout'] }])(
		'%j next to some records deletes nothing, unless the service always has it',
		async (failure) => {
			const { state, poll } = await begin(type);
			const respond: Respond = (query) => ({ ...pageOf(state.list, query), ...failure });
			state.list = TEN.slice(0, 7);
			for (let times = 0; times < 6; times++) expect(await poll(respond)).toEqual([]);
			state.list = TEN;
			expect([await poll(respond), await poll(respond)]).toEqual([[], []]);
			state.list = TEN.slice(1);
			expect([await poll(respond), await poll(respond)]).toEqual([[], ['contactDeleted 1']]);
		},
	);

	test('changes before a fault are emitted, and the rest once it is read', async () => {
		const { state, poll } = await begin(type);
		state.list = [...TEN.slice(0, 5), { id: 6, name: 'new' }, ...contacts(8, 9, 10, 11)];
		state.list[0] = { id: 1, name: 'new' };
		expect(await poll(onRequest(3, ''))).toEqual(['contactUpdated 1', 'contactUpdated 6']);
		expect([await poll(), await poll()]).toEqual([['contactCreated 11'], ['contactDeleted 7']]);
	});

	test.each<[string, unknown]>([
		['an empty body', ''],
		['a failure', { contacts: [], error: 'There is no such page' }],
		['an announced page without records', EMPTY],
	])('a list that always ends with %s is complete', async (_, end) => {
		const { state, poll } = watch(type);
		const respond: Respond = (query) => {
			const { contacts: page, nextCursor = '99' } = pageOf(state.list, query);
			return page.length === 0 ? end : { contacts: page, nextCursor };
		};
		expect([await poll(respond), await poll(respond)]).toEqual([[], []]);
		state.list = TEN.slice(1);
		expect([await poll(respond), await poll(respond)]).toEqual([[], ['contactDeleted 1']]);
	});
});

describe('a total in the responses', () => {
	/** A service that still counts the records it has lost. */
	const counted = (
		state: { list: Contact[] },
		more: (length: number) => object,
		lost = 0,
	): Respond => {
		return (query) => {
			const { length } = state.list;
			return { ...pageOf(state.list.slice(0, length - lost), query), ...more(length) };
		};
	};

	test('that is larger than the number of records makes the read incomplete', async () => {
		const { state, poll, log } = watch('pageNumber');
		const total = (lost = 0) => counted(state, (length) => ({ meta: { total: length } }), lost);
		await poll(total());
		for (let times = 0; times < 6; times++) expect(await poll(total(4))).toEqual([]);
		expect(log.join()).toContain('6 of 10 records came');
		expect([await poll(total()), await poll(total())]).toEqual([[], []]);
		state.list = TEN.slice(1);
		expect([await poll(total()), await poll(total())]).toEqual([[], ['contactDeleted 1']]);
	});

	test.each<[string, (length: number) => object, boolean, Record<string, string>?]>([
		['is no other number', () => ({ subtotal: 10, totalAmount: 10, countries: 10 }), false],
		['may be a text', () => ({ total: '10' }), true],
		['may be one of two', (numberOfElements) => ({ numberOfElements, totalElements: 10 }), true],
		['may be in a header', () => ({}), true, { 'x-total-count': '10' }],
		['is no number that never matched', () => ({ total: 12_000 }), false],
	])('%s', async (_, more, isTotal, headers = {}) => {
		const { state, poll } = watch('pageNumber');
		state.headers = headers;
		await poll(counted(state, more));
		state.list = TEN.slice(1);
		const polls = [await poll(counted(state, more)), await poll(counted(state, more))];
		expect(polls).toEqual([[], isTotal ? [] : ['contactDeleted 1']]);
	});
});

test('a contact that slips past two reads in the same way is not deleted', async () => {
	const { state, poll } = await begin('offset');
	for (const pollNumber of [1, 2, 3]) {
		state.list = TEN;
		// From the unread part of the list to the part that was read; page 2 shows contact 3 again, page 3 nothing new.
		const slip = changeBehind(state, 1, [{ id: 10 }, ...TEN.slice(0, 9)]);
		expect([pollNumber, await poll(slip)]).toEqual([pollNumber, []]);
	}
});

describe.each(['pageNumber', 'offset'])('by %s, after the last page', (type) => {
	test.each([
		[404, true],
		[400, true],
		[416, true],
		[500, false],
		[403, false],
	])('a %i lets deletions be reported: %p', async (statusCode, isReported) => {
		const { state, poll, log } = await begin(type);
		state.list = [{ id: 1, name: 'new' }, ...contacts(2, 3, 4, 5, 6)];
		const refused = new RequestError('', { outcome: 'refused', statusCode, description: '' });
		const respond: Respond = ({ page = '0', offset = '0' }) =>
			Number(page) < 4 && Number(offset) < 9 ? undefined : refused;
		expect(await poll(respond)).toEqual(['contactUpdated 1']);
		expect(await poll(respond)).toHaveLength(isReported ? 4 : 0);
		expect(log.join().includes('page 4 could not be read')).toBe(!isReported);
	});
});

test.each([
	[1, []],
	[2, []],
	// What the service always does is a habit.
	[3, ['contactCreated 4']],
])('after %i polls that were cut off, the records they missed emit %j', async (polls, events) => {
	const { poll } = watch('pageNumber', TEN.slice(0, 4));
	const cutOff: Respond = ({ page }) =>
		page === '1' ? undefined : { contacts: [], hasMore: true };
	for (let times = 0; times < polls; times++) expect(await poll(cutOff)).toEqual([]);
	expect([await poll(), await poll()]).toEqual([events, []]);
});

test('records that are found once Pagination is set up do not count as created', async () => {
	const settings = { list: readListSettings({}) };
	const { poll, log, state } = watch('none', TEN, settings);
	const respond: Respond = ({ page = '1' }) => ({ ...pageOf(state.list, { page }), total: 10 });
	for (let times = 0; times < 4; times++) expect(await poll(respond)).toEqual([]);
	expect(log.join()).toContain('there is more (total: 10); check the option Pagination');
	settings.list = listOf({ type: 'pageNumber', pageSize: 3 });
	expect(await poll(respond)).toEqual([]);
	state.list = [...TEN, { id: 11 }];
	expect(await poll(respond)).toEqual(['contactCreated 11']);
	// From then on, other settings do not hide created records.
	settings.list = listOf({ type: 'pageNumber', pageSize: 4 });
	state.list = [...state.list, { id: 12 }];
	expect(await poll(respond)).toEqual(['contactCreated 12']);
});
