/**
 * n8n does not notify nodes when it shuts down, but waits for them, 30 s by default. So this file listens for the same
 * signals, and asks n8n's service in case it is loaded after the signal.
 */
import { abortController } from '../async';
import { findService } from './services';

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

function isShuttingDown(): boolean {
	const service = findService<{ isShuttingDown(): boolean }>(
		'n8n/dist/shutdown/shutdown.service',
		'ShutdownService',
		['isShuttingDown'],
	);
	return service?.isShuttingDown() ?? false;
}
