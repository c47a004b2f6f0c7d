/**
 * Node's diagnostics channels and asynchronous context for simulated processes. Unlike with the real modules, the
 * subscriptions of a process end with it.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

import type { SimulatedProcess } from './simulatedProcess';

type Subscriber = (message: unknown, name: string) => void;

const subscribers = new WeakMap<SimulatedProcess, Map<string, Subscriber[]>>();
/** One real storage for all simulated ones, because each real one slows down every promise of this thread. */
const contexts = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

class SimulatedStorage {
	run(store: unknown, work: () => unknown): unknown {
		return contexts.run(new Map(contexts.getStore()).set(this, store), work);
	}

	getStore(): unknown {
		return contexts.getStore()?.get(this);
	}
}

export function channelModules(process: () => SimulatedProcess): Record<string, unknown> {
	return {
		async_hooks: { AsyncLocalStorage: SimulatedStorage },
		diagnostics_channel: {
			subscribe: (name: string, subscriber: Subscriber) => {
				const own = subscribers.get(process()) ?? new Map<string, Subscriber[]>();
				subscribers.set(process(), own.set(name, [...(own.get(name) ?? []), subscriber]));
			},
		},
	};
}

/** Returns a function that publishes messages, now or later, in the context of this call. */
export function publisher(process: SimulatedProcess): (name: string, message: unknown) => void {
	return AsyncResource.bind((name: string, message: unknown) => {
		for (const one of subscribers.get(process)?.get(name) ?? []) one(message, name);
	});
}
