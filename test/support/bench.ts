/** The set-up of an engine test: n8n's engine, and for each test a sandbox service and a credential for it. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { LimitTable } from '../../sandbox/limits';
import {
	type FaultAction,
	type FaultRule,
	type Sandbox,
	type SandboxOptions,
	startSandbox,
} from '../../sandbox/server';
import { Engine, type EngineRun, readRun } from './engine';
import { workflowOf } from './engineWorkflow';
import { EXAMPLE_LIMITS } from './exampleLimits';
import { reallyWait, realNow, useLogicalTime } from './logicalTime';
import { sentDocument } from './parameters';
import { credentialFor } from './scaledLimits';
import { waitUntil } from './waitUntil';

export const NODE = 'Business Data';

/** So many items, with the ids 0, 1, 2 … */
export const itemsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

/** An error as a user sees it and a workflow can branch on it. */
export interface ShownError {
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context: Record<string, unknown>;
}

type Run = Parameters<typeof workflowOf>;

type Response = Omit<FaultRule, 'action'> &
	Omit<Partial<Extract<FaultAction, { type: 'status' }>>, 'type' | 'status'>;

export class Bench {
	engine!: Engine;
	sandbox!: Sandbox;
	credential!: ICredentialDataDecryptedObject;

	/** Starts a run of the node on the items, which can be awaited or canceled. */
	start(...run: Run): ReturnType<Engine['start']> {
		return this.engine.start(workflowOf(...run), { key: this.credential });
	}

	/** Runs the node on the items. */
	async run(...run: Run): Promise<EngineRun> {
		return readRun(await this.start(...run));
	}

	/** Starts a run and stops it once `isTime` holds. */
	async stoppedWhen(isTime: Parameters<typeof waitUntil>[0], ...run: Run): Promise<EngineRun> {
		const execution = this.start(...run);
		await waitUntil(isTime);
		execution.cancel();
		return readRun(await execution);
	}

	/** Lets the service respond with this status to the next request, or to the given ones. */
	respond(status: number, { endpoint, times, after, ...response }: Response = {}): void {
		const action = { type: 'status', status, ...response } as const;
		this.sandbox.fault({ endpoint, times, after, action });
	}

	/** The bodies of the documents that the service has sent, in order. */
	documents(): unknown[] {
		return this.sandbox.journal.documents().map(({ body }) => body);
	}

	/** The states of these keys of Transaction → Send, by Sent Document. */
	async statesOf(...keys: string[]): Promise<unknown[]> {
		const items = keys.map((id) => ({ id }));
		const result = await this.run(items, sentDocument('get'));
		expect(result.run.status).toBe('success');
		return result.json(NODE).map(({ state }) => state);
	}

	/** Gives the credential one limit for all requests, which the sandbox does not enforce. */
	limitTo(max: number, windowSeconds: number): void {
		Object.assign(this.credential, { customize: true, limits: oneLimit(max, windowSeconds) });
	}
}

/** For tests that are not about limits. */
export const NO_LIMITS: LimitTable = {
	general: [{ max: 100_000, windowSeconds: 1 }],
	endpoints: {},
};

/** One limit for all requests, in the form of the credential. */
export const oneLimit = (max: number, windowSeconds: number) =>
	JSON.stringify({ general: [{ max, windowSeconds }], endpoints: {} });

/** How long (ms) another suite may hold the same port. */
const LONGEST_TAKEN_MS = 20_000;
/** The latency of every request (ms), so that logical time passes with each. */
const LATENCY_MS = 2;

/**
 * Sets up a bench for the tests of a file, in logical time: the engine once, a sandbox and a credential for each
 * test. Both have the example limits, or the given ones.
 * @param inRealTime for work in other threads, which logical time does not wait for
 */
export function useBench(given: SandboxOptions = {}, { inRealTime = false } = {}): Bench {
	const latency = { minMs: LATENCY_MS, maxMs: LATENCY_MS };
	const options = { latency, limits: EXAMPLE_LIMITS, ...given };
	const bench = new Bench();
	const start = async () => {
		bench.sandbox = await startWhenFree(options);
		bench.credential = credentialFor(bench.sandbox, options.limits);
	};
	const stop = async () => {
		jest.restoreAllMocks();
		await bench.sandbox.stop();
	};
	if (!inRealTime) useLogicalTime();
	beforeAll(async () => {
		bench.engine = await Engine.load();
	});
	beforeEach(start);
	afterEach(stop);
	return bench;
}

/** Starts a sandbox as soon as its port is free. */
async function startWhenFree(options: SandboxOptions): Promise<Sandbox> {
	const deadline = realNow() + LONGEST_TAKEN_MS;
	for (;;) {
		try {
			return await startSandbox(options);
		} catch (error) {
			const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
			if (!isTaken || realNow() > deadline) throw error;
			await reallyWait(50);
		}
	}
}

/** The error that ended a run. */
export function errorOf({ run }: EngineRun): ShownError {
	expect(run.status).toBe('error');
	return run.data.resultData.error as unknown as ShownError;
}

/** The list in an error's context, by its words in the description. */
const LISTS: Record<string, string> = {
	Sent: 'sentItems',
	'Used before and skipped': 'skippedItems',
	'Perhaps sent': 'perhapsSentItems',
	'Not sent': 'failedItems',
	Deleted: 'deletedItems',
	'Perhaps deleted': 'perhapsDeletedItems',
	'Not deleted': 'failedItems',
	'Not tried': 'notTriedItems',
};

/** Expects an error to say what was done, such as `Sent: items 0–1. Not sent: item 2.`, and its context to say the same. */
export function expectLists({ description, context }: ShownError, lists: string): void {
	expect(description).toContain(lists);
	const named = [...lists.matchAll(/([A-Z][a-z ]+): (?:\d+ IDs of )?items? ([\d–, ]+)/g)];
	const items = named.map(([, words = '', ranges = '']) => [
		LISTS[words],
		ranges.split(', ').flatMap((range) => {
			const [first = 0, last = first] = range.split('–').map(Number);
			return Array.from({ length: last - first + 1 }, (_, index) => first + index);
		}),
	]);
	const empty = Object.values(LISTS).flatMap((name) => (name in context ? [[name, []]] : []));
	expect(context).toMatchObject(Object.fromEntries([...empty, ...items]) as object);
}

/** Makes random numbers close to `share`. They differ, because Bottleneck names its jobs by them. */
export function pinRandom(share: number): void {
	let calls = 0;
	jest.spyOn(Math, 'random').mockImplementation(() => share + ++calls * 1e-9);
}

/** The texts of the hints in the node's output panel. */
export const hintsOf = (result: EngineRun): string[] =>
	(result.task(NODE).hints ?? []).map(({ message }) => message);
