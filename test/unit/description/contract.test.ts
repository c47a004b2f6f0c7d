/** Saved workflows rely on the names of the two nodes, and on the names, choices and defaults of all fields. */
import { type INodeProperties, NodeConnectionTypes } from 'n8n-workflow';

import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import codex from '../../../nodes/BusinessData/BusinessData.node.json';
import { BusinessDataTrigger } from '../../../nodes/BusinessData/BusinessDataTrigger.node';
import triggerCodex from '../../../nodes/BusinessData/BusinessDataTrigger.node.json';
import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
import packageJson from '../../../package.json';
import { choicesOf, description, fieldsOf, groupsOf, operationsOf, optionsOf } from './properties';

const { description: trigger } = new BusinessDataTrigger();
const credential = new BusinessDataApi();

/** A list of choices, with the default first. */
const oneOf = (first: string, ...others: string[]) => ({ first, all: [first, ...others].sort() });
const named = { parameters: { name: '', value: '' } };
const request = { queryParameters: named, headerParameters: named, timeout: 60, maxWait: 0 };
const once = {
	dryRun: false,
	sendOnceKey: '',
	sendOnceMaxEntries: 50_000,
	sendOnceContent: oneOf('mustMatch', 'ignore'),
	sendOnceIgnoreFields: '',
};
const endOfList = [
	...['shortPage', 'notFound', 'hasMoreField', 'totalPages', 'repeatedPage'],
] as const;
const pagination = {
	values: {
		type: oneOf('none', 'pageNumber', 'offset', 'cursor', 'nextUrl'),
		pageParameter: 'page',
		firstPage: 1,
		pageSizeParameter: 'limit',
		pageSize: 100,
		offsetParameter: 'offset',
		firstOffset: 0,
		cursorParameter: 'cursor',
		cursorField: 'nextCursor',
		nextUrlField: '',
		cursorFrom: oneOf('response', 'lastItem'),
		endOfList: oneOf('emptyPage', ...endOfList),
		hasMoreField: 'has_more',
		totalPagesField: 'total_pages',
	},
};
const list = { itemsField: '', pagination };
const body = {
	dataMode: oneOf('defineBelow', 'autoMapInputData', 'json'),
	assignments: {},
	jsonBody: '{}',
};
const send = { ...body, options: { ...request, ...once } };
const deletion = {
	ids: '={{ $json.id }}',
	dryRun: false,
	options: { ...request, batchSize: 100 },
};
const sends = ['transaction:send', 'transaction:sendWp', 'payment:send'] as const;
const document = {
	sentWith: oneOf(...sends, 'apiRequest'),
	endpoint: '',
	sendOnceKey: '',
	workflowId: '={{ $workflow.id }}',
};

const CONTRACT: Record<string, object> = {
	'contact getMany': { returnAll: false, limit: 50, options: { ...request, ...list } },
	'contact deleteMany': deletion,
	'transaction send': send,
	'transaction sendWp': send,
	'transaction deleteMany': deletion,
	'payment send': send,
	'apiRequest send': {
		...body,
		method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
		path: '',
		contentType: oneOf(
			...(['json', 'form-urlencoded', 'multipart-form-data', 'binaryData', 'none'] as const),
		),
		bodyParameters: {
			parameters: {
				parameterType: oneOf('formData', 'formBinaryData'),
				name: '',
				value: '',
				inputDataFieldName: 'data',
			},
		},
		inputDataFieldName: 'data',
		options: {
			...request,
			...once,
			...list,
			limit: 0,
			fullResponse: false,
			fileField: 'data',
			responseFormat: oneOf('json', 'text', 'file'),
		},
	},
	'rateLimit getStatus': {},
	'rateLimit waitForRoom': {
		limitOf: oneOf(...sends, 'general'),
		requests: 1,
		options: { maxWait: 0, parkAfter: 65 },
	},
	'sentDocument get': document,
	'sentDocument markAsSent': document,
	'sentDocument release': document,
};

const TRIGGER = {
	source: oneOf('contacts', 'endpoint'),
	path: '',
	idField: 'id',
	options: {
		...request,
		...list,
		emitExisting: false,
		incremental: {
			values: {
				parameter: '',
				sendIn: oneOf('query', 'header'),
				customFormat: '',
				timeZone: 'UTC',
				format: oneOf(
					...(['iso', 'date', 'unixSeconds', 'unixMilliseconds', 'httpDate', 'custom'] as const),
				),
				lookbackSeconds: 300,
				fullReadHours: 24,
			},
		},
		deletedWhen: { values: { field: '', value: '' } },
		watchFields: '',
		ignoreFields: '',
		changedFields: false,
		maxDeletionPercent: 50,
	},
};

const redis = (more: object) => JSON.stringify({ limitStore: ['redis'], ...more });
/** The fields, by the display options that show them. */
const CREDENTIAL: Record<string, object> = {
	'{}': { baseUrl: '', apiKey: '', limitStore: oneOf('memory', 'redis'), customize: false },
	[redis({})]: {
		redisTopology: oneOf('standalone', 'cluster', 'sentinel'),
		redisUser: '',
		redisPassword: '',
		redisTls: false,
	},
	[redis({ redisTopology: ['standalone'] })]: { redisHost: 'localhost', redisPort: 6379 },
	[redis({ redisTopology: ['cluster', 'sentinel'] })]: { redisNodes: '' },
	[redis({ redisTopology: ['sentinel'] })]: {
		redisSentinelGroup: 'mymaster',
		redisSentinelPassword: '',
	},
	[redis({ redisTopology: ['standalone', 'sentinel'] })]: { redisDatabase: 0 },
	[redis({ redisTls: [true] })]: { redisTlsServerName: '', redisTlsCa: '' },
	'{"customize":[true]}': {
		limits: JSON.stringify(DOCUMENTED_LIMITS, undefined, 2),
		keepFree: 0,
		transactionDelete: 'POST /txndata/bulkDeleteTxn',
		contactDelete: 'POST /masterdata/deleteContacts',
		deleteIdsField: 'ids',
		idempotencyHeader: '',
		resultField: '',
		failureValues: 'false',
		successValues: '',
	},
};

