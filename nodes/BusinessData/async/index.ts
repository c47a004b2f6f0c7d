/** Waits: for a time, for a turn in a queue, until a signal aborts. */
export {
	abortController,
	type Abortable,
	boundedSignal,
	listen,
	LONGEST_TIMER_MS,
	never,
	onAbort,
	onceAborted,
	sleep,
	unlisten,
} from './abort';
export { KeyedMutex } from './keyedMutex';
