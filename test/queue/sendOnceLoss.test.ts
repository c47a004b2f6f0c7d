// Send Once over two processes while Redis loses what it knew, and while its clock is set: nobody is told
// "skipped" of a document that the service refuses after all, and nobody waits for long.

import { setTimeout as pause } from 'node:timers/promises';

import { useProcessBench } from '../support/processBench';
import { waitUntil } from '../support/waitUntil';

const [ONE, OTHER] = [0, 1];
const HOUR = 3_600_000;
const bench = useProcessBench(2);
beforeEach(async () => {
	// The limits have noticed that Redis was emptied between two tests, and hold nobody up any more.
	for (const one of [ONE, OTHER]) await bench.send(one, [`before ${one}`]).ended;
	bench.sandbox.reset();
}, 30_000);

const arrived = async () => await waitUntil(() => bench.sandbox.journal.count() === 1);
const refuseAfter = (afterMs: number) =>
	bench.sandbox.fault({ action: { type: 'status', status: 400, afterMs } });
const keysOfSendOnce = async () => await bench.redis.keys('*sendOnce*');

/** What becomes of the leases when Redis's clock was set by so much (ms): their moments do not move. */
async function setClock(ms: number): Promise<void> {
	for (const key of await keysOfSendOnce()) {
		await bench.redis.pexpire(key, (await bench.redis.pttl(key)) - ms);
	}
}

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
			expect(await one.ended).toEqual(['failed']);
			expect(await other.ended).toEqual(['sent']);
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
		expect(await one.ended).toEqual(['sent']);
		expect(await other.ended).toEqual(['skipped']);
		expect(bench.sent()).toEqual(['a']);
	}, 60_000);
});

test('it takes a moment until a document counts as perhaps sent, but not a moment for each', async () => {
	const keys = ['a', 'b', 'c'];
	for (const key of keys) {
		bench.sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		expect(await bench.send(ONE, [key]).ended).toEqual(['unknown']);
	}
	const startedAt = performance.now();
	expect(await bench.send(OTHER, keys).ended).toEqual(['skipped', 'skipped', 'skipped']);
	expect(performance.now() - startedAt).toBeLessThan(9_000);
	expect(bench.sent()).toEqual(keys);
}, 60_000);

describe("Redis's clock is set while a document is on its way", () => {
	test.each([
		['forward', HOUR],
		['back', -HOUR],
	])(
		'%s: whoever comes then waits for what becomes of it, and no longer',
		async (_, ms) => {
			refuseAfter(3_500);
			const one = bench.send(ONE, ['a']);
			await arrived();
			await pause(500);
			await setClock(ms);
			const other = bench.send(OTHER, ['a']);
			expect(await one.ended).toEqual(['failed']);
			const endedAt = performance.now();
			expect(await other.ended).toEqual(['sent']);
			expect(performance.now() - endedAt).toBeLessThan(3_000);
			expect(bench.sent()).toEqual(['a']);
		},
		60_000,
	);

	test('back, and its process has died: others do not wait for that hour', async () => {
		bench.sandbox.fault({ action: { type: 'neverAnswer', act: true } });
		const one = bench.send(ONE, ['a'], 2);
		await arrived();
		await bench.processes[ONE]?.kill();
		expect(await one.ended).toBe('died');
		await setClock(-HOUR);
		const startedAt = performance.now();
		expect(await bench.send(OTHER, ['a'], 2).ended).toEqual(['skipped']);
		expect(performance.now() - startedAt).toBeLessThan(20_000);
		await bench.replace(ONE);
	}, 60_000);
});
