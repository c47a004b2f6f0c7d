/** The names and defaults of the trigger that saved workflows rely on, and the words around them. */
import type { INodeProperties } from 'n8n-workflow';

import codex from '../../../nodes/BusinessData/BusinessDataTrigger.node.json';
import { BusinessDataTrigger } from '../../../nodes/BusinessData/BusinessDataTrigger.node';
import packageJson from '../../../package.json';
import { choicesOf, defaultsOf, groupsOf, kindsOf, optionsOf } from './properties';

const { description } = new BusinessDataTrigger();
const find = (name: string) => description.properties.find((property) => property.name === name);

test('has the name that saved workflows use, in the codex and the package too', () => {
	expect(description.name).toBe('businessDataTrigger');
	expect(codex.node).toBe(`${packageJson.name}.${description.name}`);
	expect(packageJson.n8n.nodes).toContain('dist/nodes/BusinessData/BusinessDataTrigger.node.js');
	expect(description.credentials).toEqual([
		{ name: 'businessDataApi', required: true, testedBy: 'testCredential' },
	]);
	expect(description.polling).toBe(true);
});

test('watches contacts, or the list at any path', () => {
	const source = find('source');
	expect(source?.default).toBe('contacts');
	expect(choicesOf(source).map(({ value }) => value)).toEqual(['contacts', 'endpoint']);
	expect(find('path')).toMatchObject({
		default: '',
		required: true,
		displayOptions: { show: { source: ['endpoint'] } },
	});
});

test.each([
	['contacts', 'contact'],
	['endpoint', 'record'],
])('knows three events of %s', (source, name) => {
	const field = description.properties.find(
		(property) =>
			property.name === 'events' && property.displayOptions?.show?.source?.includes(source),
	);
	const values = ['Created', 'Deleted', 'Updated'].map((change) => name + change);
	expect(choicesOf(field).map(({ value }) => value)).toEqual(values);
	expect(field?.default).toEqual([values[0], values[2]]);
	expect(field?.description).toContain('missing in two complete full reads in a row');
});

test('has the parameters and options of the contract', () => {
	expect(find('idField')?.default).toBe('id');
	const options = optionsOf(find('options'));
	const names = options.map(({ name }) => name);
	expect(names).toEqual(
		expect.arrayContaining([
			'emitExisting',
			'itemsField',
			'pagination',
			'queryParameters',
			'timeout',
			'maxWait',
			'incremental',
			'deletedWhen',
		]),
	);
	expect(defaultsOf(options)).toMatchObject({
		...{ emitExisting: false, itemsField: '', timeout: 60 },
		...{ watchFields: '', ignoreFields: '', changedFields: false, maxDeletionPercent: 50 },
	});
	expect(kindsOf(options)).toMatchObject({
		...{ changedFields: 'boolean', ignoreFields: 'string', watchFields: 'string' },
		...{ deletedWhen: 'fixedCollection', incremental: 'fixedCollection' },
		maxDeletionPercent: { type: 'number', minValue: 0, maxValue: 100 },
	});
});

/** The fields of an option that is a group of them. */
function fieldsOf(option: string): INodeProperties[] {
	const [group, ...others] = groupsOf(
		optionsOf(find('options')).find(({ name }) => name === option),
	);
	expect([group?.name, others]).toEqual(['values', []]);
	return group?.values ?? [];
}

test('has the fields of Deleted When', () => {
	const fields = fieldsOf('deletedWhen');
	expect(kindsOf(fields)).toEqual({ field: 'string', value: 'string' });
	expect(defaultsOf(fields)).toEqual({ field: '', value: '' });
});

test('has the fields of Incremental', () => {
	const fields = fieldsOf('incremental');
	expect(defaultsOf(fields)).toEqual({
		...{ parameter: '', sendIn: 'query', format: 'iso', customFormat: '', timeZone: 'UTC' },
		...{ lookbackSeconds: 300, fullReadHours: 24 },
	});
	expect(kindsOf(fields)).toEqual({
		...{ parameter: 'string', customFormat: 'string', timeZone: 'string' },
		...{ sendIn: 'options', format: 'options', lookbackSeconds: { type: 'number', minValue: 0 } },
		fullReadHours: { type: 'number', minValue: 0, numberPrecision: 2 },
	});
	const valuesOf = (field: string) =>
		choicesOf(fields.find(({ name }) => name === field)).map(({ value }) => value);
	expect(valuesOf('sendIn')).toEqual(['header', 'query']);
	expect(valuesOf('format')).toEqual([
		...['custom', 'date', 'httpDate', 'iso', 'unixMilliseconds', 'unixSeconds'],
	]);
	const shown = fields.filter(({ displayOptions }) => displayOptions !== undefined);
	expect(shown).toMatchObject([
		{ name: 'customFormat', displayOptions: { show: { format: ['custom'] } } },
	]);
});
