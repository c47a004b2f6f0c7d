/**
 * Whether n8n is shutting down. n8n waits for running nodes then, for 30 s by default, and tells none of them. So
 * the signals that n8n itself listens for are listened for as well, which is immediate and the same in each
 * n8n, main process or worker; and n8n's service is asked, for a node that is loaded later than that.
 */
import { abortController } from '../async';
import { findService } from './services';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** What still waited was not done. */
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

/** Aborts, with a ShutdownError, as soon as n8n is told to end. */
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
