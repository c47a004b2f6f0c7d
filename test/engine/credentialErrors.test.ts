// A credential that cannot be used: the error names the field and how to fix it, and nothing is sent.

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { errorOf, itemsOf, useBench } from '../support/bench';
import { deleteMany, read, send } from '../support/parameters';

const bench = useBench();
const KEY = '0123456789abcdef'.repeat(4);

/** What is wrong in a field is for the unit tests; here, what comes of it: one field of each kind. */
test.each<[fields: ICredentialDataDecryptedObject, message: string]>([
	[{ baseUrl: '' }, 'Base URL: is empty'],
	[{ baseUrl: 'http://service.example' }, 'Base URL: must start with https://'],
	[{ baseUrl: 'http://user:secret@127.0.0.1' }, 'Base URL: must not contain a user or a password'],
	[{ apiKey: '' }, 'API Key: is empty'],
	[{ apiKey: KEY.slice(1) }, 'API Key: has 63 characters instead of 64'],
	[{ apiKey: `g${KEY.slice(1)}` }, 'API Key: contains characters other than 0–9 and a–f'],
	[{ limits: '{' }, 'Limits: is not valid JSON'],
	[{ limits: '{"general":[{"max":0}]}' }, 'Limits: general[0].max must be a whole number'],
	[{ transactionDelete: 'GET /a' }, 'Transaction Delete Endpoint: GET cannot delete'],
	[{ contactDelete: 'everything' }, 'Contact Delete Endpoint: '],
	[{ deleteIdsField: ' ' }, 'Delete IDs Field: is empty'],
	[{ limitStore: 'redis', redisHost: '' }, 'Redis Host: is empty'],
])('%j: %s', async (fields, message) => {
	Object.assign(bench.credential, fields);
	for (const parameters of [read(), send(), deleteMany()]) {
		const error = errorOf(await bench.run(itemsOf(2), parameters));
		expect(error.message.slice(0, message.length)).toBe(message);
		expect(error.description).toBeTruthy();
		expect(error.context.outcome).toBe('notSent');
		expect(JSON.stringify(error)).not.toContain(KEY.slice(1));
	}
	const tested = await bench.engine.testCredential(bench.credential);
	expect([tested.status, tested.message.slice(0, message.length)]).toEqual(['Error', message]);
	expect(tested.message).not.toContain(KEY.slice(1));
	expect(bench.sandbox.journal.all()).toEqual([]);
});
