// The conventions of 26 bookkeeping services for lists, responses and errors: settings alone adapt the node to each of
// them.

import type { INodeParameters } from 'n8n-workflow';

import { CHANGES, ERRORS, LEFT_OUT, LISTS, type Profile, PROFILES } from '../../sandbox/profiles';
import { workflowOf } from '../support/engineWorkflow';
import { errorOf, hintsOf, itemsOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { apiRequest, deleteMany, pages, read, send } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS, contactCount: 5 });

const NUMBERS = [1, 2, 3, 4, 5];
const idsOf = (name: string) =>
	NUMBERS.map((number) =>
		name.includes('D3') ? `90071992547409930${number}` : `contact-${number}`,
	);
const imitate = (name: string, { credential }: Profile) => {
	bench.sandbox.imitate(name);
	Object.assign(bench.credential, credential);
};
const options = (profile: Profile) => ({ ...profile.options });

describe.each(Object.entries(LISTS))('the list %s', (name, profile) => {
	const { idField = 'id' } = profile;
	beforeEach(() => imitate(name, profile));

	test.each([
		['Get Many', read(options(profile))],
		['API Request', apiRequest('GET', '/masterdata/getContacts', options(profile))],
	])('is read by %s, and its records can be deleted', async (_, parameters) => {
		const result = await bench.run([{}], parameters);
		expect(result.run.data.resultData.error?.message).toBeUndefined();
		expect(result.json(NODE).map((record) => record[idField])).toEqual(idsOf(name));
		expect(hintsOf(result)).toEqual([]);
		const ids = `={{ $json.${idField} }}`;
		await bench.run(result.json(NODE), { ...deleteMany(), resource: 'contact', ids });
		expect(bench.sandbox.journal.all().at(-1)?.body).toEqual({ ids: idsOf(name) });
	});

	test('is watched by the trigger', async () => {
		const parameters = {
			events: ['contactCreated', 'contactUpdated', 'contactDeleted'],
			idField,
			options: { ...options(profile), emitExisting: true },
		};
		const trigger = bench.engine.trigger(parameters, { key: bench.credential });
		const events = await trigger.poll();
		expect(events.map(({ event }) => event)).toEqual(NUMBERS.map(() => 'contactCreated'));
		expect(events.map(({ contact }) => (contact as Record<string, unknown>)[idField])).toEqual(
			idsOf(name),
		);
		const [first] = bench.sandbox.contacts.list();
		bench.sandbox.contacts.remove(first?.id ?? '');
		const later = [await trigger.poll(), await trigger.poll(), await trigger.poll()].flat();
		expect(later).toMatchObject([{ event: 'contactDeleted' }]);
	});
});

const OPERATIONS = [
	['Send', send()],
	['API Request', { ...apiRequest('PUT', '/sandbox/send'), dataMode: 'autoMapInputData' }],
	['Delete Many', deleteMany()],
] as const;

/** The expected output for a successful response. */
function expectedOf({ change: { status = 200, body, headers } = {} }: Profile) {
	if (Buffer.isBuffer(body)) return { binary: body };
	if (body === undefined) return { json: { statusCode: status } };
	if (headers?.['content-type']?.includes('html') === true)
		return { json: JSON.parse(body as string) as object };
	return { json: typeof body === 'object' ? body : { data: body } };
}

const changes = Object.entries({ ...CHANGES, ...ERRORS });
const successes = changes.filter(([, { texts }]) => texts === undefined);
const errors = changes.filter(([, { texts }]) => texts !== undefined);

describe.each(successes)('the response %s', (name, profile) => {
	test.each(OPERATIONS)('is a success for %s', async (operation, parameters) => {
		imitate(name, profile);
		const result = await bench.run(itemsOf(1), parameters);
		expect(result.run.data.resultData.error?.message).toBeUndefined();
		const [item] = result.items(NODE);
		const { binary, json } = expectedOf(profile);
		if (binary !== undefined) {
			expect(Buffer.from(item?.binary?.data?.data ?? '', 'base64')).toEqual(binary);
		} else if (operation === 'Delete Many') {
			// JSON comes out unchanged, even if it is not an object.
			const { body, headers } = profile.change ?? {};
			const isScalar = typeof body !== 'object' && body !== undefined && headers === undefined;
			expect(item?.json.response).toEqual(isScalar ? body : json);
		} else expect(item?.json).toEqual(json);
	});
});

