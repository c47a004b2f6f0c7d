// Send Once over two processes while something fails that is not the service: n8n's database, Redis, a process. Nothing
// counts as sent for good that did not leave, nothing is sent twice, and nobody waits for long.

import { setTimeout as pause } from 'node:timers/promises';

import type { Redis } from 'ioredis';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import { NO_LIMITS } from '../support/bench';
import { EngineProcess, type ExecutionEnd } from '../support/engineProcess';
import { ProcessedDataRepository } from '../support/processedData';
import { RedisServer } from '../support/redisServer';
import { credentialFor } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';

const ONE = 0;
const OTHER = 1;
/** What a lease may outlive its process by. */
const HELD_AT_MOST_MS = 20_000;
/** The time-out of a request that must not end by it, however busy the machine is. */
const LONG_TIMEOUT_SECONDS = 20;

const table = new ProcessedDataRepository();
const cleanup = new Cleanup();
let server: RedisServer;
/** A connection to it that survives its restart. */
let redis: Redis;
let sandbox: Sandbox;
let processes: EngineProcess[];
let credential: ICredentialDataDecryptedObject;

/** Runs an execution that sends these keys in a process. */
const send = async (
	index: number,
	keys: string[],
	timeoutSeconds = LONG_TIMEOUT_SECONDS,
): Promise<ExecutionEnd> => {
	const process = processes[index];
	if (process === undefined) throw new Error(`no process ${index}`);
	return await process.run({ keys, timeoutSeconds, credential });
};
/** The keys of the documents that the service has acted on, in order. */
const sent = () =>
	sandbox.journal
		.all()
		.filter(({ acted }) => acted)
		.map(({ body }) => (body as { key: string }).key);

beforeAll(async () => {
	// What it has confirmed is on the disk, however it ends.
	server = await RedisServer.start(['--appendfsync', 'always']);
	cleanup.add(async () => await server.dispose());
	redis = server.client();
	cleanup.add(async () => await Promise.resolve(redis.disconnect()));
	sandbox = await startSandbox({ limits: NO_LIMITS });
	cleanup.add(async () => await sandbox.stop());
	credential = {
		...credentialFor(sandbox, NO_LIMITS),
		limitStore: 'redis',
		redisUser: '',
		redisPassword: '',
		redisTls: false,
		redisHost: '127.0.0.1',
		redisPort: server.port,
		redisDatabase: 0,
	};
	processes = await Promise.all([ONE, OTHER].map(async () => await EngineProcess.start(table)));
	cleanup.add(async () => {
		for (const process of processes) await process.kill();
	});
	// The first request of a process is slow; none that a test measures may be the first.
	await Promise.all([ONE, OTHER].map(async (one) => await send(one, [`first ${one}`])));
});
beforeEach(async () => {
	table.clear();
	sandbox.reset();
	await redis.flushall();
	// The limits have noticed that Redis was emptied between two tests, and hold nobody up any more.
	for (const one of [ONE, OTHER]) await send(one, [`before ${one}`]);
	sandbox.reset();
});
afterEach(() => expect(processes.flatMap(({ complaints }) => complaints)).toEqual([]));
afterAll(async () => await cleanup.run());

const arrived = async () => await waitUntil(() => sandbox.journal.count() === 1);
const refuseAfter = (afterMs: number) =>
	sandbox.fault({ action: { type: 'status', status: 400, afterMs } });
const keysOfSendOnce = async () => await redis.keys('*sendOnce*');

test.each([
	['nothing that fails', undefined, { sent: 3, unknown: 0, failed: 0 }],
	['a refusal', { type: 'status', status: 400 }, { sent: 3, unknown: 0, failed: 1 }],
	['a lost response', { type: 'hangUpAfterActing' }, { sent: 2, unknown: 1, failed: 0 }],
] as const)(
	'executions that overlap, with %s: each document goes out once',
	async (_, fault, expected) => {
		if (fault !== undefined) sandbox.fault({ after: 1, action: fault });
		const keys = ['a', 'b', 'c'];
		const runs = [ONE, OTHER, ONE, OTHER, ONE].map(
			async (process, index) => await send(process, index % 2 === 0 ? keys : [...keys].reverse()),
		);
		const ends = (await Promise.all(runs)).flat();
		const times = (end: string) => ends.filter((one) => one === end).length;
		expect({ sent: times('sent'), unknown: times('unknown'), failed: times('failed') }).toEqual(
			expected,
		);
		expect(sent().sort()).toEqual(keys);
	},
);

