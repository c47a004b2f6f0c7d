// Three processes send 130 documents while the Redis of the limit store fails: a cluster, Sentinels, and a single
// server with TLS, in parallel. Each document goes out once, and hardly any request is refused.

import { setTimeout as pause } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import { EngineProcess, type ItemEnd } from '../support/engineProcess';
import { ProcessedDataRepository } from '../support/processedData';
import { RedisCluster } from '../support/redisCluster';
import { RedisSentinel } from '../support/redisSentinel';
import { RedisTls } from '../support/redisTls';
import { fieldsOf, type Topology } from '../support/redisTopologies';
import { report } from '../support/report';
import { credentialFor, scaledLimits } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';

const PROCESSES = 3;
const REQUESTS = 130;
/** The number of requests before the outage: by then, windows are full, and requests wait. */
const MID_RUN = 60;
/** Windows of 0.1 s, 1 s and 6 s. */
const LIMITS = { ...scaledLimits(0.1), endpoints: {} };
/** The service responds at once, but a busy machine must not cause a timeout. */
const TIMEOUT_SECONDS = 20;
const PASSWORD = 'a-password-of-redis';
/** How long a primary must be silent before the Sentinels promote its replica. */
const DOWN_AFTER_MS = 4_000;
/**
 * How many refusals a fail-over may cost: a replica may lack the newest slots until their process enters them again.
 * If all data are lost, every process notices before anything goes out.
 */
const A_HANDFUL = 5;

const table = new ProcessedDataRepository();
const processes: EngineProcess[] = [];
let topologies: Topology[] = [];
const cleanup = new Cleanup();

jest.setTimeout(600_000);
beforeAll(async () => {
	const starts = Array.from({ length: PROCESSES }, async (_, index) => {
		processes[index] = await EngineProcess.start(table);
	});
	cleanup.add(async () => {
		for (const process of processes) await process.kill();
	});
	topologies = await Promise.all([
		RedisCluster.start(PASSWORD),
		RedisSentinel.start(PASSWORD, 'a-password-of-sentinels', DOWN_AFTER_MS),
		RedisTls.start(PASSWORD),
	]);
	cleanup.add(async () => {
		for (const topology of topologies) await topology.dispose();
	});
	await Promise.all(starts);
});
afterEach(async () => {
	await Promise.all(
		topologies.map(async (topology) => {
			await topology.untilWhole();
			// The keys of the next run then show which shard it uses.
			await topology.flushAll();
		}),
	);
});
afterAll(async () => await cleanup.run());

let lastRun = 0;

/** Sends the same documents with each `play`, a third of them in each process. */
class Run {
	private readonly id = `run-${++lastRun}`;
	private readonly credential: ICredentialDataDecryptedObject;

	constructor(
		readonly sandbox: Sandbox,
		{ address }: Topology,
	) {
		this.credential = { ...credentialFor(sandbox, LIMITS), ...fieldsOf(address) };
	}

	/** Sends all documents. Returns what the processes report. */
	async play(): Promise<ItemEnd[]> {
		const ends = processes.map(async (process, index) => {
			const keys = Array.from({ length: REQUESTS }, (_, number) => `document-${number}`).filter(
				(_, number) => number % PROCESSES === index,
			);
			const { id: workflowId, credential } = this;
			return await process.run({ keys, timeoutSeconds: TIMEOUT_SECONDS, credential, workflowId });
		});
		return (await Promise.all(ends)).flatMap((end) => {
			if (end === 'died') throw new Error('a process has died');
			return end;
		});
	}

	/** How many times each document was sent. */
	timesSent(): number[] {
		const times = new Map<string, number>();
		for (const { acted, body } of this.sandbox.journal.all()) {
			const { key } = body as { key: string };
			if (acted) times.set(key, (times.get(key) ?? 0) + 1);
		}
		return [...times.values()];
	}
}