describe.each(errors)('the error %s', (name, profile) => {
	test.each(OPERATIONS)('is shown in its own words by %s', async (_, parameters) => {
		imitate(name, profile);
		const error = errorOf(await bench.run(itemsOf(1), parameters));
		const shown = `${error.message}\n${error.description}`;
		for (const text of profile.texts ?? []) expect(shown).toContain(text);
		const isPage = name === 'S23';
		expect(error.context).toMatchObject({
			outcome: isPage ? 'unknown' : 'refused',
			statusCode: expect.any(Number) as unknown,
			responseBody: expect.any(String) as unknown,
		});
		expect(bench.sandbox.journal.count()).toBe(1);
	});
});

const list = (given = {}) => apiRequest('GET', '/masterdata/getContacts', given);
const LINK = 'the next page is named by the header Link';
const PAGES = '2 items of 5 (meta.pagination.total) were read. Set the option Pagination';
const WRAPPED = { itemsField: 'list.*.customer', ...pages('cursor') };
const REPEATED = pages('offset', { endOfList: 'repeatedPage' });
const NEXT_OFFSET = 'the next page is named by next_offset. Check the option Pagination';
test.each([
	['L2-P3', 'Get Many', read(), PAGES],
	['L18-P10', 'Get Many', read(), 'says that there is more (has_more): 2 items were read'],
	['L1-P13-D3', 'Get Many', read(), `${LINK}. Set the option Pagination to Next URL`],
	['L23', 'API Request', list({ itemsField: 'data' }), '2 items of 5 (total) were read'],
	['L10-P11', 'Get Many', read(WRAPPED), NEXT_OFFSET],
	['L15-P8', 'Get Many', read({ itemsField: 'data.*.items' }), '2 items of 5 (data.0.total)'],
	// These services ignore the parameter, so the first page repeats.
	['L3-P22', 'Get Many', read(REPEATED), 'says that there is more (page_context.has_more_page)'],
	['L1-P13-D3', 'Get Many', read(REPEATED), `${LINK}. Check the option Pagination`],
	['L3-P1', 'Get Many', read(REPEATED), 'says that there is more (pagination.pageCount)'],
])('a hint says that the list %s, read by %s, is incomplete', async (name, _, parameters, hint) => {
	bench.sandbox.imitate(name);
	const first = await bench.run([{}], parameters);
	expect(first.items(NODE)).toHaveLength(2);
	expect(hintsOf(first)).toEqual([expect.stringContaining(hint)]);
	// With a limit of two, the limit is what ends the list.
	const given = { ...(parameters.options as object), limit: 2 };
	const limited = await bench.run([{}], {
		...parameters,
		returnAll: false,
		limit: 2,
		...(parameters.resource === 'apiRequest' ? { options: given } : {}),
	});
	const also =
		'pagination' in given ? /more\.$/ : /more; if one response .* also set Pagination.*\.$/;
	expect(hintsOf(limited)).toEqual([
		expect.stringMatching(/more.*: 2 items .* read.* Raise Limit/),
	]);
	expect(hintsOf(limited)[0]).toMatch(also);
});

test('a hint names an item that comes on two pages', async () => {
	bench.sandbox.imitate('L16');
	const values = { pageParameter: '$skip', firstPage: 0, pageSizeParameter: '' };
	const hints = hintsOf(await bench.run([{}], read(pages('pageNumber', values))));
	expect(hints.join()).toContain('The item with the ID contact-2 appears on two pages.');
});

