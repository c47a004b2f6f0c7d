// The trigger emits every change of the contacts once, and forgets nothing when a poll fails.
import type {
	IAllExecuteFunctions,
	IHttpRequestOptions,
	IPollFunctions,
	NodeApiError,
} from 'n8n-workflow';

import { useBench } from '../support/bench';

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

test('emits only the events that are wanted, and remembers the others all the same', async () => {
	const { poll } = trigger({ events: ['contactDeleted'] });
	await poll();
	change('contact-2');
	bench.sandbox.contacts.remove('contact-3');
	expect(await poll()).toEqual([]);
	expect(await poll()).toMatchObject([{ event: 'contactDeleted' }]);
	expect(await poll()).toEqual([]);
});

describe('a response without contacts', () => {
	test.each([
		['an empty body', { type: 'emptyBody' }],
		['no content', { type: 'status', status: 204 }],
		['a web page', { type: 'status', status: 200, body: '<html>', contentType: 'text/html' }],
	] as const)('that is %s, however often, does not', async (_, action) => {
		const { poll } = trigger();
		await poll();
		bench.sandbox.fault({ action, times: 3 });
		for (let times = 0; times < 3; times++) {
			await expect(poll()).rejects.toThrow('service answered');
		}
		expect(await poll()).toEqual([]);
	});
});

test('no content is an empty list as long as no contact is known', async () => {
	const noContent = { type: 'status', status: 204 } as const;
	// The first poll reads twice.
	bench.sandbox.fault({ action: noContent, times: 3 });
	const { poll } = trigger();
	expect(await poll()).toEqual([]);
	expect(await poll()).toEqual([]);
	expect(await poll()).toHaveLength(12);
	bench.sandbox.fault({ action: noContent });
	await expect(poll()).rejects.toThrow('service answered');
});

describe('IDs', () => {
	const records = { source: 'endpoint', path: '/list', events: ['recordCreated'] };
	test.each([
		['that are missing', [{ id: 1 }, { name: 'a' }], {}, 'contact 2 of 2 has no ID at "id"'],
		['that are empty', [{ id: '' }], {}, 'contact 1 of 1 has no ID at "id"'],
		['of records', [{ number: 1 }], records, 'record 1 of 1 has no ID at "id"'],
	])('%s are an error', async (_, body, parameters, message) => {
		bench.respond(200, { body });
		await expect(trigger(parameters).poll()).rejects.toThrow(message);
	});
});

test('a manual test run shows up to 10 samples, reads no more pages for them, and leaves the state alone', async () => {
	const { poll, staticData } = trigger({ options: PAGES }, 'manual');
	const events = await poll();
	expect(events).toHaveLength(10);
	expect(events[0]).toMatchObject({ event: 'contactCreated', contact: { id: 'contact-1' } });
	expect(bench.sandbox.journal.count()).toBe(4);
	expect(JSON.stringify(staticData)).toBe('{}');
});

test('a manual test run shows no more than a published trigger gives', async () => {
	const only = async (...events: string[]) => await trigger({ events }, 'manual').poll();
	const name = expect.any(String) as unknown;
	const [updated] = await only('contactDeleted', 'contactUpdated');
	expect(updated).toMatchObject({ event: 'contactUpdated', contact: { id: 'contact-1', name } });
	const [deleted] = await only('contactDeleted');
	expect(deleted).toEqual({ event: 'contactDeleted', contact: { id: 'contact-1' } });
	const deletedWhen = { values: { field: 'city', value: 'Berlin' } };
	const [unmarked] = await trigger({ options: { deletedWhen } }, 'manual').poll();
	expect(unmarked).toMatchObject({ event: 'contactCreated', contact: { id: 'contact-2' } });
	const parameters = { events: ['contactDeleted'], options: { deletedWhen } };
	expect((await trigger(parameters, 'manual').poll())[0]).toEqual(deleted);
	await expect(trigger({ idField: 'number' }, 'manual').poll()).rejects.toThrow('has no ID');
});

const HEADER = { headerParameters: { parameters: [{ name: 'X-Since', value: '={{ 5 }}' }] } };
const ONLY_FIRST = { incremental: { values: { parameter: 'since', fullReadHours: 0 } } };
const MARK = { deletedWhen: { values: { field: 'status', value: 'deleted' } } };
const DELETED = ['contactDeleted'];
const NOTHING = 'The list has no contacts to show: Create a contact in the service';
const NEVER = 'This trigger can never emit anything';
test.each([
	['an empty list', {}, NOTHING],
	['only changes', { events: DELETED, options: HEADER }, `${NEVER}: A query parameter or a header`],
	['one full read', { events: DELETED, options: ONLY_FIRST }, `${NEVER}: Full Read Hours is 0`],
	['one full read, and emits something else', { options: ONLY_FIRST }, NOTHING],
	['only changes, and a mark', { events: DELETED, options: { ...HEADER, ...MARK } }, NOTHING],
])('a manual test run of a trigger that reads %s says so', async (_, parameters, message) => {
	bench.respond(200, { body: [] });
	const polled = trigger(parameters, 'manual').poll();
	const said = polled.catch((error: NodeApiError) => `${error.message}: ${error.description}`);
	expect(await said).toContain(message);
});

test('an expression is evaluated where another trigger of the workflow has ended its poll meanwhile', async () => {
	const { poll, context, workflow } = trigger();
	let isHeld = true;
	// n8n takes it from all triggers of a workflow when one ends.
	const stopRenewing = () => (isHeld = false);
	jest.spyOn(workflow.expression, 'acquireIsolate').mockImplementation(async () => {
		await Promise.resolve();
		return (isHeld = true);
	});
	const read = context.getNodeParameter.bind(context) as (...parameters: unknown[]) => unknown;
	const getCredentials = context.getCredentials.bind(context);
	const getStaticData = context.getWorkflowStaticData.bind(context);
	const { helpers } = context;
	const instead = {
		// Between the parameters and the first request.
		getWorkflowStaticData: (type: string) => {
			stopRenewing();
			return getStaticData(type);
		},
		helpers: {
			...helpers,
			httpRequestWithAuthentication: async (...parameters: [string, IHttpRequestOptions]) => {
				if (!isHeld) throw new Error('No bridge acquired for this context');
				const own = context as IAllExecuteFunctions;
				return (await helpers.httpRequestWithAuthentication.call(own, ...parameters)) as unknown;
			},
		},
		getCredentials: async (type: string) => {
			const credential = await getCredentials(type);
			stopRenewing();
			return credential;
		},
		getNodeParameter: (...parameters: unknown[]) => {
			if (!isHeld) throw new Error('No bridge acquired for this context');
			return read(...parameters);
		},
	};
	expect(await poll(instead as Partial<IPollFunctions>)).toEqual([]);
});
