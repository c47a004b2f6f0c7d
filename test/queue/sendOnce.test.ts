// Send Once in two processes while n8n's database, Redis or a process fails. No document that was not sent counts as
// sent for good, none is sent twice, and no sender waits for long.

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
/** How long a lease may outlive its process. */
const HELD_AT_MOST_MS = 20_000;
/** A timeout that no request may reach, however busy the machine is. */
const LONG_TIMEOUT_SECONDS = 20;

const table = new ProcessedDataRepository();
const cleanup = new Cleanup();
let server: RedisServer;
/** A connection of the test that survives a restart of the server. */
let redis: Redis;
let sandbox: Sandbox;
let processes: EngineProcess[];
let credential: ICredentialDataDecryptedObject;

/** Runs an execution in a process that sends documents with these keys. */
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
	// Every confirmed write must be on disk, even if the server is killed.
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
	// The first request of a process is slow, so no test may measure it.
	await Promise.all([ONE, OTHER].map(async (one) => await send(one, [`first ${one}`])));
});
beforeEach(async () => {
	table.clear();
	sandbox.reset();
	await redis.flushall();
	// After these sends, the limit store has recovered from the FLUSHALL and delays no request of the test.
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
	['no fault', undefined, { sent: 3, unknown: 0, failed: 0 }],
	['a refusal', { type: 'status', status: 400 }, { sent: 3, unknown: 0, failed: 1 }],
	['a lost response', { type: 'hangUpAfterActing' }, { sent: 2, unknown: 1, failed: 0 }],
] as const)(
	'overlapping executions with %s send each document once',
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

describe('when Redis loses data during a send', () => {
	const emptied = async () => void (await redis.flushall());

	test.each([
		['by FLUSHALL', emptied],
		[
			'by a restart without its data',
			async () => {
				await server.stop('SIGKILL');
				server.forget();
				await server.start();
			},
		],
		[
			'by a fail-over to a replica that lacks the last seconds',
			async () => {
				const [lease = ''] = await keysOfSendOnce();
				await redis.del(lease);
				// An entry of the previous primary.
				await redis.set(lease.replace(/lease:.*$/, 'server'), 'another-run', 'PX', 9_000);
			},
		],
	])('%s, another sender waits for the outcome', async (_, loseData) => {
		refuseAfter(6_500);
		const one = send(ONE, ['a']);
		await arrived();
		await loseData();
		const other = send(OTHER, ['a']);
		expect(await one).toEqual(['failed']);
		expect(await other).toEqual(['sent']);
		expect(sent()).toEqual(['a']);
	});

	test('and the send succeeds, another sender sees that it was sent', async () => {
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

test('several documents whose outcome is unknown are skipped after a single wait', async () => {
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

test('a refused document whose row cannot be deleted at once is sent by the other process', async () => {
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

test('a document that is refused while Redis is down can be sent when Redis is back', async () => {
	sandbox.fault({ action: { type: 'status', status: 400 } });
	table.latencyMs = () => 100;
	const one = send(ONE, ['a']);
	await arrived();
	await server.stop();
	table.latencyMs = () => 1;
	expect(await one).toEqual(['failed']);
	// Longer than the retries of a command.
	await pause(16_000);
	await server.start();
	await pause(2_000);
	expect(await send(OTHER, ['a'])).toEqual(['sent']);
	expect(sent()).toEqual(['a']);
});

test('the key of a process killed during a send is skipped by others, after a short wait', async () => {
	sandbox.fault({ action: { type: 'neverRespond', act: true } });
	const one = send(ONE, ['a'], 0.25);
	await arrived();
	await processes[ONE]?.kill();
	const killedAt = performance.now();
	expect(await one).toBe('died');
	expect(await send(OTHER, ['a', 'b'])).toEqual(['skipped', 'sent']);
	expect(performance.now() - killedAt).toBeLessThan(HELD_AT_MOST_MS);
	expect(sent()).toEqual(['a', 'b']);
});
