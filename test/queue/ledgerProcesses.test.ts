// Several processes on one Redis: whoever waits longest goes next, what Redis has lost is entered again,
// clocks do not matter, and what one learns of others all know. Processes, as far as the ledger can tell:
// each has a connection and windows of its own.

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { ledgerOf, type Limits } from '../../nodes/BusinessData/rateLimit';
import { RedisConnection } from '../../nodes/BusinessData/redis';
import { abortController } from '../../nodes/BusinessData/waiting';
import { CountingService } from '../support/countingService';
import { pause, useLedgerBench } from '../support/ledgerBench';

const bench = useLedgerBench();
const signal = abortController().signal;
const SEND = 'send';

class Process {
	readonly ledger = ledgerOf(new RedisConnection(bench.address), bench.identity);

	readonly limiter = new KeyLimiter(() => undefined);

	private runs = 0;

	constructor(
		private readonly limits: Limits,
		private readonly service: CountingService,
		private readonly sends = new CountingService(),
	) {}

	async acquire(scope?: string) {
		const run = `run ${++this.runs}`;
		const { limits, ledger } = this;
		return await this.limiter.acquire({ run, limits, scope, ledger, inFlightMs: 2_000, signal });
	}

	async request(scope?: string): Promise<void> {
		const permit = await this.acquire(scope);
		this.service.counted.push(performance.now());
		if (scope !== undefined) this.sends.counted.push(performance.now());
		await pause(5);
		permit.letThrough();
	}
}

test('a send of a process that reads as well goes out after at most one of each other process', async () => {
	const limits: Limits = {
		general: [{ max: 3, windowMs: 3_000 }],
		scopes: { [SEND]: [{ max: 1, windowMs: 400 }] },
	};
	const service = new CountingService();
	const order: string[] = [];
	const names = ['a', 'b', 'c'];
	const processes = names.map(() => new Process(limits, service));
	let isOver = false;
	const [busy, ...others] = processes;
	// Runs of reads that take all the room there is, in one process.
	const reads = Array.from({ length: 8 }, async () => {
		while (!isOver) await busy?.request();
	});
	const sendOnAndOn = async (process: Process | undefined, name: string) => {
		for (let count = 0; count < 3; count++) {
			await process?.request(SEND);
			order.push(name);
		}
	};
	await Promise.all([
		sendOnAndOn(busy, 'a'),
		...others.map(async (process, index) => await sendOnAndOn(process, names[index + 1] ?? '')),
	]);
	isOver = true;
	await Promise.all(reads);
	// Between two sends of a process, the others have one turn each, and perhaps one that had begun.
	for (const name of names) {
		const turns = order.flatMap((one, index) => (one === name ? [index] : []));
		const gaps = turns.map((turn, index) => turn - (turns[index - 1] ?? -1) - 1);
		const longest = Math.max(...gaps);
		expect([order, name, longest <= names.length]).toEqual([order, name, true]);
	}
	expect(service.fullestWindow(3_000)).toBeLessThanOrEqual(3);
}, 60_000);

/** Everything that is in Redis. */
async function dataSet() {
	const keys = await bench.redis.keys('*');
	const entries = keys.map(async (key) => ({
		key,
		dump: await bench.redis.dumpBuffer(key),
		ttl: await bench.redis.pttl(key),
	}));
	return await Promise.all(entries);
}

test.each<[string, (before: Awaited<ReturnType<typeof dataSet>>) => Promise<unknown>]>([
	['emptied', async () => await bench.redis.flushall()],
	[
		'without the key that it had to evict',
		async () => await bench.redis.del(await bench.redis.keys('*slots*')),
	],
	[
		// As a replica that lacks the last moments, or a restart with what was last saved.
		'back at an earlier state',
		async (before) => {
			await bench.redis.flushall();
			for (const { key, ttl, dump } of before) await bench.redis.restore(key, ttl, dump);
		},
	],
])(
	'a Redis that is %s: every process enters its slots again',
	async (_, loseData) => {
		const limits: Limits = { general: [{ max: 12, windowMs: 6_000 }], scopes: {} };
		const service = new CountingService();
		const processes = [1, 2, 3].map(() => new Process(limits, service));
		const three = async () =>
			await Promise.all(
				processes.flatMap((process) => [1, 2, 3].map(async () => await process.request())),
			);
		await Promise.all(processes.map(async (process) => await process.request()));
		const before = await dataSet();
		for (let count = 0; count < 2; count++) {
			await Promise.all(processes.map(async (process) => await process.request()));
		}
		await loseData(before);
		// Nine are held: three may go, and six wait, whichever process notices first.
		await three();
		expect(service.fullestWindow(6_000)).toBeLessThanOrEqual(12);
	},
	60_000,
);

test('a clock of Redis that is set back makes nobody wait for longer than one more window', async () => {
	const limits: Limits = { general: [{ max: 2, windowMs: 1_000 }], scopes: {} };
	const process = new Process(limits, new CountingService());
	for (let count = 0; count < 2; count++) await process.request();
	// What the scripts see after the clock was set back by an hour: moments that are far in the future.
	const hour = 3_600_000;
	for (const key of await bench.redis.keys('*slots*')) {
		for (const member of await bench.redis.zrange(key, 0, -1)) {
			await bench.redis.zincrby(key, hour, member);
		}
	}
	for (const key of await bench.redis.keys('*state*')) {
		for (const field of await bench.redis.hkeys(key)) {
			if (field.startsWith('clock:')) await bench.redis.hincrby(key, field, hour);
		}
	}
	const other = new Process(limits, new CountingService());
	const startedAt = performance.now();
	await other.request();
	expect(performance.now() - startedAt).toBeLessThan(2_100);
}, 30_000);

