// Send Once over two processes while Redis loses what it knew: nobody is told "skipped" of a document that the service
// refuses after all, and nobody waits for long.

import { useProcessBench } from '../support/processBench';
import { waitUntil } from '../support/waitUntil';

const [ONE, OTHER] = [0, 1];
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
