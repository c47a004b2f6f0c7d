// Send Once over two processes while something fails that is not the service: n8n's database, Redis, a
// process. Nothing counts as sent for good that did not leave, and nothing is sent twice.

import { setTimeout as pause } from 'node:timers/promises';

import { useProcessBench } from '../support/processBench';
import { waitUntil } from '../support/waitUntil';

const [ONE, OTHER] = [0, 1];
/** What a lease may outlive its process by. */
const HELD_AT_MOST_MS = 20_000;
const bench = useProcessBench(2);

const arrived = async () => await waitUntil(() => bench.sandbox.journal.count() === 1);

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

describe('Redis is emptied', () => {
	test('while two processes lease and record a key: one of them sends', async () => {
		bench.table.latencyMs = () => 60;
		const reported: string[] = [];
		for (let afterMs = 0; afterMs <= 240; afterMs += 30) {
			const key = `emptied after ${afterMs} ms`;
			bench.sandbox.reset();
			const one = bench.send(ONE, [key]);
			await pause(afterMs);
			await bench.redis.flushall();
			const other = bench.send(OTHER, [key]);
			reported.push(String(await one), String(await other));
			expect({ key, sent: bench.sent() }).toEqual({ key, sent: [key] });
		}
		expect(reported.filter((end) => end === 'sent')).toHaveLength(reported.length / 2);
	}, 60_000);

	test('while the key of a refused document is taken back: it can be sent all the same', async () => {
		bench.table.latencyMs = () => 60;
		for (let afterMs = 0; afterMs <= 240; afterMs += 60) {
			const key = `emptied ${afterMs} ms after it was refused`;
			bench.sandbox.reset();
			bench.sandbox.fault({ action: { type: 'status', status: 400 } });
			const one = bench.send(ONE, [key]);
			await arrived();
			await pause(afterMs);
			await bench.redis.flushall();
			// It may be told "skipped" of what is on its way.
			await bench.send(OTHER, [key]);
			await one;
			await bench.send(OTHER, [key]);
			expect({ key, sent: bench.sent() }).toEqual({ key, sent: [key] });
		}
	}, 60_000);
});

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
