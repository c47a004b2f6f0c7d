/**
 * What all executions of this process share for Send Once: only maps, objects, promises, functions and a mutex, so
 * that two versions of the package understand each other.
 */
import { KeyedMutex, never } from '../async';
import { processWide } from '../values/processWide';

/** What a row must hold, or must not, although a write of it may have failed or may still land. */
export interface Expectation {
	row: string;
	entry: string;
	isThere: boolean;
	/** Whether it still applies; always unless given. */
	holds?: () => Promise<boolean>;
}

interface ProcessState {
	/** By the name of a bucket: one at a time changes it. */
	steps: Pick<KeyedMutex, 'runExclusive'>;
	/** By the name of a bucket in which a write failed: until when (ms) it is watched, and what it must hold. */
	watched: Map<string, { untilMs: number; expected: Map<string, Expectation> }>;
	/** By the name of a key: settles when its sender is done. */
	leases: Map<string, Promise<void>>;
}

export const processState = processWide('sendOnce/4', (): ProcessState => ({
	steps: new KeyedMutex(),
	watched: new Map(),
	leases: new Map(),
}));

/** Runs `step` when every earlier step on the bucket is done. @throws what the step throws */
export async function runExclusive<T>(bucket: string, step: () => Promise<T>): Promise<T> {
	return await processState().steps.runExclusive(bucket, never, step);
}

/** Settles when the sender of the key is done; undefined when there is none. */
export function leaseOf(name: string): Promise<void> | undefined {
	return processState().leases.get(name);
}

/** Leases a free key. Returns a function that releases it. */
export function leaseKey(name: string): () => void {
	const { leases } = processState();
	let end: () => void = () => undefined;
	leases.set(name, new Promise<void>((resolve) => (end = resolve)));
	return () => {
		leases.delete(name);
		end();
	};
}
