/** Shared by all executions of this process, also those of another version of the package. */
import { KeyedMutex } from '../async';
import type { SentState } from '../transport/serviceRequest';
import { processWide } from '../values/processWide';

/** By the names of keys. */
interface ProcessState {
	/** Resolve when the sender is done. */
	leases: Map<string, Promise<void>>;
	/** One at a time records the outcome of a request. */
	ends: Pick<KeyedMutex, 'runExclusive'>;
	/** The outcomes whose write has failed, by token. */
	watched: Map<string, Map<string, SentState>>;
}

export const processState = processWide('sendOnce/6', (): ProcessState => {
	return { leases: new Map(), ends: new KeyedMutex(), watched: new Map() };
});
