// The credential test checks the service, the key, the limits and Redis within 10 s, and names the field to look at. An
// invalid field gives the same error as in a run, and nothing is sent.

import { GlobalConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/faultRules';
import { errorOf, itemsOf, NODE, pinRandom, useBench } from '../support/bench';
import { deleteMany, getStatus, read, send } from '../support/parameters';

const bench = useBench();
const KEY = '0123456789abcdef'.repeat(4);
/** The port of the discard service, where nothing listens. */
const CLOSED = 'http://127.0.0.1:9';
const CONTACTS = { method: 'GET', path: '/masterdata/getContacts' };

/** Runs the test, which must end within 10 s of logical time and not reveal the key. */
async function press(fields: Record<string, unknown> = {}) {
	Object.assign(bench.credential, fields);
	const startedAt = performance.now();
	const { status, message } = await bench.engine.testCredential(bench.credential);
	expect(performance.now() - startedAt).toBeLessThanOrEqual(10_000);
	// The user is in the credential, which has n8n's button Retry but no Max Wait.
	expect(message).not.toMatch(/run (the node|the item|it) again|Max Wait/i);
	for (const text of [message, ...bench.engine.log]) {
		expect(text.toLowerCase()).not.toContain(bench.sandbox.apiKey);
	}
	return [status, message] as const;
}

test('the credential test reads contacts once, and fails if no slot is free', async () => {
	bench.limitTo(1, 60);
	expect((await press())[0]).toBe('OK');
	const [result, message] = await press();
	expect(result).toBe('Error');
	expect(message).toMatch(/leave no room for at least 61 s\. Test again/);
	expect(bench.sandbox.journal.all()).toMatchObject([{ ...CONTACTS, status: 200 }]);
	expect((await bench.run([{}], getStatus)).json(NODE)).toMatchObject([{ used: 1 }]);
});

test('the credential test sends nothing during a pause that the service asked for', async () => {
	bench.respond(503, { headers: { 'retry-after': '3600' } });
	for (const says of ['The service answered 503', 'Not sent: the service asks to wait']) {
		expect((await press())[1]).toContain(says);
	}
});

const status = (code: number, others: object = {}): FaultAction => ({
	type: 'status',
	status: code,
	body: { message: 'no' },
	...others,
});
const failure = (body: object): FaultAction => status(200, { body });
const badKey = { success: false, message: 'Bad key' };
const says = (headers: object): FaultAction => status(200, { body: '[]', headers });
const elsewhere = { headers: { location: 'https://elsewhere.example/' } };
const page = { body: '<!doctype html><title>Log in</title>', contentType: 'text/html' };
const refused = { type: 'refuse', retryAfter: 'seconds', waitMs: 30_000 } as const;

test.each<[beginning: string, action: FaultAction, says: string, fields?: object]>([
	['API Key: The service answered 401', status(401), 'Four causes are possible: '],
	['API Key: The service answered 403', status(403), 'no'],
	['Base URL: The service answered 404', status(404), 'check both'],
	['Base URL: The service answered 307', status(307, elsewhere), 'https://elsewhere.example'],
	['Base URL: The service answered 200 with a web page', status(200, page), 'log-in page'],
	['API Key: the service answered 200', failure(badKey), 'Bad key'],
	['API Key: the service answered 200', failure({ error: { message: 'Bad key' } }), 'Bad key'],
	['API Key: The service answered 200', failure(badKey), 'Bad key', { resultField: 'success' }],
	['The service answered 503', status(503), 'no'],
	['The service answered 503', status(503, { headers: { 'retry-after': '20' } }), 'Retry in 20 s'],
	['Base URL: The service could not be read', { type: 'hangUpAfterActing' }, 'cut off'],
	['Base URL: the service gave no response', { type: 'neverRespond', act: true }, 'service is up'],
	['Not sent: the limits leave no room', refused, 'at least 30 s'],
	['The limits of this key leave no room', status(429), 'another 60 s'],
])('the credential test names the cause: %s', async (beginning, action, says, fields = {}) => {
	// Pauses between attempts are random.
	pinRandom(0);
	bench.sandbox.fault({ times: Infinity, action });
	const [result, message] = await press({ ...fields });
	expect([result, message.slice(0, beginning.length)]).toEqual(['Error', beginning]);
	expect(message).toContain(says);
});

test.each([{ data: [{ id: 1, status: 'failed' }] }, { contacts: [], errors: [] }, [], {}, 7])(
	'the credential test passes with the body %j',
	async (body) => {
		bench.sandbox.fault({ action: status(200, { body: JSON.stringify(body) }) });
		expect((await press())[0]).toBe('OK');
	},
);

const REDIS = { limitStore: 'redis', redisPort: 9 };
test.each<[address: string, fields: object]>([
	['Base URL: The request was not sent: the connection was refused', { baseUrl: CLOSED }],
	['Redis at ', REDIS],
	// Without limits, there is nothing to count.
	['Redis at ', { ...REDIS, customize: true, limits: '{"general":[],"endpoints":{}}' }],
])('the credential test reports a closed port: %s, with %j', async (beginning, fields) => {
	const [result, message] = await press({ ...fields });
	expect([result, message.slice(0, beginning.length)]).toEqual(['Error', beginning]);
});

describe('a warning of the credential test', () => {
	const { executions } = Container.get(GlobalConfig);
	const { mode } = executions;
	afterEach(() => (executions.mode = mode));

	test.each<[string, FaultAction]>([
		['a skewed clock', says({ date: new Date(0).toUTCString() })],
		['other limits', says({ 'ratelimit-policy': '500;w=3600' })],
		['queue mode', says({})],
	])('is logged and does not fail it: %s', async (what, action) => {
		if (what === 'queue mode') executions.mode = 'queue';
		bench.sandbox.fault({ action });
		expect(await press()).toEqual(['OK', 'Connection tested successfully']);
		expect(bench.engine.log).toContainEqual(expect.stringContaining('Credential test: '));
	});

	test('about a second limit store does not hide that Redis is down', async () => {
		expect((await press())[0]).toBe('OK');
		expect((await press(REDIS))[1]).toMatch(/^Redis at /);
	});
});

test('the credential test masks a key that the service returns', async () => {
	const body = { message: `${bench.sandbox.apiKey} is no key` };
	bench.sandbox.fault({ action: status(401, { body }) });
	expect((await press())[1]).toContain('*** is no key');
});

/** Unit tests cover each fault of a field; here is one field of each kind. */
test.each<[fields: ICredentialDataDecryptedObject, message: string]>([
	[{ baseUrl: 'http://service.example' }, 'Base URL: must start with https://'],
	[{ apiKey: KEY.slice(1) }, 'API Key: has 63 characters instead of 64'],
	[{ limits: '{"general":[{"max":0}]}' }, 'Limits: general[0].max must be a whole number'],
	[{ transactionDelete: 'GET /a' }, 'Transaction Delete Endpoint: GET cannot delete'],
	[{ deleteIdsField: ' ' }, 'Delete IDs Field: is empty'],
	[{ resultField: 'ok', failureValues: '' }, 'Failure Values: is empty'],
	[{ limitStore: 'redis', redisHost: '' }, 'Redis Host: is empty'],
])('runs and the credential test report %j alike: %s', async (fields, message) => {
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
