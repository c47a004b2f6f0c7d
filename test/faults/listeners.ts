/** Watches the listeners that the node adds to abort signals. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';

/** Code of the node, and of the library that its windows are made of. */
const OURS = /[\\/]dist[\\/]nodes[\\/]|[\\/]node_modules[\\/]bottleneck[\\/]/;

export class ListenerWatch {
	/** Listeners of the node that were on the signal of an execution when it ended, by execution. */
	readonly left = new Map<string, number>();

	private readonly executions = new AsyncLocalStorage<string>();

	private readonly signals = new Set<WeakRef<AbortSignal>>();

	private readonly ours = new WeakSet<object>();

	/** Takes back what watches. */
	readonly stop: () => void;

	constructor() {
		const { signals, ours } = this;
		/* eslint-disable @typescript-eslint/unbound-method -- called with the `this` of the caller below */
		const { addEventListener } = EventTarget.prototype;
		const { abort } = AbortController.prototype;
		/* eslint-enable @typescript-eslint/unbound-method */
		const atEnd = (signal: AbortSignal) => this.atEnd(signal);
		// Not by mocks, which would keep all that they are called with.
		Object.assign(AbortSignal.prototype, {
			addEventListener(this: AbortSignal, ...parameters: [string, () => void]) {
				if (isCalledByUs()) {
					signals.add(new WeakRef(this));
					ours.add(parameters[1]);
				}
				addEventListener.apply(this, parameters);
			},
		});
		Object.assign(AbortController.prototype, {
			abort(this: AbortController, reason?: unknown) {
				// The end of a run; a wait that was too long aborts with another reason, in its midst.
				const isEnd = reason instanceof Error && reason.name === 'ExecutionCancelledError';
				if (isEnd) atEnd(this.signal);
				abort.call(this, reason);
			},
		});
		this.stop = () => {
			Reflect.deleteProperty(AbortSignal.prototype, 'addEventListener');
			Object.assign(AbortController.prototype, { abort });
		};
	}

	/** Runs `job` as an execution of that name. */
	async during<T>(name: string, job: () => Promise<T>): Promise<T> {
		return await this.executions.run(name, job);
	}

	/** How many are on signals that have not aborted. */
	get size(): number {
		const signals = new Set([...this.signals].map((signal) => signal.deref()));
		return [...signals].reduce((sum, signal) => sum + (signal ? this.countOn(signal) : 0), 0);
	}

	private atEnd(signal: AbortSignal): void {
		const name = this.executions.getStore();
		const count = this.countOn(signal);
		if (name !== undefined && count > 0) this.left.set(name, (this.left.get(name) ?? 0) + count);
	}

	private countOn(signal: AbortSignal): number {
		return getEventListeners(signal, 'abort').filter((one) => this.ours.has(one)).length;
	}
}

function isCalledByUs(): boolean {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 6;
	const { stack = '' } = new Error();
	Error.stackTraceLimit = stackTraceLimit;
	return OURS.test(stack);
}
