// The ledger in a real Redis: one count over all processes, whatever happens to one of them.

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { AsyncLocalStorage } from 'node:async_hooks';

import { type Limits, WaitTooLongError } from '../../nodes/BusinessData/rateLimit';
import { KEEP_PLACE } from '../../nodes/BusinessData/rateLimit/redis/scripts';
import { Stages } from '../../nodes/BusinessData/rateLimit/scope';
import { abortController } from '../../nodes/BusinessData/waiting';
import { CountingService } from '../support/countingService';
import {
	GENERAL_STAGE,
	ledgerRequest,
	pause,
	useLedgerBench,
	stageOf,
} from '../support/ledgerBench';

const signal = abortController().signal;
const general = [
	{ max: 4, windowMs: 100 },
	{ max: 12, windowMs: 1_000 },
];
const limits: Limits = { general, scopes: { send: [{ max: 2, windowMs: 1_500 }] } };

const bench = useLedgerBench({ isHarmless: true });

/** A process of its own, as far as the limiter can tell: it shares nothing but the ledger. */
function processWithLimiter(service: CountingService, sends = new CountingService()) {
	const limiter = new KeyLimiter(() => undefined);
	return async (scope?: string) => {
		const inFlightMs = 1_000;
		const permit = await limiter.acquire({
			run: 'run',
			limits,
			scope,
			ledger: bench.ledger,
			inFlightMs,
			signal,
		});
		service.counted.push(performance.now());
		if (scope !== undefined) sends.counted.push(performance.now());
		await pause(Math.random() * 20);
		permit.letThrough();
	};
}

describe('several processes with one key', () => {
	test('stay within every window together, and each gets its turn', async () => {
		const services = [new CountingService(), new CountingService(), new CountingService()];
		const all = new CountingService();
		const order: number[] = [];
		await Promise.all(
			services.map(async (service, index) => {
				const request = processWithLimiter(service);
				for (let count = 0; count < 12; count++) {
					await request();
					order.push(index);
				}
			}),
		);
		all.counted.push(...services.flatMap(({ counted }) => counted));
		for (const { max, windowMs } of general) {
			expect(all.fullestWindow(windowMs)).toBeLessThanOrEqual(max);
		}
		// Half-way through, no process has had more than half as much again as its share.
		for (const index of services.keys()) {
			const turns = order.slice(0, 18).filter((one) => one === index).length;
			expect(turns).toBeGreaterThanOrEqual(3);
			expect(turns).toBeLessThanOrEqual(9);
		}
	});

	test('share the windows of a scope, and a send that waits holds up no read', async () => {
		const reads = new CountingService();
		const sends = new CountingService();
		const first = processWithLimiter(reads, sends);
		const second = processWithLimiter(reads, sends);
		const startedAt = performance.now();
		const allSends = Promise.all([first('send'), first('send'), second('send'), second('send')]);
		await pause(50);
		await second();
		expect(performance.now() - startedAt).toBeLessThan(1_000);
		await allSends;
		expect(sends.fullestWindow(1_500)).toBe(2);
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_500);
	});

	test('see each other in the status', async () => {
		const other = new KeyLimiter(() => undefined);
		const request = {
			run: 'run',
			limits,
			scope: 'send',
			ledger: bench.ledger,
			inFlightMs: 0,
			signal,
		};
		for (let count = 0; count < 2; count++) (await other.acquire(request)).letThrough();
		await pause(50);
		const own = new KeyLimiter(() => undefined);
		const status = await own.status({ limits, ledger: bench.ledger });
		const send = status.find(({ limit }) => limit === 'send/1.5s');
		expect(send).toMatchObject({ used: 2, remaining: 0, queued: 0 });
		expect(send?.availableInMs).toBeGreaterThan(1_000);
		expect((await own.status({ limits })).every(({ used }) => used === 0)).toBe(true);
	});

	test('whose clocks differ by minutes keep the limits all the same', async () => {
		const skewMs = new AsyncLocalStorage<number>();
		const wallClock = jest.spyOn(Date, 'now');
		wallClock.mockImplementation(
			() => performance.timeOrigin + performance.now() + (skewMs.getStore() ?? 0),
		);
		try {
			const service = new CountingService();
			const processes = [-300_000, 0, 600_000].map(async (skew) => {
				await skewMs.run(skew, async () => {
					const request = processWithLimiter(service);
					await Promise.all(Array.from({ length: 8 }, async () => await request()));
				});
			});
			await Promise.all(processes);
			for (const { max, windowMs } of general) {
				expect(service.fullestWindow(windowMs)).toBeLessThanOrEqual(max);
			}
		} finally {
			wallClock.mockRestore();
		}
	});
});

