/** State that all executions of this process share, even if another version of the package runs them. */
import { KeyedMutex } from '../async';
import type { SentState } from '../transport/serviceRequest';
import { processWide } from '../values/processWide';

/** All by the name of the key. */
interface ProcessState {
	/** Each resolves when the sender is done. */
	leases: Map<string, Promise<void>>;
	/** Outcomes of requests are recorded one at a time. */
	outcomeMutex: Pick<KeyedMutex, 'runExclusive'>;
	/** By token, the outcomes that could not be written. */
	watched: Map<string, Map<string, SentState>>;
}

export const processState = processWide('sendOnce/7', (): ProcessState => {
	return { leases: new Map(), outcomeMutex: new KeyedMutex(), watched: new Map() };
});