/** Actual fields, in the form of the contract. */
function shapeOf(fields: INodeProperties[]): Record<string, unknown> {
	const shapes = fields.map((field): [string, unknown] => {
		const { name, type, default: first } = field;
		if (type === 'collection') return [name, shapeOf(optionsOf(field))];
		const choices = choicesOf(field).map(({ value }) => value);
		if (type === 'options') return [name, { first, all: choices.sort() }];
		if (type !== 'fixedCollection') return [name, first];
		const groups = groupsOf(field).map((group) => [group.name, shapeOf(group.values)]);
		return [name, Object.fromEntries(groups)];
	});
	return Object.fromEntries(shapes);
}

const find = (properties: INodeProperties[], name: string) =>
	properties.find((property) => property.name === name);

test('the node and the trigger keep their names, in the codex and the package too', () => {
	for (const [one, its, name] of [
		[description, codex, 'businessData'],
		[trigger, triggerCodex, 'businessDataTrigger'],
	] as const) {
		expect(one.name).toBe(name);
		expect(its.node).toBe(`n8n-nodes-business-data.${name}`);
		expect(one.credentials).toEqual([
			{ name: 'businessDataApi', required: true, testedBy: 'testCredential' },
		]);
	}
	expect(packageJson.name).toBe('n8n-nodes-business-data');
	expect(credential).toMatchObject({ name: 'businessDataApi', restrictToSupportedNodes: true });
	// The key is checked without spaces at its ends, so it is sent without them.
	const headers = { 'x-api-key': '={{ $credentials.apiKey.trim() }}' };
	expect(credential.authenticate).toEqual({ type: 'generic', properties: { headers } });
});

test('the node has one input and one output and is usable as a tool, and the trigger polls', () => {
	const main = [NodeConnectionTypes.Main];
	// A list of versions, so that n8n adds no "Custom API Call".
	expect(description).toMatchObject({ version: [1], defaultVersion: 1, usableAsTool: true });
	expect(description).toMatchObject({ inputs: main, outputs: main });
	expect(trigger.polling).toBe(true);
});

test('the node has exactly the resources and operations of the contract', () => {
	const found = choicesOf(find(description.properties, 'resource')).flatMap(
		({ value: resource }) => {
			const list = operationsOf(String(resource));
			const chosen = choicesOf(list).find(({ value }) => value === list?.default);
			// No default operation destroys anything.
			expect(chosen?.value).toMatch(/^(get|send)/);
			return choicesOf(list).map(({ value }) => `${resource} ${value}`);
		},
	);
	expect(found.sort()).toEqual(Object.keys(CONTRACT).sort());
});

test.each(Object.entries(CONTRACT))('%s keeps its fields, choices and defaults', (name, fields) => {
	const [resource = '', operation = ''] = name.split(' ');
	const found = fieldsOf(resource, operation);
	expect(shapeOf(found)).toEqual(fields);
	expect(find(found, 'assignments')?.type ?? 'assignmentCollection').toBe('assignmentCollection');
});

test('the trigger keeps its fields, choices and defaults', () => {
	const { events: _, ...found } = shapeOf(trigger.properties);
	expect(found).toEqual(TRIGGER);
});

test('the credential keeps its fields, defaults and display options', () => {
	const shows = new Map<string, INodeProperties[]>();
	for (const field of credential.properties.filter(({ type }) => type !== 'notice')) {
		const show = JSON.stringify(field.displayOptions?.show ?? {});
		shows.set(show, [...(shows.get(show) ?? []), field]);
	}
	const found = [...shows].map(([show, fields]) => [show, shapeOf(fields)] as const);
	expect(Object.fromEntries(found)).toEqual(CREDENTIAL);
});

test('exactly the fields that must be filled in are marked as required', () => {
	const all = [...description.properties, ...trigger.properties, ...credential.properties];
	const required = all.flatMap(({ name, required: isRequired }) => (isRequired ? name : []));
	expect([...new Set(required)].sort()).toEqual([
		...['apiKey', 'baseUrl', 'endpoint', 'events', 'idField', 'ids', 'path', 'sendOnceKey'],
		'workflowId',
	]);
});

test.each([
	['contacts', 'contact'],
	['endpoint', 'record'],
])('the trigger offers three events for the source %s', (source, name) => {
	const field = trigger.properties.find(
		(property) =>
			property.name === 'events' && property.displayOptions?.show?.source?.includes(source),
	);
	const values = ['Created', 'Deleted', 'Updated'].map((change) => name + change);
	expect(choicesOf(field).map(({ value }) => value)).toEqual(values);
	expect(field?.default).toEqual([values[0], values[2]]);
	expect(field?.description).toContain('missing from two complete full reads in a row');
});
