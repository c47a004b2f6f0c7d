/** Waits that end at once when a signal aborts, and waits for one's turn. */
import { setMaxListeners } from 'node:events';

export { KeyedMutex } from './keyedMutex';

/** The longest delay (ms) that a timer accepts. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Action = (reason: Error) => void;

/** One listener per signal runs all its actions: adding to 10,000 listeners of an AbortSignal, or removing one, is slow. */
const actionsOf = new WeakMap<AbortSignal, { actions: Set<Action>; listener: () => void }>();

/** Calls `action` with the signal's reason once it aborts, or at once if it has. @returns a function that undoes it */
export function onAbort(signal: AbortSignal | undefined, action: Action): () => void {
	if (signal?.aborted === true) action(signal.reason as Error);
	if (signal === undefined || signal.aborted) return () => undefined;
	const known = actionsOf.get(signal);
	const actions = known?.actions ?? new Set();
	const listener = known?.listener ?? (() => actions.forEach((one) => one(signal.reason as Error)));
	if (known === undefined) {
		actionsOf.set(signal, { actions, listener });
		signal.addEventListener('abort', listener, { once: true });
	}
	actions.add(action);
	return () => {
		if (!actions.delete(action) || actions.size > 0) return;
		actionsOf.delete(signal);
		signal.removeEventListener('abort', listener);
	};
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	let stopListening: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => (stopListening = onAbort(signal, reject)));
	try {
		return await Promise.race([aborted, promise]);
	} finally {
		stopListening();
	}
}

/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as it aborts */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
	try {
		await abortable(elapsed, signal);
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

/** A signal that never aborts, for short waits. */
export const never = abortController().signal;

/**
 * A signal that aborts with `signal`, or after `ms` milliseconds with the reason that `tooLate` returns.
 * @returns also `release`, to be called when the signal is no longer needed
 */
export function boundedSignal(
	signal: AbortSignal,
	ms: number,
	tooLate: () => Error,
): { signal: AbortSignal; release: () => void } {
	if (ms > LONGEST_TIMER_MS) return { signal, release: () => undefined };
	const controller = abortController();
	const stopListening = onAbort(signal, (reason) => controller.abort(reason));
	const timer = setTimeout(() => controller.abort(tooLate()), ms);
	const release = () => {
		clearTimeout(timer);
		stopListening();
	};
	return { signal: controller.signal, release };
}

/** How long (ms) work may hold the event loop, which n8n needs for everything else. */
const LONGEST_HOLD_MS = 10;

/**
 * Returns a function to call between pieces of work. It yields to the event loop when they have held it for too long.
 * Simultaneous calls share one turn: if each took its own, together they would hold the event loop after all.
 */
export function yieldWhenBusy(): () => Promise<void> {
	let yieldedAt = performance.now();
	let yielding: Promise<void> | undefined;
	return async () => {
		if (performance.now() - yieldedAt < LONGEST_HOLD_MS) return;
		yielding ??= new Promise((resolve) => {
			setImmediate(() => {
				yielding = undefined;
				yieldedAt = performance.now();
				resolve();
			});
		});
		await yielding;
	};
}
