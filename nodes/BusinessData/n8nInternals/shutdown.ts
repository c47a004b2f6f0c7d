/**
 * n8n does not notify nodes when it shuts down, but waits for their executions, 30 s by default. So this file listens to
 * the same signals, and asks n8n's service in case the package is loaded after the signal. It also has that service wait
 * for what n8n does not track as an execution: items just emitted by a poll, and requests of stopped executions.
 */
import { abortController, never, sleep } from '../async';
import { findService, provideService } from './services';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** n8n shut down before the work that was waiting could be done. */
export class ShutdownError extends Error {
	/** What the user can do. */
	readonly description = 'Run it again when n8n is back.';

	constructor() {
		super('n8n is shutting down: what was still waiting was not carried out');
		this.name = 'ShutdownError';
	}
}

const controller = abortController();

const abort = () => controller.abort(new ShutdownError());

/** Aborts with a ShutdownError as soon as n8n shuts down. */
export function shutdownSignal(): AbortSignal {
	const { signal } = controller;
	if (signal.aborted) return signal;
	if (isShuttingDown()) abort();
	for (const name of SIGNALS) {
		// A listener stops Node from ending the process, so one is added only if n8n has its own.
		const isListening = process.listeners(name).includes(abort);
		if (!isListening && process.listenerCount(name) > 0) process.once(name, abort);
	}
	return signal;
}

/** The same in n8n 1.123 and 2.41. */
interface ShutdownService {
	isShuttingDown(): boolean;
	/** n8n calls the handlers with the highest priority first, and waits for them. */
	register(priority: number, handler: { serviceClass: unknown; methodName: string }): void;
}

const shutdownService = () =>
	findService<ShutdownService>('n8n/dist/shutdown/shutdown.service', 'ShutdownService', [
		'isShuttingDown',
		'register',
	]);

const isShuttingDown = () => shutdownService()?.isShuttingDown() ?? false;

const HIGHEST_PRIORITY = 200;
/** Runs after n8n has closed its servers, so that nothing new comes in meanwhile. */
const LOW_PRIORITY = 1;
/** How long (ms) n8n may take to record the execution for the items of a poll. */
const RECORDED_WITHIN_MS = 3_000;
/** How long (ms) n8n waits for runs and requests to end, and then to save their outcome. */
const ENDED_WITHIN_MS = 6_000;
const SAVED_WITHIN_MS = 1_000;

/** What n8n does not wait for by itself. */
class HeldShutdown {
	itemsEmittedAt = -Infinity;
	readonly workUnderWay = new Set<Promise<unknown>>();

	/** Resolves when n8n has had time to record the execution for the items of a poll. */
	async whenItemsRecorded(): Promise<void> {
		const recordedAt = this.itemsEmittedAt + RECORDED_WITHIN_MS;
		await sleep(Math.max(0, recordedAt - performance.now()), never);
	}

	/** Resolves when stopped executions have ended, and sub-workflows that nobody waits for on a worker of n8n 1.x. */
	async whenWorkEnded(): Promise<void> {
		if (this.workUnderWay.size === 0) return;
		await Promise.race([Promise.allSettled(this.workUnderWay), sleep(ENDED_WITHIN_MS, never)]);
		await sleep(SAVED_WITHIN_MS, never);
	}
}

const held = new HeldShutdown();
const registered = new Set<string>();

function register(priority: number, methodName: 'whenItemsRecorded' | 'whenWorkEnded'): void {
	if (registered.has(methodName)) return;
	registered.add(methodName);
	const shutdown = shutdownService();
	if (shutdown === undefined) return;
	provideService(HeldShutdown, held);
	shutdown.register(priority, { serviceClass: HeldShutdown, methodName });
}

/** Call when a poll emits items: n8n then shuts down only after it has had time to record them. */
export function holdShutdownForItems(): void {
	held.itemsEmittedAt = performance.now();
	register(HIGHEST_PRIORITY, 'whenItemsRecorded');
}

/** Lets n8n shut down only after the work has ended, which the shutdown signal brings about. */
export function holdShutdownFor(work: Promise<unknown>): void {
	register(LOW_PRIORITY, 'whenWorkEnded');
	held.workUnderWay.add(work);
	const end = () => held.workUnderWay.delete(work);
	work.then(end, end);
}
