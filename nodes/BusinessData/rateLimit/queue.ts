/**
 * The waiting requests under the same limits. Those under tighter limits have a queue of their own, so they hold up no
 * others. The lowest priority number goes first; among equals, runs take turns.
 */
import type { Obstacle } from './endpointLimiter';
import { holdMsOf, longestWindowMs } from './limits';
import type { Permit, PermitRequest, RequestLimits } from './permit';
import { type WaitCause, WaitTooLongError } from './waitTime';

export class Queue {
	size = 0;
	/** What was full when the first request tried to take its slots, and when (ms, `performance.now()`) it tries again. */
	backoff: { cause?: WaitCause; until: number } = { until: 0 };
	/** What the last admitted request waited for. */
	lastCause: WaitCause | undefined;
	/** By priority, then by run in the order of their turns. */
	private readonly runs = new Map<number, Map<string, Set<Permit>>>();

	constructor(
		readonly key: string,
		readonly limitedBy: RequestLimits,
	) {}

	/** The first request that can wait for the end of the pause. Those before it fail. */
	next(): Permit | undefined {
		for (;;) {
			const runs = this.runs.get(Math.min(...this.runs.keys()));
			const [permits = []] = runs?.values() ?? [];
			const [first] = permits;
			const error = first && this.pauseError(first.leftMs);
			if (first === undefined || error === undefined) return first;
			this.refuse(first, error);
		}
	}

	add(permit: Permit): void {
		const { run, priority } = permit.request;
		const runs = this.runs.get(priority) ?? new Map<string, Set<Permit>>();
		this.runs.set(priority, runs);
		runs.set(run, (runs.get(run) ?? new Set()).add(permit));
		this.size++;
	}

	delete(permit: Permit): void {
		const { run, priority } = permit.request;
		const runs = this.runs.get(priority);
		const ofRun = runs?.get(run);
		if (runs === undefined || ofRun?.delete(permit) !== true) return;
		this.size--;
		runs.delete(run);
		if (ofRun.size > 0) runs.set(run, ofRun);
		if (runs.size === 0) this.runs.delete(priority);
	}

	refuse(permit: Permit, error: Error): void {
		this.delete(permit);
		permit.refuse(error);
	}

	/** How many requests go before a new one, at least: all of higher priority, all of its run, one of each other run. */
	aheadOf({ run, priority }: Pick<PermitRequest, 'run' | 'priority'>): number {
		let ahead = 0;
		for (const [number, runs] of this.runs) {
			if (number > priority) continue;
			for (const [name, { size }] of runs) ahead += number < priority || name === run ? size : 1;
		}
		return ahead;
	}

	get pausedMs(): number {
		return Math.max(...this.limitedBy.map(({ endpoint }) => endpoint.otherClients.pausedMs));
	}

	/** @param checksWindows whether a full window of this process is an obstacle */
	obstacle(checksWindows: boolean): Obstacle | undefined {
		for (const { endpoint, limits } of this.limitedBy) {
			const obstacle = endpoint.obstacle(limits, checksWindows);
			if (obstacle !== undefined) return obstacle;
		}
		const { cause, until } = this.backoff;
		const againMs = until - performance.now();
		return againMs > 0 ? { cause, againMs } : undefined;
	}

	/** The error for a pause that is longer than `leftMs` (ms) or than every window. */
	pauseError(leftMs = Infinity): WaitTooLongError | undefined {
		const { pausedMs } = this;
		const isLong = pausedMs > holdMsOf(longestWindowMs(this.limitedBy));
		const isTooLong = pausedMs > 0 && (isLong || pausedMs > leftMs);
		return isTooLong ? new WaitTooLongError(pausedMs, isLong) : undefined;
	}
}
