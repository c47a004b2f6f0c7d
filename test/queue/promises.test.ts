// Executions of several processes that wait for the same room wake one after the other, by one count in Redis.

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { ledgerOf, type Limits, WaitTooLongError } from '../../nodes/BusinessData/rateLimit';
import { RedisConnection } from '../../nodes/BusinessData/redis';
import { abortController } from '../../nodes/BusinessData/waiting';
import { CountingService } from '../support/countingService';
import { pause, useLedgerBench } from '../support/ledgerBench';

const SEND = 'send';
const WINDOW_MS = 1_500;
const limits: Limits = {
	general: [{ max: 10, windowMs: 100 }],
	scopes: { [SEND]: [{ max: 3, windowMs: WINDOW_MS }] },
};
const bench = useLedgerBench();
const { signal } = abortController();

/** A process, as far as the ledger can tell: it has a connection and windows of its own. */
class Process {
	readonly ledger = ledgerOf(new RedisConnection(bench.address), bench.identity);

	readonly limiter = new KeyLimiter(() => undefined);

	async promise(name: string, count = 3, maxWaitMs = Infinity, scope: string | undefined = SEND) {
		const { ledger } = this;
		return await this.limiter.promise({ name, count, maxWaitMs, scope, limits, ledger });
	}

	async withdraw(name: string): Promise<void> {
		const { ledger } = this;
		await this.limiter.withdraw({ name, scope: SEND, limits, ledger });
	}

	async send(count: number, service = new CountingService()): Promise<void> {
		const { ledger } = this;
		for (let sent = 0; sent < count; sent++) {
			const request = { run: 'run', limits, scope: SEND, ledger, inFlightMs: 1_000, signal };
			const permit = await this.limiter.acquire(request);
			service.counted.push(performance.now());
			permit.letThrough();
		}
		// What is settled is not waited for.
		await pause(20);
	}
}

let one: Process;
let other: Process;
beforeEach(() => {
	[one, other] = [new Process(), new Process()];
});

function expectWindows(waitMs: number, windows: number): void {
	expect(waitMs).toBeGreaterThan((windows - 0.3) * WINDOW_MS);
	expect(waitMs).toBeLessThan((windows + 0.3) * WINDOW_MS);
}

test('each gets the room after the one before, whichever process asks', async () => {
	await one.send(3);
	expectWindows(await one.promise('a'), 1);
	expectWindows(await other.promise('b'), 2);
	expectWindows(await one.promise('c'), 3);
	expectWindows(await other.promise('d'), 4);
});

test('all that ask at the same moment get a moment of their own', async () => {
	const names = Array.from({ length: 6 }, (_, index) => `execution ${index}`);
	const waits = await Promise.all(
		names.map(async (name, index) => await (index % 2 === 0 ? one : other).promise(name)),
	);
	waits.sort((a, b) => a - b).forEach((waitMs, index) => expectWindows(waitMs, index));
});

test('executions over both processes send in the windows that they were promised', async () => {
	const service = new CountingService();
	const startedAt = performance.now();
	const execution = async (name: string, process: Process) => {
		await pause(await process.promise(name));
		const wokenAt = performance.now();
		await process.send(3, service);
		return { woken: wokenAt - startedAt, waited: performance.now() - wokenAt };
	};
	const ends = await Promise.all([
		...['a', 'c'].map(async (name) => await execution(name, one)),
		...['b', 'd'].map(async (name) => await execution(name, other)),
	]);
	ends.sort((a, b) => a.woken - b.woken);
	for (const [index, { woken, waited }] of ends.entries()) {
		expectWindows(woken, index);
		// Hardly anything was left to wait for.
		expect(waited).toBeLessThan(WINDOW_MS / 2);
	}
	expect(service.fullestWindow(WINDOW_MS)).toBe(3);
});

test('what goes out uses the promise, and what another process sends uses one as well', async () => {
	await one.promise('a');
	await one.send(2);
	await other.send(1);
	expectWindows(await other.promise('b'), 1);
});

test('one that was not used keeps its place, and one that was does not', async () => {
	await one.promise('a');
	expectWindows(await other.promise('b'), 1);
	expect(await one.promise('a')).toBe(0);
	await one.send(3);
	expectWindows(await one.promise('a'), 2);
});

test('it can be withdrawn, and is not made where it would take too long', async () => {
	await one.send(3);
	await one.promise('a');
	await one.withdraw('a');
	await expect(other.promise('b', 3, 100)).rejects.toBeInstanceOf(WaitTooLongError);
	expectWindows(await other.promise('c'), 1);
});

test('requests that wait in another process go before it', async () => {
	await one.send(3);
	const waiting = one.send(1);
	await pause(300);
	// One goes after the first window, so three have room after the second.
	const waitMs = await other.promise('a');
	expect(waitMs).toBeGreaterThan(1.5 * WINDOW_MS);
	expect(waitMs).toBeLessThan(2.2 * WINDOW_MS);
	await waiting;
});

test('general room is promised, too', async () => {
	expect(await one.promise('a', 10, Infinity, undefined)).toBe(0);
	expect(await other.promise('b', 10, Infinity, undefined)).toBeGreaterThan(80);
});

test('it lapses: nothing stays in Redis', async () => {
	await one.promise('a');
	const [key = ''] = await bench.redis.keys('*promises*');
	const ttl = await bench.redis.pttl(key);
	expect(ttl).toBeGreaterThan(80_000);
	expect(ttl).toBeLessThanOrEqual(90_000);
	// As if it was made that long ago.
	for (const member of await bench.redis.zrange(key, 0, -1)) {
		await bench.redis.zincrby(key, -90_001, member);
	}
	expect(await other.promise('b')).toBe(0);
	for (const state of await bench.redis.keys('*')) {
		expect(await bench.redis.pttl(state)).toBeGreaterThan(0);
	}
});

test('one that would come too late leaves nothing in Redis either, also after it lost its data', async () => {
	await one.send(3);
	await bench.redis.flushall();
	await expect(one.promise('a', 3, 100)).rejects.toBeInstanceOf(WaitTooLongError);
	for (const key of await bench.redis.keys('*')) {
		expect(await bench.redis.pttl(key)).toBeGreaterThan(0);
	}
});
