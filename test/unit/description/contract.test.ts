/** The names and defaults that saved workflows rely on: resources, operations and their parameters. */
import { type INodeProperties, NodeConnectionTypes } from 'n8n-workflow';

import codex from '../../../nodes/BusinessData/BusinessData.node.json';
import packageJson from '../../../package.json';
import {
	choicesOf,
	defaultsOf,
	description,
	fieldsOf,
	groupsOf,
	operationsOf,
	optionsOf,
} from './properties';

const body = { dataMode: 'defineBelow', assignments: {}, jsonBody: '{}', options: {} };
const document = {
	sentWith: 'transaction:send',
	endpoint: '',
	sendOnceKey: '',
	workflowId: '={{ $workflow.id }}',
};
const deletion = { ids: '={{ $json.id }}', dryRun: false, options: {} };

/** Of each operation, the parameters with their defaults. */
const CONTRACT: Array<[resource: string, operation: string, parameters: object]> = [
	['contact', 'getMany', { returnAll: false, limit: 50, options: {} }],
	['contact', 'deleteMany', deletion],
	['transaction', 'send', body],
	['transaction', 'sendWp', body],
	['transaction', 'deleteMany', deletion],
	['payment', 'send', body],
	[
		'apiRequest',
		'send',
		{
			...{ method: 'GET', path: '', contentType: 'json', ...body },
			...{ bodyParameters: {}, inputDataFieldName: 'data' },
		},
	],
	['rateLimit', 'getStatus', {}],
	['sentDocument', 'get', document],
	['sentDocument', 'markAsSent', document],
	['sentDocument', 'release', document],
	['rateLimit', 'waitForRoom', { limitOf: 'transaction:send', requests: 1, options: {} }],
];
const resources = [...new Set(CONTRACT.map(([resource]) => resource))];
const deletions = CONTRACT.filter(([, operation]) => operation === 'deleteMany');
const withBody = CONTRACT.filter(([, , parameters]) => 'dataMode' in parameters);
const withRequests = CONTRACT.filter(([resource]) => !/^(rateLimit|sentDocument)$/.test(resource));

const find = (properties: INodeProperties[], name: string) =>
	properties.find((property) => property.name === name);
const fieldOf = (resource: string, operation: string, name: string) =>
	find(fieldsOf(resource, operation), name);
const optionsFieldOf = (resource: string, operation: string) =>
	optionsOf(fieldOf(resource, operation, 'options'));

describe('the node', () => {
	test('has the name that saved workflows use', () => {
		expect(description.name).toBe('businessData');
		expect(description.displayName).toBe('Business Data');
		// A list, so that n8n adds no "Custom API Call".
		expect(description.version).toEqual([1]);
		expect(description.defaultVersion).toBe(1);
		expect(`${packageJson.name}.${description.name}`).toBe('n8n-nodes-business-data.businessData');
	});

	test('is named in its codex and in the package', () => {
		expect(codex.node).toBe(`${packageJson.name}.${description.name}`);
		expect(packageJson.n8n.nodes).toContain('dist/nodes/BusinessData/BusinessData.node.js');
		expect(packageJson.n8n.credentials).toEqual([
			'dist/credentials/BusinessDataApi.credentials.js',
		]);
	});

	test('needs the credential, which it tests, has one input and one output, and is a tool for AI agents', () => {
		expect(description.credentials).toEqual([
			{ name: 'businessDataApi', required: true, testedBy: 'testCredential' },
		]);
		expect(description.inputs).toEqual([NodeConnectionTypes.Main]);
		expect(description.outputs).toEqual([NodeConnectionTypes.Main]);
		expect(description.usableAsTool).toBe(true);
	});
});

describe('the resources', () => {
	const resource = find(description.properties, 'resource');

	test('are those of the contract', () => {
		const values = choicesOf(resource).map(({ value }) => value);
		expect([...values].sort()).toEqual([...resources].sort());
		expect(values).toContain(resource?.default);
	});

	test('have the operations of the contract', () => {
		const found = choicesOf(resource).flatMap(({ value }) =>
			choicesOf(operationsOf(String(value))).map((choice) => [value, choice.value].join(' ')),
		);
		const expected = CONTRACT.map(([name, operation]) => [name, operation].join(' '));
		expect(found.sort()).toEqual(expected.sort());
	});

	test.each(resources)('%s starts with an operation that exists and destroys nothing', (name) => {
		const list = operationsOf(name);
		const chosen = choicesOf(list).find(({ value }) => value === list?.default);
		expect(chosen).toBeDefined();
		expect(`${String(chosen?.value)} ${chosen?.name} ${chosen?.action}`).not.toMatch(
			/delete|remove|destroy|clear/i,
		);
	});
});

