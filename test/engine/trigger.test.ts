// The trigger emits every change of the contacts once, and forgets nothing when a poll fails.

import { skipBackoff, useBench } from '../support/bench';

const bench = useBench({ contactCount: 12 });
const ALL_EVENTS = ['contactCreated', 'contactUpdated', 'contactDeleted'];
const PAGES = { pagination: { values: { type: 'offset', pageSize: 3 } } };

const trigger = (
	parameters: Record<string, unknown> = {},
	...more: [mode?: 'manual' | 'trigger', staticData?: Record<string, never>]
) =>
	bench.engine.trigger(
		{ events: ALL_EVENTS, idField: 'id', options: {}, ...parameters },
		{ key: bench.credential },
		...more,
	);
const change = (id: string) => bench.sandbox.contacts.update(id, { city: `City ${Math.random()}` });

test('the first poll remembers the contacts and emits nothing', async () => {
	expect(await trigger().poll()).toEqual([]);
});

test('with Emit Existing, the first poll emits every contact', async () => {
	const events = await trigger({ options: { emitExisting: true } }).poll();
	expect(events).toHaveLength(12);
	expect(events[0]).toMatchObject({ event: 'contactCreated', contact: { id: 'contact-1' } });
});

test('emits what was created, updated and deleted since the last poll, once', async () => {
	const { poll } = trigger();
	await poll();
	bench.sandbox.contacts.add({ id: 'new', name: 'New' });
	change('contact-2');
	bench.sandbox.contacts.remove('contact-3');
	expect(await poll()).toMatchObject([
		{ event: 'contactUpdated', contact: { id: 'contact-2' } },
		{ event: 'contactCreated', contact: { id: 'new', name: 'New' } },
		{ event: 'contactDeleted', contact: { id: 'contact-3' } },
	]);
	expect(await poll()).toEqual([]);
});

test('emits only the events that are wanted, and remembers the others all the same', async () => {
	const { poll } = trigger({ events: ['contactDeleted'] });
	await poll();
	change('contact-2');
	bench.sandbox.contacts.remove('contact-3');
	expect(await poll()).toMatchObject([{ event: 'contactDeleted' }]);
	expect(await poll()).toEqual([]);
});

test('50 random rounds: no change is missed and none is emitted twice', async () => {
	const { poll } = trigger({ options: PAGES });
	await poll();
	for (let round = 0; round < 50; round++) {
		const ids = bench.sandbox.contacts.list().map(({ id }) => id);
		const expected: string[] = [];
		for (const id of ids.filter(() => Math.random() < 0.2)) {
			const isDeleted = Math.random() < 0.4;
			if (isDeleted) bench.sandbox.contacts.remove(id);
			else change(id);
			expected.push(`${isDeleted ? 'contactDeleted' : 'contactUpdated'} ${id}`);
		}
		for (let count = Math.floor(Math.random() * 4); count > 0; count--) {
			const id = `round-${round}-${count}`;
			bench.sandbox.contacts.add({ id, name: id });
			expected.push(`contactCreated ${id}`);
		}
		const events = await poll();
		const emitted = events.map(
			({ event, contact }) => `${event as string} ${(contact as { id: string }).id}`,
		);
		expect(emitted.sort()).toEqual(expected.sort());
	}
}, 120_000);

test('a poll that fails half-way changes nothing, so the next one misses nothing', async () => {
	const { poll, staticData } = trigger({ options: PAGES });
	await poll();
	const before = JSON.stringify(staticData);
	change('contact-1');
	bench.sandbox.contacts.remove('contact-12');
	bench.sandbox.fault({ after: 2, times: 4, action: { type: 'status', status: 500 } });
	skipBackoff();
	await expect(poll()).rejects.toThrow('500');
	expect(JSON.stringify(staticData)).toBe(before);
	jest.restoreAllMocks();
	expect(await poll()).toMatchObject([
		{ event: 'contactUpdated', contact: { id: 'contact-1' } },
		{ event: 'contactDeleted', contact: { id: 'contact-12' } },
	]);
});

describe('an answer without contacts', () => {
	test('that is an empty list means that all were deleted', async () => {
		const { poll } = trigger();
		await poll();
		for (const { id } of bench.sandbox.contacts.list()) bench.sandbox.contacts.remove(id);
		expect(await poll()).toHaveLength(12);
	});

	test.each([
		['an empty body', { type: 'emptyBody' }],
		['no content', { type: 'status', status: 204 }],
		['a web page', { type: 'status', status: 200, body: '<html>', contentType: 'text/html' }],
	] as const)('that is %s does not', async (_, action) => {
		const { poll } = trigger();
		await poll();
		bench.sandbox.fault({ action });
		await expect(poll()).rejects.toThrow('service answered');
		expect(await poll()).toEqual([]);
	});
});

