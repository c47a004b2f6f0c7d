/** Waiting: for a time, for one's turn, and until it is no longer wanted. */
export {
	abortController,
	type Abortable,
	boundedSignal,
	listen,
	LONGEST_TIMER_MS,
	onAbort,
	onceAborted,
	sleep,
	unlisten,
} from './abort';
export { KeyedMutex } from './keyedMutex';