interface Outage {
	/** Causes the outage. Resolves when the cause is gone. */
	strike: (topology: Topology) => Promise<void>;
	mostRefused: number;
	/** Whether it lasts longer than requests wait, so that they fail unless another server takes over. */
	isLong?: boolean;
}

async function stopFor(topology: Topology, ms: number): Promise<void> {
	const { server } = await topology.primary();
	server.pause();
	await pause(ms);
	server.resume();
}

const OUTAGES: Record<string, Outage> = {
	'the primary is lost and another takes over': {
		strike: async (topology) => await topology.failOver(),
		mostRefused: A_HANDFUL,
	},
	'clients are paused for 3 s': {
		strike: async (topology) => {
			const { server } = await topology.primary();
			await topology.ask(server, 'CLIENT', 'PAUSE', '3000', 'ALL');
			await pause(3_000);
		},
		mostRefused: 0,
	},
	'the primary hangs for 5 s': {
		strike: async (topology) => await stopFor(topology, 5_000),
		mostRefused: A_HANDFUL,
	},
	'the network drops all packets for 6 s': {
		strike: async (topology) => {
			const { proxy } = await topology.primary();
			proxy.swallow();
			await pause(6_000);
			proxy.open();
		},
		mostRefused: A_HANDFUL,
	},
	'slots move to another shard': {
		strike: async (topology) => await topology.reshard?.(),
		mostRefused: 0,
	},
	'Redis is emptied': {
		strike: async (topology) => await topology.flushAll(),
		mostRefused: 0,
	},
	'the primary is restarted without data': {
		strike: async (topology) => {
			const { server } = await topology.primary();
			await server.stop('SIGKILL');
			await pause(500);
			await server.start();
		},
		mostRefused: 0,
	},
	'the primary hangs for 60 s': {
		strike: async (topology) => await stopFor(topology, 60_000),
		mostRefused: A_HANDFUL,
		isLong: true,
	},
};

async function expectSurvived(name: string, outage: Outage, topology: Topology): Promise<void> {
	const sandbox = await startSandbox({ limits: LIMITS });
	const startedAt = performance.now();
	const kind = topology.constructor.name;
	try {
		const run = new Run(sandbox, topology);
		const strike = async () => {
			await waitUntil(() => sandbox.journal.count() >= MID_RUN);
			await outage.strike(topology);
		};
		// Await both together, so that neither causes an unhandled rejection.
		const [reported] = await Promise.all([run.play(), strike()]);
		const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
		const sent = reported.filter((end) => end === 'sent').length;
		// Documents that failed were not sent, so that they can be sent now. Those that were sent are skipped.
		const again = sent === REQUESTS ? [] : await run.play();
		const refused = sandbox.journal.refused().length;
		report(
			`${kind}, ${name}: ${sent} of ${REQUESTS} within ${seconds} s, ${refused} refused` +
				(again.length === 0 ? '' : `; the others when it was over`),
		);
		const mayFail = outage.isLong === true && !topology.isWatched;
		const failed = reported.filter((end) => end === 'failed').length;
		expect({ kind, sent, failed }).toEqual({
			kind,
			sent: mayFail ? sent : REQUESTS,
			failed: REQUESTS - sent,
		});
		expect(again.filter((end) => end !== 'skipped')).toEqual(Array(failed).fill('sent'));
		expect(run.timesSent()).toEqual(Array(REQUESTS).fill(1));
		expect(refused).toBeLessThanOrEqual(outage.mostRefused);
	} finally {
		await sandbox.stop();
	}
}

test.each(Object.entries(OUTAGES))('each document goes out once when %s', async (name, outage) => {
	const touched = topologies.filter(
		(topology) => name !== 'slots move to another shard' || 'reshard' in topology,
	);
	const results = touched.map(async (topology) => await expectSurvived(name, outage, topology));
	for (const result of await Promise.allSettled(results)) {
		if (result.status === 'rejected') throw result.reason;
	}
	expect(processes.flatMap(({ complaints }) => complaints)).toEqual([]);
});
