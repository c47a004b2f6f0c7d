/** Waits: for a time, for a turn in a queue, until a signal aborts. */
export {
	abortController,
	boundedSignal,
	LONGEST_TIMER_MS,
	never,
	onAbort,
	onceAborted,
	sleep,
} from './abort';
export { KeyedMutex } from './keyedMutex';
