/**
 * n8n does not notify nodes when it shuts down, but waits for their executions, 30 s by default. So this file listens
 * for the same signals, and asks n8n's service in case it is loaded after the signal. Without that service, n8n may end
 * before it has recorded what a poll emitted.
 */
import { abortController, never, sleep } from '../async';
import { findService, provideService } from './services';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** n8n shut down before waiting work was done. */
export class ShutdownError extends Error {
	/** How the user goes on. */
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
		// A listener keeps Node from ending the process, so one is added only beside n8n's own.
		const isListening = process.listeners(name).includes(abort);
		if (!isListening && process.listenerCount(name) > 0) process.once(name, abort);
	}
	return signal;
}

/** The same in n8n 1.123 and 2.41. */
interface ShutdownService {
	isShuttingDown(): boolean;
	/** n8n calls those of the highest priority first, and waits for them. */
	register(priority: number, handler: { serviceClass: unknown; methodName: string }): void;
}

const shutdownService = () =>
	findService<ShutdownService>('n8n/dist/shutdown/shutdown.service', 'ShutdownService', [
		'isShuttingDown',
		'register',
	]);

const isShuttingDown = () => shutdownService()?.isShuttingDown() ?? false;

const HIGHEST_PRIORITY = 200;
/** How long (ms) n8n may take to record an execution for the items of a poll. */
const RECORDED_WITHIN_MS = 3_000;

/** What n8n waits for when it shuts down. */
class LatestItems {
	emittedAt = -Infinity;

	async whenRecorded(): Promise<void> {
		const recordedAt = this.emittedAt + RECORDED_WITHIN_MS;
		await sleep(Math.max(0, recordedAt - performance.now()), never);
	}
}

const latestItems = new LatestItems();
let isRegistered = false;

/** To be called when a poll emits items: n8n shuts down only after it has had the time to record them. */
export function holdShutdown(): void {
	latestItems.emittedAt = performance.now();
	const service = isRegistered ? undefined : shutdownService();
	if (service === undefined) return;
	isRegistered = true;
	provideService(LatestItems, latestItems);
	service.register(HIGHEST_PRIORITY, { serviceClass: LatestItems, methodName: 'whenRecorded' });
}
