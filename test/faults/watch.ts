/**
 * Watches what the node leaves behind in a process: timers, listeners on abort signals, rejections that
 * nobody handles, and warnings. It stands in a process of its own, because it replaces globals.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Code of the node, and of the library that its windows are made of. */
const OURS = /[\\/]dist[\\/]nodes[\\/]|[\\/]node_modules[\\/]bottleneck[\\/]/;

function isCalledByUs(): boolean {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 6;
	const { stack = '' } = new Error();
	Error.stackTraceLimit = stackTraceLimit;
	return OURS.test(stack);
}

type Listener = Parameters<AbortSignal['addEventListener']>[1];

export class Watch {
	/** Rejections that nobody handles, and warnings such as those of too many listeners. */
	readonly complaints: string[] = [];

	/** Listeners of the node that were on a signal when the node was done with it, by execution. */
	readonly leftoverListeners = new Map<string, number>();

	private readonly executions = new AsyncLocalStorage<string>();

	private readonly timers = new Set<unknown>();

	private readonly listeners = new Map<AbortSignal, Set<Listener>>();

	constructor() {
		process.on('warning', (warning) => this.complaints.push(warning.stack ?? String(warning)));
		process.on('unhandledRejection', (reason) => {
			const text = reason instanceof Error ? reason.stack : String(reason);
			this.complaints.push(`Unhandled rejection: ${text}`);
		});
		this.watchTimers();
		this.watchListeners();
	}

	/** Runs `job` as an execution of that name. */
	async during<T>(name: string, job: () => Promise<T>): Promise<T> {
		return await this.executions.run(name, job);
	}

	/** Timers of the node that have neither fired nor been cleared. */
	get timersLeft(): number {
		return this.timers.size;
	}

	/** Listeners of the node on signals that have not aborted. */
	get listenersLeft(): number {
		return [...this.listeners.values()].reduce((sum, { size }) => sum + size, 0);
	}

	private watchTimers(): void {
		const { timers } = this;
		const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
		const watched = {
			setTimeout: (callback: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) => {
				if (!isCalledByUs()) return setTimeout(callback, ms, ...values);
				const timer = setTimeout(() => {
					timers.delete(timer);
					callback(...values);
				}, ms);
				timers.add(timer);
				return timer;
			},
			setInterval: (callback: () => void, ms?: number) => {
				const timer = setInterval(callback, ms);
				if (isCalledByUs()) timers.add(timer);
				return timer;
			},
			clearTimeout: (timer: NodeJS.Timeout | undefined) => {
				timers.delete(timer);
				clearTimeout(timer);
			},
			clearInterval: (timer: NodeJS.Timeout | undefined) => {
				timers.delete(timer);
				clearInterval(timer);
			},
		};
		// With what belongs to them, such as `util.promisify.custom`.
		Object.defineProperties(watched.setTimeout, Object.getOwnPropertyDescriptors(setTimeout));
		Object.assign(globalThis, watched);
	}

	private watchListeners(): void {
		const { listeners, leftoverListeners, executions } = this;
		/* eslint-disable @typescript-eslint/unbound-method -- called with the `this` of the caller below */
		const { addEventListener, removeEventListener } = EventTarget.prototype;
		const { abort } = AbortController.prototype;
		/* eslint-enable @typescript-eslint/unbound-method */
		const forget = (signal: AbortSignal, listener: Listener) => {
			const known = listeners.get(signal);
			known?.delete(listener);
			if (known?.size === 0) listeners.delete(signal);
		};
		Object.assign(AbortSignal.prototype, {
			addEventListener(
				this: AbortSignal,
				...args: Parameters<AbortSignal['addEventListener']>
			): void {
				if (isCalledByUs() && !this.aborted) {
					const known = listeners.get(this) ?? new Set<Listener>();
					listeners.set(this, known.add(args[1]));
				}
				addEventListener.apply(this, args);
			},
			removeEventListener(
				this: AbortSignal,
				...args: Parameters<AbortSignal['removeEventListener']>
			): void {
				forget(this, args[1]);
				removeEventListener.apply(this, args);
			},
		});
		Object.assign(AbortController.prototype, {
			abort(this: AbortController, reason?: unknown): void {
				const left = listeners.get(this.signal)?.size ?? 0;
				const name = executions.getStore();
				// The end of a run; a wait that was too long aborts with another reason, in its midst.
				const isEnd = reason instanceof Error && reason.name === 'ExecutionCancelledError';
				if (isEnd && left > 0 && name !== undefined) {
					leftoverListeners.set(name, (leftoverListeners.get(name) ?? 0) + left);
				}
				listeners.delete(this.signal);
				abort.call(this, reason);
			},
		});
	}
}
