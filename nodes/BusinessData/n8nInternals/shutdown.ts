/**
 * Whether n8n is shutting down. n8n then waits for running nodes, 30 s by default, without notifying them. So this file
 * listens for the same signals as n8n, in the main process and in workers; and it asks n8n's service, in case a node is
 * loaded after the signal.
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
		// A listener keeps Node from ending the process, so there is none where n8n has none.
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
