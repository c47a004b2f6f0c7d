/** What an engine test works on: n8n's engine, and for each test a sandbox service and a credential for it. */
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

/** As many items as are asked for, with the ids 0, 1, 2 … */
export const itemsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

/** What a user sees of an error, and what a workflow can branch on. */
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

	/** Starts such a run, and stops it when it is time. */
	async stoppedWhen(isTime: Parameters<typeof waitUntil>[0], ...run: Run): Promise<EngineRun> {
		const execution = this.start(...run);
		await waitUntil(isTime);
		execution.cancel();
		return readRun(await execution);
	}

	/** Lets the service respond to the next request with this status, or to those that are given. */
	respond(status: number, { endpoint, times, after, ...response }: Response = {}): void {
		const action = { type: 'status', status, ...response } as const;
		this.sandbox.fault({ endpoint, times, after, action });
	}

	/** The bodies of the documents that the service has sent, in order. */
	documents(): unknown[] {
		return this.sandbox.journal.documents().map(({ body }) => body);
	}

	/** What Sent Document says of these keys of Transaction → Send. */
	async statesOf(...keys: string[]): Promise<unknown[]> {
		const items = keys.map((id) => ({ id }));
		const result = await this.run(items, sentDocument('get'));
		expect(result.run.status).toBe('success');
		return result.json(NODE).map(({ state }) => state);
	}

	/** Gives the credential one limit for all requests, of which the sandbox knows nothing. */
	limitTo(max: number, windowSeconds: number): void {
		Object.assign(this.credential, { customize: true, limits: oneLimit(max, windowSeconds) });
	}
}

/** For tests of something else than limits. */
export const NO_LIMITS: LimitTable = {
	general: [{ max: 100_000, windowSeconds: 1 }],
	endpoints: {},
};

/** One limit for all requests, as a credential has it. */
export const oneLimit = (max: number, windowSeconds: number) =>
	JSON.stringify({ general: [{ max, windowSeconds }], endpoints: {} });

/** How long (ms) a suite that runs beside this one may have the same port. */
const LONGEST_TAKEN_MS = 20_000;
/** Of every request (ms), so that in logical time some time passes with each. */
const LATENCY_MS = 2;

/**
 * Sets up a bench for the tests of a file, in logical time: the engine once, a sandbox and a credential for each
 * test. Both have the example limits, or the given ones.
 * @param inRealTime for what is done in another thread, which logical time does not wait for
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

/** Starts a sandbox, as soon as its port is free. */
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

/** Makes all random numbers about `share`; they differ, because Bottleneck names its jobs by them. */
export function pinRandom(share: number): void {
	let calls = 0;
	jest.spyOn(Math, 'random').mockImplementation(() => share + ++calls * 1e-9);
}

/** The texts of the hints in the node's output panel. */
export const hintsOf = (result: EngineRun): string[] =>
	(result.task(NODE).hints ?? []).map(({ message }) => message);
