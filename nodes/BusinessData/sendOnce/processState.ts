/** What all executions of this process share, also those of another version of the package: maps, promises, a mutex. */
import { KeyedMutex } from '../async';
import { processWide } from '../values/processWide';

/** `perhapsSent` from right before a request leaves until its end is known. */
export type SentState = 'notSent' | 'perhapsSent' | 'sent';

/** All by the name of a key. */
interface ProcessState {
	/** Settle when its sender is done. */
	leases: Map<string, Promise<void>>;
	/** Lets one at a time record what became of a request. */
	ends: Pick<KeyedMutex, 'runExclusive'>;
	/** What became of requests, by their tokens, of which a write has failed. */
	watched: Map<string, Map<string, SentState>>;
}

export const processState = processWide('sendOnce/6', (): ProcessState => {
	return { leases: new Map(), ends: new KeyedMutex(), watched: new Map() };
});