describe('the parameters', () => {
	test.each(CONTRACT)(
		'of %s: %s have their names and defaults',
		(resource, operation, defaults) => {
			expect(defaultsOf(fieldsOf(resource, operation))).toEqual(defaults);
		},
	);

	test('of apiRequest are any path below the base URL, and a method', () => {
		expect(fieldOf('apiRequest', 'send', 'path')?.required).toBe(true);
		const methods = choicesOf(fieldOf('apiRequest', 'send', 'method')).map(({ value }) => value);
		expect(methods).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);
	});

	test('of apiRequest have the names of the HTTP Request node for a body', () => {
		const types = choicesOf(fieldOf('apiRequest', 'send', 'contentType'));
		expect(types.map(({ value }) => value)).toEqual([
			...['binaryData', 'form-urlencoded', 'multipart-form-data', 'json', 'none'],
		]);
		const [group] = groupsOf(fieldOf('apiRequest', 'send', 'bodyParameters'));
		expect(group?.name).toBe('parameters');
		expect(defaultsOf(group?.values ?? [])).toEqual({
			...{ parameterType: 'formData', name: '', value: '', inputDataFieldName: 'data' },
		});
		const [type] = group?.values ?? [];
		expect(choicesOf(type).map(({ value }) => value)).toEqual(['formData', 'formBinaryData']);
	});

	test.each(withBody)('of %s: %s show the body in three ways', (resource, operation) => {
		const modes = choicesOf(fieldOf(resource, operation, 'dataMode')).map(({ value }) => value);
		expect(modes).toEqual(['autoMapInputData', 'defineBelow', 'json']);
		const shownFor = (name: string) =>
			fieldOf(resource, operation, name)?.displayOptions?.show?.dataMode;
		expect(shownFor('assignments')).toEqual(['defineBelow']);
		expect(shownFor('jsonBody')).toEqual(['json']);
		expect(fieldOf(resource, operation, 'assignments')?.type).toBe('assignmentCollection');
	});

	test.each(deletions)('of %s: %s need an ID', (resource, operation) => {
		expect(fieldOf(resource, operation, 'ids')).toMatchObject({ type: 'string', required: true });
		expect(defaultsOf(optionsFieldOf(resource, operation))).toMatchObject({ batchSize: 100 });
	});

	test('of contact: getMany show a limit where not all are returned', () => {
		const { show } = fieldOf('contact', 'getMany', 'limit')?.displayOptions ?? {};
		expect(show?.returnAll).toEqual([false]);
	});

	test('of rateLimit: waitForRoom are what has to have room, and how to wait', () => {
		const limits = choicesOf(fieldOf('rateLimit', 'waitForRoom', 'limitOf'));
		expect(limits.map(({ value }) => value)).toEqual([
			...['general', 'payment:send', 'transaction:send', 'transaction:sendWp'],
		]);
		const options = optionsFieldOf('rateLimit', 'waitForRoom');
		expect(defaultsOf(options)).toEqual({ maxWait: 0, parkAfter: 65 });
	});
});

describe('the options', () => {
	test.each(withRequests)(
		'of %s: %s are at least those of every request',
		(resource, operation) => {
			const options = optionsFieldOf(resource, operation);
			expect(defaultsOf(options)).toMatchObject({ queryParameters: {}, timeout: 60, maxWait: 0 });
			const [group] = groupsOf(find(options, 'queryParameters'));
			expect(group?.name).toBe('parameters');
			expect(group?.values.map(({ name }) => name)).toEqual(['name', 'value']);
		},
	);

	test.each(withBody)('of %s: %s say how to send once', (resource, operation) => {
		const options = optionsFieldOf(resource, operation);
		expect(defaultsOf(options)).toMatchObject({
			dryRun: false,
			sendOnceKey: '',
			sendOnceMaxEntries: 50_000,
			sendOnceContent: 'mustMatch',
			sendOnceIgnoreFields: '',
		});
	});

	test('of contact: getMany say where the list is and how it is split', () => {
		const options = optionsFieldOf('contact', 'getMany');
		expect(defaultsOf(options)).toMatchObject({ itemsField: '', pagination: {} });
		const [group] = groupsOf(find(options, 'pagination'));
		expect(group?.name).toBe('values');
		const type = find(group?.values ?? [], 'type');
		expect(type?.default).toBe('none');
		expect(choicesOf(type).map(({ value }) => value)).toEqual([
			...['cursor', 'nextUrl', 'none', 'offset', 'pageNumber'],
		]);
		expect(defaultsOf(group?.values ?? [])).toMatchObject({
			pageSize: 100,
			cursorField: 'nextCursor',
		});
	});

	test('of apiRequest say what the response is', () => {
		const options = optionsFieldOf('apiRequest', 'send');
		expect(defaultsOf(options)).toMatchObject({ responseFormat: 'json', itemsField: '' });
		const formats = choicesOf(find(options, 'responseFormat')).map(({ value }) => value);
		expect(formats).toEqual(['file', 'json', 'text']);
	});
});
