// Services as 26 bookkeeping services shape their lists, responses and errors: the node reads and changes all of
// them by its settings alone.

import { CHANGES, ERRORS, LEFT_OUT, LISTS, type Profile, PROFILES } from '../../sandbox/profiles';
import {
	apiRequest,
	deleteMany,
	errorOf,
	itemsOf,
	NO_LIMITS,
	NODE,
	read,
	send,
	useBench,
} from '../support/bench';

const bench = useBench({ limits: NO_LIMITS, contactCount: 5 });

const NUMBERS = [1, 2, 3, 4, 5];
const idsOf = (name: string) =>
	NUMBERS.map((number) =>
		name.includes('D3') ? `90071992547409930${number}` : `contact-${number}`,
	);
const standFor = (name: string, { credential }: Profile) => {
	bench.sandbox.standFor(name);
	Object.assign(bench.credential, credential);
};
const options = (profile: Profile) => ({ ...profile.options });

describe.each(Object.entries(LISTS))('the list %s', (name, profile) => {
	const { idField = 'id' } = profile;
	beforeEach(() => standFor(name, profile));

	test.each([
		['Get Many', read(options(profile))],
		['API Request', apiRequest('GET', '/masterdata/getContacts', options(profile))],
	])('is read by %s, and what was read can be deleted', async (_, parameters) => {
		const result = await bench.run([{}], parameters);
		expect(result.run.data.resultData.error?.message).toBeUndefined();
		expect(result.json(NODE).map((record) => record[idField])).toEqual(idsOf(name));
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

/** What comes out for a response that is a success. */
function expectedOf({ change: { status = 200, body, headers } = {} }: Profile) {
	if (Buffer.isBuffer(body)) return { binary: body };
	if (body === undefined) return { json: { statusCode: status } };
	if (headers?.['content-type']?.includes('html') === true)
		return { json: JSON.parse(body as string) as object };
	return { json: typeof body === 'object' ? body : { data: body } };
}

const changes = Object.entries({ ...CHANGES, ...ERRORS });

describe.each(changes.filter(([, { texts }]) => texts === undefined))(
	'the response %s',
	(name, profile) => {
		test.each(OPERATIONS)('is a success of %s', async (operation, parameters) => {
			standFor(name, profile);
			const result = await bench.run(itemsOf(1), parameters);
			expect(result.run.data.resultData.error?.message).toBeUndefined();
			const [item] = result.items(NODE);
			const { binary, json } = expectedOf(profile);
			if (binary !== undefined) {
				expect(Buffer.from(item?.binary?.data?.data ?? '', 'base64')).toEqual(binary);
			} else if (operation === 'Delete Many') {
				// JSON as it is, also where it is no object.
				const { body, headers } = profile.change ?? {};
				const isScalar = typeof body !== 'object' && body !== undefined && headers === undefined;
				expect(item?.json.response).toEqual(isScalar ? body : json);
			} else expect(item?.json).toEqual(json);
		});
	},
);

describe.each(changes.filter(([, { texts }]) => texts !== undefined))(
	'the error %s',
	(name, profile) => {
		test.each(OPERATIONS)('is told in its own words by %s', async (_, parameters) => {
			standFor(name, profile);
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
	},
);

test('every convention of lists, pages, responses and errors has a profile or a reason', () => {
	const named = [
		...Object.keys(PROFILES).flatMap((name) => name.split('-')),
		...Object.keys(LEFT_OUT),
	];
	const sizes: Array<[string, number]> = [
		['L', 26],
		['P', 26],
		['S', 26],
		['B', 10],
		['E', 31],
	];
	const all = sizes.flatMap(([letter, count]) =>
		Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
	);
	expect(all.filter((id) => !named.includes(id))).toEqual([]);
});
