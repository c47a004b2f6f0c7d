// A credential that cannot be used: the error names the field and how to fix it, and nothing is sent.

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { deleteMany, read, send } from '../support/parameters';

const bench = useBench();

/** A credential's fields, for a sandbox with this base URL and key. */
type Fields = (baseUrl: string, apiKey: string) => ICredentialDataDecryptedObject;

/** One of each field; the tests of readAccount have all values. */
const cases: Array<[fields: Fields, message: string]> = [
	[() => ({ baseUrl: '' }), 'Base URL: is empty'],
	[() => ({ baseUrl: 'http://127.0.0.1.example' }), 'Base URL: must start with https://'],
	[
		(baseUrl) => ({ baseUrl: baseUrl.replace('//', '//user:secret@') }),
		'Base URL: must not contain a user or a password',
	],
	[(baseUrl) => ({ baseUrl: `${baseUrl}#a` }), 'Base URL: must not have a query or a fragment'],
	[(_, apiKey) => ({ apiKey: apiKey.slice(1) }), 'API Key: has 63 characters instead of 64'],
	[
		(_, apiKey) => ({ apiKey: `g${apiKey.slice(1)}` }),
		'API Key: contains characters other than 0–9 and a–f',
	],
	[() => ({ limits: '{' }), 'Limits: is not valid JSON'],
	[
		() => ({ limits: '{"general":[],"endpoints":{"POST /a":{"max":1}}}' }),
		'Limits: endpoints["POST /a"].windowSeconds must be a number',
	],
	[
		() => ({ transactionDelete: 'GET /txndata/bulkDeleteTxn' }),
		'Transaction Delete Endpoint: GET cannot delete',
	],
	[() => ({ contactDelete: 'everything' }), 'Contact Delete Endpoint: '],
	[() => ({ deleteIdsField: ' ' }), 'Delete IDs Field: is empty'],
];

const namedCases = cases.map(([fields, message]) => ({ fields, message }));

test.each(namedCases)('$message', async ({ fields, message }) => {
	const { baseUrl, apiKey, journal } = bench.sandbox;
	Object.assign(bench.credential, fields(baseUrl, apiKey));
	for (const parameters of [read(), send(), deleteMany()]) {
		const error = errorOf(await bench.run(itemsOf(2), parameters));
		expect(error.message.slice(0, message.length)).toBe(message);
		expect(error.description).toBeTruthy();
		expect(error.context.outcome).toBe('notSent');
		expect(JSON.stringify(error)).not.toContain(apiKey.slice(1));
	}
	const tested = await bench.engine.testCredential(bench.credential);
	expect([tested.status, tested.message.slice(0, message.length)]).toEqual(['Error', message]);
	expect(tested.message).not.toContain(apiKey.slice(1));
	expect(journal.all()).toEqual([]);
});

test('white space around the base URL and the key, and a trailing slash, do no harm', async () => {
	const { baseUrl, apiKey } = bench.sandbox;
	Object.assign(bench.credential, { baseUrl: ` ${baseUrl}// `, apiKey: `\n${apiKey} ` });
	const result = await bench.run([{}], read());
	expect(result.items(NODE)).toHaveLength(25);
});

test('what is not customized is not checked', async () => {
	Object.assign(bench.credential, { customize: false, limits: '{', deleteIdsField: '' });
	expect((await bench.run([{}], read())).run.status).toBe('success');
});
