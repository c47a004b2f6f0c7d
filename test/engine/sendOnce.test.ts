// With a Send Once Key, a document goes out once: over retries, re-runs and lost responses.

import type { FaultAction } from '../../sandbox/server';
import {
	errorOf,
	expectLists,
	hintsOf,
	itemsOf,
	NODE,
	type ShownError,
	useBench,
} from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { ERROR_OUTPUT, ONCE, read, send, SEND_ENDPOINT } from '../support/parameters';
import { waitUntil } from '../support/waitUntil';

const bench = useBench();
const store = useDeduplicator();

test('an item with a used Send Once Key is skipped, and the output keeps the input order', async () => {
	await bench.run([{ id: 'b' }], send(ONCE));
	const result = await bench.run([{ id: 'a' }, { id: 'b' }, { id: 'c' }], send(ONCE));
	expect(bench.documents()).toEqual([{ id: 'b' }, { id: 'a' }, { id: 'c' }]);
	expect(result.json(NODE)).toEqual([
		{ id: 'doc-2', status: 'sent' },
		{
			skipped: true,
			state: 'sent',
			reason: expect.stringContaining('It was sent before with this key') as string,
			sendOnceKey: 'b',
		},
		{ id: 'doc-3', status: 'sent' },
	]);
	expect(result.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual(
		itemsOf(3).map((_, item) => ({ item })),
	);
});

test('an error lists skipped items apart from sent ones', async () => {
	await bench.run([{ id: 'a' }], send(ONCE));
	bench.respond(400, { after: 1 });
	const items = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
	const error = errorOf(await bench.run(items, send(ONCE)));
	const lists = 'Used before and skipped: item 0. Not sent: item 2. Not tried: item 3.';
	expectLists(error, `Sent: item 1. ${lists}`);
	expect(error.context.itemIndex).toBe(2);
});

test('a skipped item takes no slot and does not wait for the limits', async () => {
	await bench.run(itemsOf(3), send(ONCE));
	const result = await bench.run(itemsOf(3), send({ ...ONCE, maxWait: 0.001 }));
	expect(result.json(NODE).every(({ skipped }) => skipped === true)).toBe(true);
	expect(bench.sandbox.journal.count()).toBe(3);
});

test('an item whose key is being sent by another execution waits at most Max Wait', async () => {
	bench.sandbox.fault({ action: { type: 'neverRespond', act: true } });
	const first = bench.run([{ id: 'a' }], send({ ...ONCE, timeout: 60 }));
	await waitUntil(() => bench.sandbox.journal.count() === 1);
	expect(await bench.statesOf('a')).toEqual(['underWay']);
	const items = [{ id: 'a' }, { id: 'b' }];
	const result = await bench.run(items, send({ ...ONCE, maxWait: 5 }), ERROR_OUTPUT);
	expect(Math.round(result.ms / 1000)).toBe(5);
	const [error] = result.items(NODE, 1).map((item) => item.error as unknown as ShownError);
	expect(error?.message).toBe('Not sent: another execution is sending the same Send Once Key');
	expect(error?.context).toMatchObject({ outcome: 'notSent', retryAfterSeconds: 60 });
	await first;
	// The second item had nothing to wait for.
	expect(bench.documents()).toEqual(items);
});

test('the time to look up keys does not count as a wait for the limits', async () => {
	store.latencyMs = () => 50;
	for (const state of ['sent', 'skipped']) {
		const { run } = await bench.run(itemsOf(3), send({ ...ONCE, maxWait: 0.2 }));
		expect([state, run.status]).toEqual([state, 'success']);
	}
	expect(bench.documents()).toEqual(itemsOf(3));
});

test('a key is not recorded while its item waits for the limits', async () => {
	const run = bench.run(itemsOf(4), send({ ...ONCE, maxWait: 1_000 }));
	await waitUntil(() => bench.documents().length === 3);
	await new Promise((resolve) => setTimeout(resolve, 100));
	const keys = ['0', '1', '2', '3'];
	expect(await bench.statesOf(...keys)).toEqual(['sent', 'sent', 'sent', 'notSent']);
	await run;
	expect(await bench.statesOf(...keys)).toEqual(['sent', 'sent', 'sent', 'sent']);
});

const refuse = (status: number, times = 1) => bench.respond(status, { times });
const lose = (action: FaultAction) => bench.sandbox.fault({ action });
const disconnect = () => (bench.credential.baseUrl = 'http://127.0.0.1:1');

test.each<[string, outcome: string, prepare: () => unknown]>([
	['a 400', 'refused', () => refuse(400)],
	['a 401', 'refused', () => refuse(401)],
	['a 429 beyond Max Wait', 'notSent', () => refuse(429, 99)],
	['no connection', 'notSent', disconnect],
	['a timeout', 'unknown', () => lose({ type: 'neverRespond', act: true })],
	['a lost connection', 'unknown', () => lose({ type: 'hangUpAfterActing' })],
	['a 500', 'unknown', () => lose({ type: 'status', status: 500, act: true })],
])(
	'a Send Once Key is kept after %s only if the outcome is unknown: %s',
	async (_, outcome, prepare) => {
		const { baseUrl = '' } = bench.credential;
		prepare();
		const timeout = outcome === 'unknown' ? 0.3 : 60;
		const failed = await bench.run([{ id: 'a' }], send({ ...ONCE, maxWait: 0.5, timeout }));
		expect(errorOf(failed).context.outcome).toBe(outcome);
		expect(store.entries.length > 0).toBe(outcome === 'unknown');
		bench.sandbox.clearFaults();
		bench.credential.baseUrl = baseUrl;
		const again = await bench.run([{ id: 'a' }], send(ONCE));
		expect(bench.documents()).toEqual([{ id: 'a' }]);
		if (outcome !== 'unknown') return;
		const reason = expect.stringMatching(/no response said.*Mark as Sent or Release/) as string;
		expect(again.json(NODE)).toMatchObject([{ skipped: true, state: 'perhapsSent', reason }]);
		expect(hintsOf(again)).toContainEqual(expect.stringContaining('1 item (0): perhaps sent'));
	},
);

test.each(['', ' ', null, {}, true, '\u200b', 'k'.repeat(256)])(
	'the Send Once Key %j is refused before any request',
	async (id) => {
		const result = await bench.run([{ id: id }], send(ONCE));
		expect(errorOf(result).message).toMatch(/^Send Once Key: /);
		expect(bench.sandbox.journal.count(SEND_ENDPOINT)).toBe(0);
	},
);

test('nothing is recorded without a Send Once Key', async () => {
	await bench.run([{ id: 'a' }], send());
	await bench.run([{}], read());
	expect(store.entries).toEqual([]);
});
