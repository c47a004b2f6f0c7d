/**
 * Node's diagnostics channels and asynchronous context for simulated processes. What a process has subscribed to
 * goes with it, which the real modules do not know.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

import type { SimulatedProcess } from './simulatedProcess';

type Subscriber = (message: unknown, name: string) => void;

const subscribers = new WeakMap<SimulatedProcess, Map<string, Subscriber[]>>();
/** What all simulated storages hold, in one real one: each real one costs every promise of this thread. */
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

/** Publishes a message, now or later, in the context of this call. */
export function publisher(process: SimulatedProcess): (name: string, message: unknown) => void {
	return AsyncResource.bind((name: string, message: unknown) => {
		for (const one of subscribers.get(process)?.get(name) ?? []) one(message, name);
	});
}