test('the total is compared with the number of invoices, not of their lines', async () => {
	const lines = [[{ line: 1 }, { line: 2 }], [{ line: 3 }], []];
	for (const page of [lines, [[]], []]) {
		const invoices = page.map((own, index) => ({ id: 10 * own.length + index, lines: own }));
		bench.respond(200, { body: { total: 4, invoices } });
	}
	const pagination = { values: { type: 'offset' } };
	const result = await bench.run([{}], read({ itemsField: 'invoices.*.lines', pagination }));
	expect(result.json(NODE)).toHaveLength(3);
	expect(hintsOf(result)).toEqual([]);
});

test.each([
	[9, 0],
	[10, 1],
])('after %i empty pages, %i hints say that reading ended there', async (count, hints) => {
	for (let page = 0; page < count; page++) {
		const body = { items: [], nextCursor: `c${page}` };
		bench.respond(200, { body });
	}
	bench.respond(200, { body: { items: [{ id: 1 }] } });
	const result = await bench.run([{}], read(pages('cursor')));
	expect(result.json(NODE)).toHaveLength(1 - hints);
	expect(hintsOf(result).map((hint) => hint.slice(0, 24))).toEqual(
		Array.from({ length: hints }, () => 'The last 10 pages were e'),
	);
});

test.each([
	['a full page without the field of the cursor', 2, {}, ['The first page is full (2 items), and']],
	['a full page whose cursor is null', 2, { nextCursor: null }, []],
	['a page that is not full', 3, {}, []],
	['a full page that says that it is the last', 2, { has_more: false }, []],
])('%s is the only one: page size %i, %j', async (_, pageSize, fields, hints) => {
	bench.respond(200, { body: { data: [{ id: 1 }, { id: 2 }], ...fields } });
	const endOfList = 'has_more' in fields ? 'hasMoreField' : 'emptyPage';
	const result = await bench.run([{}], read(pages('cursor', { pageSize, endOfList })));
	expect(result.json(NODE)).toHaveLength(2);
	expect(hintsOf(result).map((hint) => hint.slice(0, 37))).toEqual(hints);
});

/** The hints of a manual run in the editor. */
async function hintsByHand(parameters: INodeParameters): Promise<string[]> {
	const workflow = workflowOf([{}], parameters);
	return hintsOf(await bench.engine.run(workflow, { key: bench.credential }, 'manual'));
}

test.each([
	[{}, '5 items', 0],
	[{ returnAll: false, limit: 1 }, '1 item of 5 (response.result.total)', 1],
])('a manual run with %j hints at the list it recognized', async (parameters, count, before) => {
	bench.sandbox.imitate('L5-P3');
	const node = { ...read(options(LISTS['L5-P3'] ?? {})), ...parameters };
	const hints = await hintsByHand(node);
	expect(hints.slice(before)).toEqual([`${count} in response.result.clients.`]);
	expect(hints).toHaveLength(before + 1);
});

test('a manual run hints at the list of the pages before a 404', async () => {
	bench.respond(200, { body: { data: [{ id: 1 }] } });
	bench.respond(404);
	const untilNotFound = pages('pageNumber', { endOfList: 'notFound' });
	expect(await hintsByHand(read(untilNotFound))).toEqual(['1 item in data.']);
});

test.each([
	...['B5', 'B6', 'B7', 'B9', 'S25'].map((name) => [name, true] as const),
	...['S11', 'S15', 'B3'].map((name) => [name, false] as const),
])('the response %s to a deletion gets the hint of a failure: %s', async (name, looks) => {
	bench.sandbox.imitate(name);
	const hints = hintsOf(await bench.run(itemsOf(2), deleteMany())).join();
	expect(hints.includes('looks like a failure')).toBe(looks);
	expect(hints.startsWith('2 items (0–1): ')).toBe(looks);
});

test('every convention has a profile or a reason why it is left out', () => {
	const named = [
		...Object.keys(PROFILES).flatMap((name) => name.split('-')),
		...Object.keys(LEFT_OUT),
	];
	const all = Object.entries({ L: 26, P: 26, S: 26, B: 10, E: 31 }).flatMap(([letter, count]) =>
		Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
	);
	expect(all.filter((id) => !named.includes(id))).toEqual([]);
});
