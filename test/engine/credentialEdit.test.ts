// A credential that is edited while a run waits: the run keeps what it started with.

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { itemsOf, useBench } from '../support/bench';
import { read, READ_ENDPOINT, send, SEND_ENDPOINT } from '../support/parameters';
import { placesOf } from '../support/search';
import { waitUntil } from '../support/waitUntil';

const NEW_KEY = 'b'.repeat(64);
const bench = useBench();
let elsewhere: Sandbox;

beforeEach(async () => {
	elsewhere = await startSandbox({ apiKeys: { [NEW_KEY]: { state: 'active' } } });
});
afterEach(async () => await elsewhere.stop());

const keysSeen = (sandbox: Sandbox) =>
	new Set(sandbox.journal.all().map(({ headers }) => headers['x-api-key']));

const change = (fields: object) => Object.assign(bench.credential, fields);

test.each([
	['sends', send(), SEND_ENDPOINT, 4, 3],
	['reads', read(), READ_ENDPOINT, 60, 30],
] as const)('%s keep the old credential', async (_, parameters, endpoint, count, first) => {
	const { journal } = bench.sandbox;
	const run = bench.run(itemsOf(count), { ...parameters });
	await waitUntil(() => journal.count(endpoint) >= first);
	const seen = keysSeen(bench.sandbox);
	const limits = '{"general":[]}';
	change({ baseUrl: elsewhere.baseUrl, apiKey: NEW_KEY, customize: false, limits });
	const result = await run;
	expect(result.run.status).toBe('success');
	expect(journal.count(endpoint)).toBe(count);
	expect(journal.refused()).toEqual([]);
	// The journal keeps a hash of each key.
	expect(keysSeen(bench.sandbox)).toEqual(seen);
	expect(elsewhere.journal.all()).toEqual([]);
	expect(placesOf(NEW_KEY, result.run)).toEqual([]);

	await bench.run([{ id: 1 }], { ...parameters });
	expect(elsewhere.journal.count(endpoint)).toBe(1);
});

test('a response that contains the old key is masked after the edit', async () => {
	const { sandbox, credential } = bench;
	const oldKey = credential.apiKey as string;
	const body = { message: `bad key ${oldKey}` };
	sandbox.fault({ after: 3, action: { type: 'status', status: 400, body } });
	const run = bench.run(itemsOf(4), send());
	await waitUntil(() => sandbox.journal.count(SEND_ENDPOINT) === 3);
	change({ apiKey: NEW_KEY });
	const { run: ended } = await run;
	expect(ended.status).toBe('error');
	expect(placesOf(oldKey, ended)).toEqual([]);
});
