// What the benchmark measures: the form in which the page gets it, and in which it can be kept.
import type { ContenderId } from './contenders';

/** A single request that came while a batch was running; times in ms. */
export interface SingleRequest {
	/** When it came, after the batch's first request. */
	atMs: number;
	/** Until the service let it through; undefined when it never did. */
	waitMs?: number;
	/** Until one slot came free in every window, by what the service had counted when it came. */
	slotMs: number;
}

/** What came of the work of one contender; times in ms. */
export interface ContenderResult {
	contender: ContenderId;
	/** Items that the workflows had to do, and those that came out of them without an error. */
	items: number;
	itemsThrough: number;
	/** Requests that reached the service, and how many of them it refused with 429. */
	requests: number;
	refused: number;
	/** From the first request in to the last response out, both at the service. */
	makespanMs: number;
	/** From the first request in to the last response out, had each gone out as early as the limits allow. */
	bestMs: number;
	/** From the call of the (last) workflow to its end. */
	workflowMs: number;
	/** When requests were let through and refused, after the first one. */
	letThroughAt: number[];
	refusedAt: number[];
	/** What the items that did not come through say, each text once. */
	errors: string[];
	/**
	 * Documents that went out in the first run; and after the second run, how often one went out that had
	 * gone out before, and how many never did.
	 */
	documents?: { sent: number; sentTwice: number; missing: number };
	singles?: SingleRequest[];
	/** In queue mode: how many executions each worker has begun. */
	executionsPerWorker?: number[];
	otherClient?: { requests: number; refused: number };
}

/** What came of one work item, by contender. */
export interface ItemResult {
	/** The id of the work item. */
	item: string;
	contenders: ContenderResult[];
}

/** Everything that the page is made of. */
export interface BenchmarkResults {
	/** Node is the one that ran the benchmark and the services. */
	versions: { package: string; n8n: string; nodeOfN8n: string; node: string };
	cpuCount: number;
	/** How long all of it took. */
	minutes: number;
	items: ItemResult[];
}

/** The result of a contender in a work item, if there is one. */
export function findResult(
	results: BenchmarkResults,
	item: string,
	contender: ContenderId,
): ContenderResult | undefined {
	return results.items
		.find((result) => result.item === item)
		?.contenders.find((result) => result.contender === contender);
}
