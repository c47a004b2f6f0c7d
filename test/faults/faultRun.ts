/** Plays the executions of a plan, several at once, and keeps what became of them. */
import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { MARKER_HEADER, type Sandbox, startSandbox } from '../../sandbox/server';
import { NODE } from '../support/bench';
import { type Engine, readRun } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { limiters } from '../support/limiters';
import { credentialFor, scaledLimits } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';
import { type Door, doorTo } from './door';
import { type Ending, endingOf } from './judge';
import { KEYS, type PlannedExecution } from './plan';
import type { Watch } from './watch';

const EXECUTIONS_AT_ONCE = 10;
/** 60 s become 0.3 s, and 10 minutes 0.6 s. */
const { general, endpoints } = scaledLimits(0.005, 0.001);
/** `Retry-After` is in whole seconds, and only a wait that some window may last is waited for. */
const LONGEST = { max: 10_000, windowSeconds: 2.5 };
const LIMITS = { general: [...general, LONGEST], endpoints };
const LATENCY_MS = 6;
/** How long (ms) the slots and pauses of a key may last when nothing is asked of it any more. */
const LONGEST_HOLD_MS = 12_000;

const keys = Array.from({ length: KEYS }, (_, index) => `${index}`.repeat(64));
const status = { resource: 'rateLimit', operation: 'getStatus' };

/** One plan played against a sandbox of its own. */
export class FaultRun {
	readonly endings: Ending[] = [];

	private readonly doors: Door[] = [];

	private readonly timers: NodeJS.Timeout[] = [];

	private readonly credentials = new Map<string, ICredentialDataDecryptedObject>();

	/** The last request of the journal when a stopped execution had ended, by execution. */
	private readonly lastRequests = new Map<string, number>();

	private constructor(
		private readonly engine: Engine,
		private readonly watch: Watch,
		readonly sandbox: Sandbox,
	) {}

	static async start(engine: Engine, watch: Watch, seed: number): Promise<FaultRun> {
		const sandbox = await startSandbox({
			apiKeys: Object.fromEntries(keys.map((key) => [key, { state: 'active' as const }])),
			limits: LIMITS,
			latency: { minMs: 0, maxMs: LATENCY_MS, seed },
		});
		return new FaultRun(engine, watch, sandbox);
	}

	async play(plan: PlannedExecution[]): Promise<void> {
		const executions = plan.values();
		const playOnAndOn = async () => {
			for (const execution of executions) await this.execute(execution);
		};
		const players = Array.from({ length: EXECUTIONS_AT_ONCE }, playOnAndOn);
		await Promise.all(players);
		await waitUntil(() => limiters().size === 0, LONGEST_HOLD_MS).catch(() => undefined);
	}

	async stop(): Promise<void> {
		for (const timer of this.timers) clearTimeout(timer);
		for (const door of this.doors) await door.close();
		await this.sandbox.stop();
	}

	/** The windows that are not as if nothing had ever been sent. */
	async windowsInUse(): Promise<string[]> {
		const all: string[] = [];
		for (const key of this.credentials.values()) {
			const run = await this.engine.run(workflowOf([{}], status), { key });
			for (const { limit, used, queued, remaining, max } of run.json(NODE)) {
				const isFree = used === 0 && queued === 0 && remaining === max;
				if (!isFree) all.push(`${JSON.stringify({ limit, used, queued })}`);
			}
		}
		return all;
	}

	/** Requests of stopped executions that came when they had ended. */
	lateRequests(): string[] {
		return this.sandbox.journal.all().flatMap(({ headers, sequence }) => {
			const marker = headers[MARKER_HEADER] ?? '';
			const last = this.lastRequests.get(marker.split('.')[0] ?? '') ?? Infinity;
			return sequence > last ? [marker] : [];
		});
	}

	private async execute(execution: PlannedExecution): Promise<void> {
		for (const rule of execution.rules) this.sandbox.fault(rule);
		const { name, items, parameters, settings, cancelAfterMs } = execution;
		const credential = await this.credentialOf(execution);
		this.credentials.set(JSON.stringify([credential.baseUrl, credential.apiKey]), credential);
		const workflow = workflowOf(items, parameters, settings);
		const ended = await this.watch.during(name, async () => {
			const running = this.engine.start(workflow, { key: credential });
			const timer = setTimeout(() => running.cancel(), cancelAfterMs ?? 2 ** 30);
			const run = await running;
			clearTimeout(timer);
			return run;
		});
		if (ended.status === 'canceled') {
			await settle();
			this.lastRequests.set(name, this.sandbox.journal.all().length);
		}
		this.endings.push(endingOf(execution, readRun(ended)));
		// It holds all that n8n has logged.
		this.engine.log.length = 0;
	}

	/** Lets the execution reach the service at its address, if it has one of its own. */
	private async credentialOf({ name, key, reachableAfterMs = 0 }: PlannedExecution) {
		if (key !== 'own') return credentialOf(this.sandbox.baseUrl, keys[key] ?? '');
		const door = await doorTo(this.sandbox.baseUrl);
		this.doors.push(door);
		if (reachableAfterMs < Infinity) {
			this.timers.push(setTimeout(() => void door.open(), reachableAfterMs));
		}
		// The limits count per key: at another address it would be another key to the node.
		const apiKey = createHash('sha256').update(name).digest('hex');
		this.sandbox.setKeyState(apiKey, 'active');
		return credentialOf(door.baseUrl, apiKey);
	}
}

function credentialOf(baseUrl: string, apiKey: string): ICredentialDataDecryptedObject {
	const limits = JSON.stringify(LIMITS);
	return { ...credentialFor({ baseUrl, apiKey }), customize: true, limits };
}

/** Resolves after `ms` (ms). */
export async function pause(ms: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Lets the service count what was on its way. Timers alone may follow each other without any input. */
async function settle(): Promise<void> {
	for (let round = 0; round < 20; round++) {
		await pause(1);
		await new Promise((resolve) => setImmediate(resolve));
	}
}