test('a pause that the service asks for holds for other processes, also beyond all windows', async () => {
	const limits: Limits = { general: [{ max: 10, windowMs: 500 }], scopes: {} };
	const [first, second] = [1, 2].map(() => new Process(limits, new CountingService())) as [
		Process,
		Process,
	];
	(await first.acquire()).refused(4_000);
	await pause(50);
	await expect(second.acquire()).rejects.toMatchObject({ isAskedFor: true });
	// Until no slot is held any more.
	await pause(2_700);
	const late = new Process(limits, new CountingService());
	await expect(late.acquire()).rejects.toMatchObject({ isAskedFor: true });
	await pause(850);
	const startedAt = performance.now();
	(await late.acquire()).letThrough();
	expect(performance.now() - startedAt).toBeGreaterThan(100);
}, 30_000);

test('what one process learns of others all leave free', async () => {
	const limits: Limits = { general: [{ max: 30, windowMs: 3_000 }], scopes: {} };
	const service = new CountingService();
	const [first, second] = [new Process(limits, service), new Process(limits, service)];
	await second.request();
	for (let count = 0; count < 9; count++) await first.request();
	(await first.acquire()).refused(0);
	await pause(50);
	await second.request();
	const usedByOthers = async (process: Process) =>
		(await process.limiter.status({ limits }))[0]?.usedByOthers ?? 0;
	expect(await usedByOthers(second)).toBeGreaterThanOrEqual(5);
	expect(Math.abs((await usedByOthers(first)) - (await usedByOthers(second)))).toBeLessThanOrEqual(
		1,
	);
}, 30_000);

test('what one process learns of a scope reaches those that have asked for something else since', async () => {
	const limits = limitsOfAllAndSends(3_000);
	const service = new CountingService();
	const [first, second] = [new Process(limits, service), new Process(limits, service)];
	await second.request(SEND);
	(await first.acquire(SEND)).refused(0);
	await pause(50);
	// The news comes with a read, which is not counted by the scope.
	await second.request();
	await second.request(SEND);
	const ofSends = async ({ limiter }: Process) =>
		(await limiter.status({ limits })).find(({ limit }) => limit.startsWith(SEND))?.usedByOthers;
	expect(await ofSends(first)).toBeGreaterThan(0);
	expect(await ofSends(second)).toBe(await ofSends(first));
}, 30_000);

test('what one process learns of a scope leaves what another has learned of all requests', async () => {
	const limits = limitsOfAllAndSends(6_000);
	const service = new CountingService();
	const [first, second, third] = [1, 2, 3].map(() => new Process(limits, service)) as [
		Process,
		Process,
		Process,
	];
	const ofAll = async ({ limiter }: Process) =>
		(await limiter.status({ limits }))[0]?.usedByOthers ?? 0;
	const sending = await first.acquire(SEND);
	for (let count = 0; count < 9; count++) await second.request();
	(await second.acquire()).refused(0);
	await pause(50);
	const learned = await ofAll(second);
	// It had gone out before the other one learned.
	sending.refused(0);
	await pause(50);
	await second.request();
	await third.request();
	await first.request();
	expect(learned).toBeGreaterThanOrEqual(5);
	// Some of it is forgotten meanwhile.
	for (const each of [first, second, third]) {
		expect(await ofAll(each)).toBeGreaterThanOrEqual(learned / 2);
	}
}, 30_000);

test('what is learned after Redis has lost its data reaches those that have learned before', async () => {
	const limits: Limits = { general: [{ max: 30, windowMs: 3_000 }], scopes: {} };
	const service = new CountingService();
	const [first, second] = [new Process(limits, service), new Process(limits, service)];
	(await first.acquire()).refused(0);
	// Until it is forgotten, and no slot is held.
	await pause(6_000);
	await bench.redis.flushall();
	for (let count = 0; count < 9; count++) await second.request();
	(await second.acquire()).refused(0);
	await pause(50);
	await first.request();
	expect((await first.limiter.status({ limits }))[0]?.usedByOthers).toBeGreaterThanOrEqual(5);
}, 30_000);

test('a process whose request waits enters its slots again, although it asks for none', async () => {
	const limits: Limits = {
		general: [{ max: 30, windowMs: 5_000 }],
		scopes: { [SEND]: [{ max: 3, windowMs: 5_000 }] },
	};
	const [service, sends] = [new CountingService(), new CountingService()];
	const first = new Process(limits, service, sends);
	const second = new Process(limits, service, sends);
	for (let count = 0; count < 3; count++) await first.request(SEND);
	const waiting = first.request(SEND);
	await second.request();
	await pause(300);
	await bench.redis.flushall();
	await Promise.all([waiting, ...[1, 2, 3].map(async () => await second.request(SEND))]);
	expect(sends.fullestWindow(5_000)).toBe(3);
}, 40_000);

function limitsOfAllAndSends(windowMs: number): Limits {
	return {
		general: [{ max: 30, windowMs }],
		scopes: { [SEND]: [{ max: 10, windowMs }] },
	};
}
