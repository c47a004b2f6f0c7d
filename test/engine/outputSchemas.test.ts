// The output schemas, which n8n shows as a preview before the first run, say what really comes out.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { NODE, useBench } from '../support/bench';
import { deleteMany } from '../support/parameters';

const FOLDER = join(__dirname, '../../dist/nodes/BusinessData/__schema__');

/** The types of the fields of an output, by its schema. */
function typesIn(name: string): Record<string, string> {
	const text = readFileSync(join(FOLDER, `${name}.json`), 'utf8');
	const { properties } = JSON.parse(text) as { properties: Record<string, { type: string }> };
	const types = Object.entries(properties).map(([field, { type }]) => [field, type] as const);
	return Object.fromEntries(types);
}

/** The same of what came out. */
function typesOf(json: IDataObject = {}, declared: Record<string, string> = {}) {
	const types = Object.entries(json).map(([field, value]) => {
		if (declared[field] === 'integer' && Number.isInteger(value)) return [field, 'integer'];
		return [field, Array.isArray(value) ? 'array' : typeof value];
	});
	return Object.fromEntries(types) as Record<string, string>;
}

const bench = useBench({ contactCount: 3 });
const OPERATIONS = ['contact/deleteMany', 'rateLimit/getStatus', 'transaction/deleteMany'];

test('there is one for every output whose fields are the node’s own', () => {
	const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
	expect(files.sort()).toEqual([
		...['deleteMany.json', 'deleteMany.json', 'getStatus.json', 'v1.0.0.json'],
	]);
});

test.each(OPERATIONS)('%s', async (name) => {
	const [resource = '', operation = ''] = name.split('/');
	const parameters = { ...deleteMany(), resource, operation };
	const [json] = (await bench.run([{ id: 'a' }], parameters)).json(NODE);
	const declared = typesIn(`v1.0.0/${name}`);
	expect(typesOf(json, declared)).toEqual(declared);
});

test('the trigger: each source has a field of its own, and there is no other', async () => {
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
