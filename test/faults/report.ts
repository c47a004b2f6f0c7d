/** What a run of the fault test found; sent by the process that ran it. */
import type { Result } from './faultKinds';

/** What is left in the process when nothing is under way. */
export interface Remains {
	heapBytes: number;
	/** Node's own list of what keeps a process alive, with counts. */
	resources: Record<string, number>;
	/** Timers of the node. */
	timers: number;
	/** Listeners of the node on abort signals. */
	listeners: number;
	/** Keys whose limiter is still there. */
	limiters: number;
}

export interface Report {
	seed: number;
	executions: number;
	/** Requests that the service has counted. */
	requests: number;
	results: Partial<Record<Result, number>>;
	/** How often each fault was met. */
	faults: Record<string, number>;
	/** Executions that were stopped in their midst. */
	canceled: number;
	seconds: number;
	contradictions: string[];
	actedTwice: string[];
	/** Requests beyond a limit. */
	refused: number;
	/** Requests that came although their execution had been stopped. */
	afterCancel: string[];
	/** Windows of any key that are not free at the end. */
	windowsInUse: string[];
	/** Executions that left listeners on their run's signal, although nothing was under way. */
	leftoverListeners: string[];
	/** Warnings, and rejections that nobody handled. */
	complaints: string[];
	before: Remains;
	after: Remains;
}