describe('a query parameter', () => {
	const parameters = (value: string) => ({
		options: { queryParameters: { parameters: [{ name: 'limit', value }] } },
	});

	test('that is an expression reads changes only: what is missing was not deleted', async () => {
		const { poll } = trigger(parameters('={{ 5 }}'));
		await poll();
		change('contact-2');
		bench.sandbox.contacts.remove('contact-1');
		// Another contact comes into the answer, and one leaves it without an event.
		expect(await poll()).toMatchObject([
			{ event: 'contactUpdated', contact: { id: 'contact-2' } },
			{ event: 'contactCreated', contact: { id: 'contact-6' } },
		]);
		expect(await poll()).toEqual([]);
	});

	test('that is fixed shows deletions', async () => {
		const { poll } = trigger(parameters('12'));
		await poll();
		bench.sandbox.contacts.remove('contact-1');
		expect(await poll()).toMatchObject([{ event: 'contactDeleted' }]);
	});
});

describe('IDs', () => {
	test('may be anywhere in a contact', async () => {
		const contact = (number: number, name: string) => ({ data: { number }, name });
		const answer = (contacts: unknown[]) =>
			bench.sandbox.fault({ action: { type: 'status', status: 200, body: contacts } });
		const { poll } = trigger({ idField: 'data.number' });
		answer([contact(1, 'a'), contact(2, 'b')]);
		await poll();
		answer([contact(2, 'c')]);
		expect(await poll()).toEqual([
			{ event: 'contactUpdated', contact: contact(2, 'c') },
			{ event: 'contactDeleted', contact: { data: { number: 1 } } },
		]);
	});

	test.each([
		['that are missing', [{ id: 1 }, { name: 'a' }], 'contact 2 of 2 has no ID at "id"'],
		[
			'that are not unique',
			[{ id: 1 }, { id: '1', a: 2 }],
			'two different contacts have the ID "1"',
		],
	])('%s are an error', async (_, body, message) => {
		bench.sandbox.fault({ action: { type: 'status', status: 200, body } });
		await expect(trigger().poll()).rejects.toThrow(message);
	});

	test('of one contact that is read twice are no error', async () => {
		const body = [
			{ id: 1, name: 'a' },
			{ name: 'a', id: 1 },
		];
		bench.sandbox.fault({ action: { type: 'status', status: 200, body } });
		const events = await trigger({ options: { emitExisting: true } }).poll();
		expect(events).toHaveLength(1);
	});
});

test('a manual test run shows up to 10 samples and leaves the state alone', async () => {
	const { poll, staticData } = trigger({}, 'manual');
	const events = await poll();
	expect(events).toHaveLength(10);
	expect(events[0]).toMatchObject({ event: 'contactCreated', contact: { id: 'contact-1' } });
	expect(JSON.stringify(staticData)).toBe('{}');
});

test('two polls at once do not emit a change twice', async () => {
	const { poll } = trigger();
	await poll();
	change('contact-1');
	const events = await Promise.all([poll(), poll()]);
	expect(events.flat()).toHaveLength(1);
});

test('100,000 contacts take less than 5 MB of state, and a poll seconds', async () => {
	const body = Array.from({ length: 100_000 }, (_, index) => ({
		id: `01234567-89ab-cdef-0123-${String(index).padStart(12, '0')}`,
		name: `Contact ${index}`,
		email: `contact-${index}@example.com`,
	}));
	const { poll, staticData } = trigger();
	bench.sandbox.fault({ times: 2, action: { type: 'status', status: 200, body } });
	await poll();
	expect(JSON.stringify(staticData).length).toBeLessThan(5_000_000);
	const startedAt = performance.now();
	expect(await poll()).toEqual([]);
	expect(performance.now() - startedAt).toBeLessThan(20_000);
}, 60_000);

test('its requests count against the same limits', async () => {
	await trigger().poll();
	const status = { resource: 'rateLimit', operation: 'getStatus' };
	const result = await bench.run([{}], status);
	expect(result.json('Business Data')[0]).toMatchObject({ limit: 'general/1.2s', used: 1 });
});
