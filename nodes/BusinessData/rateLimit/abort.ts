/** Waiting that ends at once when it is no longer wanted. */
import { setMaxListeners } from 'node:events';

/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal aborts. */
export async function onceAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	signal.throwIfAborted();
	let stopListening: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => {
		const onAbort = () => reject(signal.reason as Error);
		signal.addEventListener('abort', onAbort, { once: true });
		stopListening = () => signal.removeEventListener('abort', onAbort);
	});
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		stopListening();
	}
}

/**
 * Resolves after `ms` milliseconds.
 * @throws the signal's reason as soon as it aborts.
 */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const elapsed = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	});
	try {
		await onceAborted(elapsed, signal);
	} finally {
		clearTimeout(timer);
	}
}

/** An abort controller whose signal may have any number of listeners without a warning. */
export function abortController(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}
