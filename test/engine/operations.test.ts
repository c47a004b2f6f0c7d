// Each operation sends the documented request, and its output matches the schema that n8n shows before the first run.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { type Bench, errorOf, NODE, useBench } from '../support/bench';
import { apiRequest, CONTINUE_ON_ERROR, deleteMany, pages } from '../support/parameters';

const bench = useBench({ contactCount: 25 });

const run = async (items: Parameters<Bench['run']>[0], parameters: object) =>
	await bench.run(items, parameters as never);

/** Fields as the editor saves them. */
const assign = (...fields: Array<[name: string, type: string, value: unknown]>) => ({
	assignments: fields.map(([name, type, value]) => ({ id: name, name, type, value })),
});

describe('sending', () => {
	test.each([
		['transaction', 'send', '/txndata/sendTxn'],
		['transaction', 'sendWp', '/txndata/sendTxnWP'],
		['payment', 'send', '/txndata/sendPayment'],
	])('%s: %s posts to %s', async (resource, operation, path) => {
		const assignments = assign(['contactId', 'number', '={{ $json.id }}']);
		const result = await run([{ id: 42 }], { resource, operation, assignments, options: {} });
		expect(bench.sandbox.journal.all()).toMatchObject([{ method: 'POST', path, status: 200 }]);
		expect(bench.documents()[0]).toEqual({ contactId: 42 });
		expect(result.json(NODE)).toEqual([{ id: 'doc-1', status: 'sent' }]);
	});
});

describe('API Request: Send', () => {
	test.each<[string, Array<{ method: string }>]>([
		['alone', [{ method: 'GET' }]],
		['beside a send', [{ method: 'GET' }, { method: 'POST' }]],
		['beside an unknown method', [{ method: 'GET' }, { method: 'FETCH' }]],
	])('reads pages up to the limit: %s', async (_, items) => {
		const path = '={{ $json.method === "GET" ? "/masterdata/getContacts" : "/sandbox/echo" }}';
		const options = { ...pages('offset', { pageSize: 10 }), limit: 12, itemsField: 'contacts' };
		const parameters = apiRequest('={{ $json.method }}', path, options);
		const result = await bench.run(items, parameters, CONTINUE_ON_ERROR);
		const ofRead = result
			.items(NODE)
			.filter(({ pairedItem }) => (pairedItem as { item: number }).item === 0);
		expect(ofRead).toHaveLength(12);
		expect(bench.sandbox.journal.count('GET /masterdata/getContacts')).toBe(2);
	});

	test('lists a failed read among sends as failed, not as perhaps sent', async () => {
		const parameters = apiRequest('={{ $json.method }}', '/sandbox/echo');
		bench.respond(500, { after: 1, times: 4 });
		const items = [{ method: 'POST' }, { method: 'GET' }, { method: 'POST' }];
		const { context } = errorOf(await bench.run(items, parameters));
		const lists = { sentItems: [0], perhapsSentItems: [], failedItems: [1], notTriedItems: [2] };
		expect(context).toMatchObject(lists);
	});
});

describe('output schemas', () => {
	const FOLDER = join(__dirname, '../../dist/nodes/BusinessData/__schema__');

	/** The types of the fields in an output schema. */
	function typesIn(name: string): Record<string, string> {
		const text = readFileSync(join(FOLDER, `${name}.json`), 'utf8');
		const { properties } = JSON.parse(text) as { properties: Record<string, { type: string }> };
		const types = Object.entries(properties).map(([field, { type }]) => [field, type] as const);
		return Object.fromEntries(types);
	}

	/** The types of the fields in an output item. */
	function typesOf(json: IDataObject = {}, declared: Record<string, string> = {}) {
		const types = Object.entries(json).map(([field, value]) => {
			if (declared[field] === 'integer' && Number.isInteger(value)) return [field, 'integer'];
			return [field, Array.isArray(value) ? 'array' : typeof value];
		});
		return Object.fromEntries(types) as Record<string, string>;
	}

	const OPERATIONS = ['contact/deleteMany', 'rateLimit/getStatus', 'transaction/deleteMany'];

	test('exist for the outputs whose fields are defined by the node', () => {
		const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
		const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
		expect(files.sort().join(' ')).toBe(
			'deleteMany.json deleteMany.json getStatus.json v1.0.0.json',
		);
	});

	test.each(OPERATIONS)('match the output of %s', async (name) => {
		const [resource = '', operation = ''] = name.split('/');
		const parameters = { ...deleteMany(), resource, operation };
		const [json] = (await bench.run([{ id: 'a' }], parameters)).json(NODE);
		const declared = typesIn(`v1.0.0/${name}`);
		expect(typesOf(json, declared)).toEqual(declared);
	});

	test('match the events of the trigger, which have one field per source', async () => {
		const sources = { contact: {}, record: { source: 'endpoint', path: '/txndata/getPayments' } };
		const found: Record<string, string> = {};
		for (const [name, source] of Object.entries(sources)) {
			const options = { emitExisting: true };
			const parameters = { ...source, events: [`${name}Created`], idField: 'id', options };
			const [event] = await bench.engine.trigger(parameters, { key: bench.credential }).poll();
			expect(Object.keys(event ?? {})).toEqual(['event', name]);
			Object.assign(found, typesOf(event));
		}
		expect(found).toEqual(typesIn('v1.0.0'));
	});
});
