// The output schemas, which n8n shows as a preview before the first run, say what really comes out.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import { NODE, useBench } from '../support/bench';
import { deleteMany } from '../support/parameters';

const FOLDER = join(__dirname, '../../dist/nodes/BusinessData/__schema__');

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

function readSchema(name: string): Schema {
	return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Schema;
}

/** A value's shape as a schema; of a list, the shape of its first entry; of a number, what is in `like`. */
function shapeOf(value: unknown, like?: Schema): Schema {
	if (Array.isArray(value)) return { type: 'array', items: shapeOf(value[0], like?.items) };
	if (typeof value === 'number') {
		return { type: like?.type === 'integer' && Number.isInteger(value) ? 'integer' : 'number' };
	}
	if (typeof value !== 'object' || value === null) return { type: typeof value };
	// What is inside is the service's own.
	if (like !== undefined && like.properties === undefined) return { type: 'object' };
	const properties = Object.entries(value).map(([name, inner]): [string, Schema] => [
		name,
		shapeOf(inner, like?.properties?.[name] ?? { type: '' }),
	]);
	return { type: 'object', properties: Object.fromEntries(properties) };
}

const bench = useBench({ contactCount: 3 });

test('there is one for every output whose fields are the node’s own', () => {
	const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
	const names = files
		.filter((name) => name.endsWith('.json'))
		.map((name) => name.replaceAll(sep, '/'));
	expect(names.sort()).toEqual([
		'v1.0.0.json',
		'v1.0.0/contact/deleteMany.json',
		'v1.0.0/rateLimit/getStatus.json',
		'v1.0.0/transaction/deleteMany.json',
	]);
});

test.each(['contact/deleteMany', 'transaction/deleteMany', 'rateLimit/getStatus'])(
	'%s',
	async (name) => {
		const [resource = '', operation = ''] = name.split('/');
		const [json] = (await bench.run([{ id: 'a' }], { ...deleteMany(), resource, operation })).json(
			NODE,
		);
		const schema = readSchema(`v1.0.0/${name}`);
		expect({ ...shapeOf(json, schema), version: 1 }).toEqual(schema);
	},
);

test('the trigger: each source has a field of its own, and there is no other', async () => {
	const sources = { contact: {}, record: { source: 'endpoint', path: '/txndata/getPayments' } };
	const schema = readSchema('v1.0.0');
	const properties: Record<string, Schema> = {};
	for (const [name, source] of Object.entries(sources)) {
		const events = [`${name}Created`];
		const parameters = { ...source, events, idField: 'id', options: { emitExisting: true } };
		const [event] = await bench.engine.trigger(parameters, { key: bench.credential }).poll();
		const shape = shapeOf(event, schema);
		expect(Object.keys(shape.properties ?? {})).toEqual(['event', name]);
		Object.assign(properties, shape.properties);
	}
	expect({ type: 'object', properties, version: 1 }).toEqual(schema);
});
