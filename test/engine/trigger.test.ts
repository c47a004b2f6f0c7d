// The trigger emits every change of the contacts once, and loses none when a poll fails.

import { useBench } from '../support/bench';
import type { TriggerSetup } from '../support/engine';
import { deletedWhen, headers, incremental, pages } from '../support/parameters';
import { ALL_EVENTS, reasonOf } from '../support/triggerBench';

const bench = useBench({ contactCount: 12 });
const DELETED = ['contactDeleted'];
const PAGES = pages('offset', { pageSize: 3 });

const trigger = (parameters: Record<string, unknown> = {}, setup: TriggerSetup = {}) =>
	bench.engine.trigger({ events: ALL_EVENTS, ...parameters }, { key: bench.credential }, setup);
const manual = (parameters: Record<string, unknown> = {}) =>
	trigger(parameters, { mode: 'manual' });
const change = (id: string) => bench.sandbox.contacts.update(id, { city: `City ${Math.random()}` });

test('emits only the chosen events, but remembers all changes', async () => {
	const { poll } = trigger({ events: DELETED });
	await poll();
	change('contact-2');
	bench.sandbox.contacts.remove('contact-3');
	expect(await poll()).toEqual([]);
	expect(await poll()).toMatchObject([{ event: 'contactDeleted' }]);
	expect(await poll()).toEqual([]);
});

test.each([
	['an empty body', { type: 'emptyBody' }],
	['no content', { type: 'status', status: 204 }],
	['a web page', { type: 'status', status: 200, body: '<html>', contentType: 'text/html' }],
] as const)('%s in place of contacts is never reported as deletions', async (_, action) => {
	const { poll } = trigger();
	await poll();
	bench.sandbox.fault({ action, times: 3 });
	for (let times = 0; times < 3; times++) {
		await expect(poll()).rejects.toThrow('service answered');
	}
	expect(await poll()).toEqual([]);
});

test.each([400, 503])('a poll that fails with %i does not advise a re-run', async (status) => {
	const { poll } = trigger();
	await poll();
	bench.respond(status, { times: 4 });
	await expect(reasonOf(poll())).resolves.toMatch(/^(?!.*\b[Rr]un\b).*answered/s);
});

test('a 204 is an empty list as long as no contact is known', async () => {
	// The first poll reads twice.
	bench.respond(204, { times: 3 });
	const { poll } = trigger();
	expect(await poll()).toEqual([]);
	expect(await poll()).toEqual([]);
	expect(await poll()).toHaveLength(12);
	bench.respond(204);
	await expect(poll()).rejects.toThrow('service answered');
});

test.each([
	['that is missing', [{ id: 1 }, { name: 'a' }], {}, 'contact 2 of 2 has no ID at "id"'],
	['that is empty', [{ id: '' }], {}, 'contact 1 of 1 has no ID at "id"'],
	[
		'that is missing in a record',
		[{ number: 1 }],
		{ source: 'endpoint', path: '/list', events: ['recordCreated'] },
		'record 1 of 1 has no ID at "id"',
	],
])('an ID %s is an error', async (_, body, parameters, message) => {
	bench.respond(200, { body });
	await expect(trigger(parameters).poll()).rejects.toThrow(message);
});

test('a manual test run shows 10 samples, reads only the pages for them and saves no state', async () => {
	const { poll, staticData } = manual({ options: PAGES });
	const events = await poll();
	expect(events).toHaveLength(10);
	expect(events[0]).toMatchObject({ event: 'contactCreated', contact: { id: 'contact-1' } });
	expect(bench.sandbox.journal.count()).toBe(4);
	expect(JSON.stringify(staticData)).toBe('{}');
});

test('a manual test run shows only what a published trigger would emit', async () => {
	const only = async (...events: string[]) => await manual({ events }).poll();
	const name = expect.any(String) as unknown;
	const [updated] = await only('contactDeleted', 'contactUpdated');
	expect(updated).toMatchObject({ event: 'contactUpdated', contact: { id: 'contact-1', name } });
	const [deleted] = await only('contactDeleted');
	expect(deleted).toEqual({ event: 'contactDeleted', contact: { id: 'contact-1' } });
	const options = deletedWhen('city', 'Berlin');
	const [unmarked] = await manual({ options }).poll();
	expect(unmarked).toMatchObject({ event: 'contactCreated', contact: { id: 'contact-2' } });
	const [marked] = await manual({ events: DELETED, options }).poll();
	expect(marked).toEqual({ ...updated, event: 'contactDeleted' });
	await expect(manual({ idField: 'number' }).poll()).rejects.toThrow('has no ID');
});

test('a manual test run with Changed Fields shows an update of all watched fields', async () => {
	const options = { changedFields: true, watchFields: 'name, city' };
	const [updated] = await manual({ options }).poll();
	expect(updated).toMatchObject({ event: 'contactUpdated', changedFields: ['name', 'city'] });
	const [created] = await manual({ events: ['contactCreated'], options }).poll();
	expect(created).toEqual({ event: 'contactCreated', contact: updated?.contact });
});

const HEADER = headers({ name: 'X-Since', value: '={{ 5 }}' });
const ONLY_FIRST = incremental({ fullReadHours: 0 });
const MARK = deletedWhen('status', 'deleted');
const NOTHING = 'The list has no contacts to show Create a contact in the service';
const NEVER = 'This trigger can never emit anything';
const ONLY_CHANGES = `${NEVER} Full Read Hours is 0, so that only changed contacts are read, and deletions cannot be seen. Enter a number of hours`;
test.each([
	['an empty list', {}, NOTHING],
	['only changes', { events: DELETED, options: HEADER }, `${NEVER} A query parameter or a header`],
	['one full read', { events: DELETED, options: ONLY_FIRST }, ONLY_CHANGES],
	['one full read, for all events', { options: ONLY_FIRST }, NOTHING],
	['only changes, Deleted When', { events: DELETED, options: { ...HEADER, ...MARK } }, NOTHING],
])('a manual test run explains why it shows nothing: %s', async (_, parameters, message) => {
	bench.respond(200, { body: [] });
	await expect(reasonOf(manual(parameters).poll())).resolves.toContain(message);
	const never = message.startsWith(NEVER) ? message : '';
	await expect(reasonOf(trigger(parameters).poll())).resolves.toContain(never);
});

test('expressions still work after another trigger of the workflow has ended its poll', async () => {
	const { poll, context, workflow } = trigger();
	let isHeld = true;
	jest.spyOn(workflow.expression, 'acquireIsolate').mockImplementation(async () => {
		return await Promise.resolve((isHeld = true));
	});
	const before = (owner: object, method: string, act: () => void) => {
		const methods = owner as Record<string, (...given: unknown[]) => unknown>;
		const real = methods[method];
		methods[method] = function (this: unknown, ...given) {
			act();
			return real?.apply(this, given);
		};
	};
	// When one trigger ends, n8n releases the isolate of all triggers of the workflow: here before the first request.
	const release = () => void (isHeld = false);
	const evaluate = () => {
		if (!isHeld) throw new Error('No bridge acquired for this context');
	};
	before(context, 'getWorkflowStaticData', release);
	before(context, 'getCredentials', release);
	before(context, 'getNodeParameter', evaluate);
	before(context.helpers, 'httpRequestWithAuthentication', evaluate);
	expect(await poll()).toEqual([]);
});