describe('Redis loses data while a document is on its way', () => {
	const emptied = async () => void (await redis.flushall());

	test.each([
		['is emptied', emptied],
		[
			'is restarted without its data',
			async () => {
				await server.stop('SIGKILL');
				server.forget();
				await server.start();
			},
		],
		[
			'has another primary, which lacks the last seconds',
			async () => {
				const [lease = ''] = await keysOfSendOnce();
				await redis.del(lease);
				// What the primary before has left there.
				await redis.set(lease.replace(/lease:.*$/, 'server'), 'another-run', 'PX', 9_000);
			},
		],
	])('%s: another sender waits for what becomes of it', async (_, loseData) => {
		refuseAfter(6_500);
		const one = send(ONE, ['a']);
		await arrived();
		await loseData();
		const other = send(OTHER, ['a']);
		expect(await one).toEqual(['failed']);
		expect(await other).toEqual(['sent']);
		expect(sent()).toEqual(['a']);
	});

	test('and comes through: another sender learns that it was sent', async () => {
		sandbox.fault({ action: { type: 'delay', ms: 2_500, actFirst: true } });
		const one = send(ONE, ['a']);
		await arrived();
		await emptied();
		const other = send(OTHER, ['a']);
		expect(await one).toEqual(['sent']);
		expect(await other).toEqual(['skipped']);
		expect(sent()).toEqual(['a']);
	});
});

test('it takes a moment until a document counts as perhaps sent, but not a moment for each', async () => {
	const keys = ['a', 'b', 'c'];
	for (const key of keys) {
		sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		expect(await send(ONE, [key])).toEqual(['unknown']);
	}
	const startedAt = performance.now();
	expect(await send(OTHER, keys)).toEqual(['skipped', 'skipped', 'skipped']);
	expect(performance.now() - startedAt).toBeLessThan(9_000);
	expect(sent()).toEqual(keys);
});

test('the key of a refused document cannot be taken back: the other process waits, and sends', async () => {
	sandbox.fault({ action: { type: 'status', status: 400 } });
	table.fail('write', { after: 1, times: Infinity });
	const one = send(ONE, ['a']);
	await arrived();
	const other = send(OTHER, ['a']);
	expect(await one).toEqual(['failed']);
	table.clearFaults();
	expect(await other).toEqual(['sent']);
	expect(sent()).toEqual(['a']);
});

test('Redis away for long when a document is refused: it can be sent when it is back', async () => {
	sandbox.fault({ action: { type: 'status', status: 400 } });
	table.latencyMs = () => 100;
	const one = send(ONE, ['a']);
	await arrived();
	await server.stop();
	table.latencyMs = () => 1;
	expect(await one).toEqual(['failed']);
	// Longer than a command is retried.
	await pause(16_000);
	await server.start();
	await pause(2_000);
	expect(await send(OTHER, ['a'])).toEqual(['sent']);
	expect(sent()).toEqual(['a']);
});

test('a process that is killed in mid-send: its key is free for nobody, and holds nobody up for long', async () => {
	sandbox.fault({ action: { type: 'neverAnswer', act: true } });
	const one = send(ONE, ['a'], 0.25);
	await arrived();
	await processes[ONE]?.kill();
	const killedAt = performance.now();
	expect(await one).toBe('died');
	expect(await send(OTHER, ['a', 'b'])).toEqual(['skipped', 'sent']);
	expect(performance.now() - killedAt).toBeLessThan(HELD_AT_MOST_MS);
	expect(sent()).toEqual(['a', 'b']);
});
