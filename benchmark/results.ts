// The results of the benchmark, as input of the page and as saved in files.
import type { ContenderId } from './workItems';

/** A single request that arrived while a batch was running. Times in ms. */
export interface SingleRequest {
	/** Its arrival, since the batch's first request. */
	atMs: number;
	/** Until the service let it through; undefined if it never did. */
	waitMs?: number;
	/** Until every window had a free slot, given the requests counted when it arrived. */
	slotMs: number;
}

/** The result of one contender. Times in ms. */
export interface ContenderResult {
	contender: ContenderId;
	/** All items of the workflows, and those without an error. */
	items: number;
	itemsThrough: number;
	/** Requests that reached the service, and those that it refused with 429. */
	requests: number;
	refused: number;
	/** From the arrival of the first request to the last response, both at the service. */
	makespanMs: number;
	/** The same, if each request had been sent as early as the limits allow. */
	bestMs: number;
	/** From the call of the (last) workflow to its end. */
	workflowMs: number;
	/** When requests were let through and refused, since the first one. */
	letThroughAt: number[];
	refusedAt: number[];
	/** The error messages of failed items, without duplicates. */
	errors: string[];
	/**
	 * Documents sent in the first run, and after the second run the number of repeated sends and of documents never
	 * sent.
	 */
	documents?: { sent: number; sentTwice: number; missing: number };
	singles?: SingleRequest[];
	/** In queue mode: how many executions each worker has begun. */
	executionsPerWorker?: number[];
	otherClient?: { requests: number; refused: number };
}

/** The results of one work item, by contender. */
export interface ItemResult {
	/** The ID of the work item. */
	item: string;
	contenders: ContenderResult[];
}

/** The whole input of the page. */
export interface BenchmarkResults {
	/** `node` is the version that ran the benchmark and the services. */
	versions: { package: string; n8n: string; nodeOfN8n: string; node: string };
	cpuCount: number;
	/** The duration of the benchmark. */
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