describe('taking slots', () => {
	test('that is repeated takes no second slot', async () => {
		const request = ledgerRequest(bench.ledger);
		expect(await request.take(signal)).toMatchObject({ isTaken: true });
		expect(await request.take(signal)).toMatchObject({ isTaken: true });
		expect(await bench.ledger.use(GENERAL_STAGE.windows)).toEqual([{ used: 1, availableInMs: 0 }]);
	});

	test('after all were free for a while: nobody waits', async () => {
		for (let count = 0; count < 2; count++) {
			const request = ledgerRequest(bench.ledger);
			await request.take(signal);
			request.hold(0);
		}
		await pause(1_200);
		expect(await ledgerRequest(bench.ledger).take(signal)).toMatchObject({ isTaken: true });
		expect(await ledgerRequest(bench.ledger).take(signal)).toMatchObject({ isTaken: true });
	});

	test('leaves no place in the queue, also when one is asked for late', async () => {
		const scope = stageOf('send', [{ max: 2, windowMs: 300 }]);
		const request = ledgerRequest(bench.ledger, { scope });
		await request.take(signal);
		const [key = ''] = await bench.redis.keys(`*${bench.identity}*slots:send*`);
		const [id] = await bench.redis.zrange(key, 0, -1);
		const stages = new Stages(scope, GENERAL_STAGE);
		await bench.ledger.run(KEEP_PLACE, { id, number: 1_000, stages });
		const other = ledgerRequest(bench.ledger, { scope });
		expect(await other.take(signal)).toMatchObject({ isTaken: true });
	});

	test('of a process that died: they come free after window and time-out, not before', async () => {
		const dead = [ledgerRequest(bench.ledger), ledgerRequest(bench.ledger)];
		for (const request of dead) await request.take(signal);
		const startedAt = performance.now();
		const waiting = ledgerRequest(bench.ledger);
		for (;;) {
			const reply = await waiting.take(signal);
			if (reply.isTaken) break;
			await pause(reply.retryMs);
		}
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(690);
		expect(performance.now() - startedAt).toBeLessThan(2_000);
	});

	test('a place in the queue is kept for its owner, and given up with its request', async () => {
		const [holder, other] = [ledgerRequest(bench.ledger), ledgerRequest(bench.ledger)];
		for (const request of [holder, other]) await request.take(signal);
		const [first, second] = [ledgerRequest(bench.ledger), ledgerRequest(bench.ledger)];
		expect(await first.take(signal)).toMatchObject({ isTaken: false });
		holder.free();
		// One slot is free, but `first` has come first.
		expect(await second.take(signal)).toMatchObject({ isTaken: false });
		first.free();
		expect(await second.take(signal)).toMatchObject({ isTaken: true });
	});

	test('fails at once when the wait would be longer than it may be', async () => {
		const other = new KeyLimiter(() => undefined);
		const own = new KeyLimiter(() => undefined);
		const request = {
			run: 'run',
			limits,
			scope: 'send',
			ledger: bench.ledger,
			inFlightMs: 0,
			signal,
		};
		for (let count = 0; count < 2; count++) (await other.acquire(request)).letThrough();
		const startedAt = performance.now();
		const error: unknown = await own
			.acquire({ ...request, maxWaitMs: 1_000 })
			.catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(WaitTooLongError);
		expect((error as WaitTooLongError).retryAfterMs).toBeGreaterThan(1_000);
		expect(performance.now() - startedAt).toBeLessThan(900);
	});
});

describe('keys', () => {
	test('share a hash tag, and expire by themselves after the longest hold', async () => {
		const request = ledgerRequest(bench.ledger, {
			scope: stageOf('send', [{ max: 1, windowMs: 600 }]),
		});
		const keysInRedis = async () => await bench.redis.keys(`*{${bench.identity}}*`);
		await request.take(signal);
		const keys = await keysInRedis();
		expect(keys).toHaveLength(3);
		for (const key of keys) {
			expect(key).toMatch(/^n8n-nodes-business-data:1:\{key-[\w-]+\}:(slots|state):/);
		}
		request.hold(0);
		await pause(400);
		expect(await keysInRedis()).toHaveLength(2);
		await pause(700);
		expect(await keysInRedis()).toHaveLength(0);
	});
});
