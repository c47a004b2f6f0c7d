// Send Once over two processes while something fails that is not the service: n8n's database, Redis, a process. Nothing
// counts as sent for good that did not leave, nothing is sent twice, and nobody waits for long.

import { setTimeout as pause } from 'node:timers/promises';

import { useProcessBench } from '../support/processBench';
import { waitUntil } from '../support/waitUntil';

const [ONE, OTHER] = [0, 1];
/** What a lease may outlive its process by. */
const HELD_AT_MOST_MS = 20_000;
const bench = useProcessBench(2);
beforeEach(async () => {
	// The limits have noticed that Redis was emptied between two tests, and hold nobody up any more.
	for (const one of [ONE, OTHER]) await bench.send(one, [`before ${one}`]);
	bench.sandbox.reset();
}, 30_000);

const arrived = async () => await waitUntil(() => bench.sandbox.journal.count() === 1);
const refuseAfter = (afterMs: number) =>
	bench.sandbox.fault({ action: { type: 'status', status: 400, afterMs } });
const keysOfSendOnce = async () => await bench.redis.keys('*sendOnce*');

test.each([
	['nothing that fails', undefined, { sent: 3, unknown: 0, failed: 0 }],
	['a refusal', { type: 'status', status: 400 }, { sent: 3, unknown: 0, failed: 1 }],
	['a lost response', { type: 'hangUpAfterActing' }, { sent: 2, unknown: 1, failed: 0 }],
] as const)(
	'executions that overlap, with %s: each document goes out once',
	async (_, fault, expected) => {
		if (fault !== undefined) bench.sandbox.fault({ after: 1, action: fault });
		const keys = ['a', 'b', 'c'];
		const runs = [ONE, OTHER, ONE, OTHER, ONE].map(
			async (process, index) =>
				await bench.send(process, index % 2 === 0 ? keys : [...keys].reverse()),
		);
		const ends = (await Promise.all(runs)).flat();
		const times = (end: string) => ends.filter((one) => one === end).length;
		expect({ sent: times('sent'), unknown: times('unknown'), failed: times('failed') }).toEqual(
			expected,
		);
		expect(bench.sent().sort()).toEqual(keys);
	},
);

describe('Redis loses data while a document is on its way', () => {
	const emptied = async () => void (await bench.redis.flushall());

	test.each([
		['is emptied', emptied],
		[
			'is restarted without its data',
			async () => {
				await bench.server.stop('SIGKILL');
				bench.server.forget();
				await bench.server.start();
			},
		],
		[
			'has another primary, which lacks the last seconds',
			async () => {
				const [lease = ''] = await keysOfSendOnce();
				await bench.redis.del(lease);
				// What the primary before has left there.
				await bench.redis.set(lease.replace(/lease:.*$/, 'server'), 'another-run', 'PX', 9_000);
			},
		],
	])(
		'%s: whoever comes then waits for what becomes of it',
		async (_, loseData) => {
			refuseAfter(6_500);
			const one = bench.send(ONE, ['a']);
			await arrived();
			await loseData();
			const other = bench.send(OTHER, ['a']);
			expect(await one).toEqual(['failed']);
			expect(await other).toEqual(['sent']);
			expect(bench.sent()).toEqual(['a']);
		},
		60_000,
	);

	test('and comes through: whoever comes then is told that it was sent', async () => {
		bench.sandbox.fault({ action: { type: 'delay', ms: 2_500, actFirst: true } });
		const one = bench.send(ONE, ['a']);
		await arrived();
		await emptied();
		const other = bench.send(OTHER, ['a']);
		expect(await one).toEqual(['sent']);
		expect(await other).toEqual(['skipped']);
		expect(bench.sent()).toEqual(['a']);
	}, 60_000);
});

test('it takes a moment until a document counts as perhaps sent, but not a moment for each', async () => {
	const keys = ['a', 'b', 'c'];
	for (const key of keys) {
		bench.sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		expect(await bench.send(ONE, [key])).toEqual(['unknown']);
	}
	const startedAt = performance.now();
	expect(await bench.send(OTHER, keys)).toEqual(['skipped', 'skipped', 'skipped']);
	expect(performance.now() - startedAt).toBeLessThan(9_000);
	expect(bench.sent()).toEqual(keys);
}, 60_000);

test('the key of a refused document cannot be taken back: the other process waits, and sends', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 400 } });
	bench.table.fail('write', { after: 1, times: Infinity });
	const one = bench.send(ONE, ['a']);
	await arrived();
	const other = bench.send(OTHER, ['a']);
	expect(await one).toEqual(['failed']);
	bench.table.clearFaults();
	expect(await other).toEqual(['sent']);
	expect(bench.sent()).toEqual(['a']);
}, 60_000);

test('Redis away for long when a document is refused: it can be sent when it is back', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 400 } });
	bench.table.latencyMs = () => 100;
	const one = bench.send(ONE, ['a']);
	await arrived();
	await bench.server.stop();
	bench.table.latencyMs = () => 1;
	expect(await one).toEqual(['failed']);
	// Longer than a command is retried.
	await pause(16_000);
	await bench.server.start();
	await pause(2_000);
	expect(await bench.send(OTHER, ['a'])).toEqual(['sent']);
	expect(bench.sent()).toEqual(['a']);
}, 90_000);

test('a process that is killed in mid-send: its key is free for nobody, and holds nobody up for long', async () => {
	bench.sandbox.fault({ action: { type: 'neverAnswer', act: true } });
	const one = bench.send(ONE, ['a'], 0.25);
	await arrived();
	await bench.processes[ONE]?.kill();
	const killedAt = performance.now();
	expect(await one).toBe('died');
	expect(await bench.send(OTHER, ['a', 'b'])).toEqual(['skipped', 'sent']);
	expect(performance.now() - killedAt).toBeLessThan(HELD_AT_MOST_MS);
	expect(bench.sent()).toEqual(['a', 'b']);
}, 60_000);
