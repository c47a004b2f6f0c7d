// A trigger on n8n's own minute schedule, and when its polls have been.
import { setTimeout as sleep } from 'node:timers/promises';

import type { JournalEntry } from '../../sandbox/server';
import type { SavedWorkflow } from '../../scripts/host/n8nTypes';
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, node } from './workflows';

export const TRIGGER = 'Changes';

const SECONDS_FOR_A_POLL = 100;
/** Longer than any answer takes in these tests. */
const SECONDS_BEHIND_A_POLL = 3;
const PAGE_SIZE = 5;

/** An event as the trigger emits it. */
export interface Emitted extends Record<string, string | object> {
	event: string;
}

/** Saves a workflow with a trigger that polls every minute, page by page. */
export async function saveScheduled(
	real: RealN8n,
	name: string,
	parameters: Record<string, unknown>,
): Promise<SavedWorkflow> {
	const pagination = { values: { type: 'offset', pageSize: PAGE_SIZE } };
	return await real.save(
		inARow(name, [
			node(TRIGGER, 'n8n-nodes-business-data.businessDataTrigger', 1, {
				pollTimes: { item: [{ mode: 'everyMinute' }] },
				idField: 'id',
				options: { pagination },
				...parameters,
			}),
			node('Done', 'n8n-nodes-base.noOp', 1),
		]),
	);
}

/** The polls of an endpoint, as the sandbox has seen them. */
export class Polls {
	constructor(
		private readonly real: RealN8n,
		private readonly endpoint: string,
	) {}

	/** How many have begun. When a list is read once more at once, that belongs to the same poll. */
	get begun(): number {
		const isFirst = (index: number): boolean => {
			const { query, atMs } = this.requests[index] as JournalEntry;
			const before = this.requests[index - 1]?.atMs ?? -Infinity;
			return query.offset === '0' && atMs - before > SECONDS_BEHIND_A_POLL * 1000;
		};
		return this.requests.filter((_, index) => isFirst(index)).length;
	}

	/** Waits until so many have begun. */
	async whenBegun(count: number): Promise<void> {
		await this.until(() => this.begun >= count, `poll ${count} has begun`);
	}

	/** Waits until so many have begun, and the last one is over: no further request has come for a while. */
	async whenEnded(count: number): Promise<void> {
		await this.whenBegun(count);
		for (let before = -1; before !== this.requests.length;) {
			before = this.requests.length;
			await sleep(SECONDS_BEHIND_A_POLL * 1000);
		}
	}

	private get requests(): JournalEntry[] {
		return this.real.sandbox.journal.all().filter(({ endpoint }) => endpoint === this.endpoint);
	}

	private async until(isTrue: () => boolean, what: string): Promise<void> {
		const deadline = performance.now() + SECONDS_FOR_A_POLL * 1000;
		while (!isTrue()) {
			if (performance.now() > deadline)
				throw new Error(`Not after ${SECONDS_FOR_A_POLL} s: ${what}`);
			await sleep(50);
		}
	}
}

/** Everything that the trigger has emitted, execution by execution, oldest first. */
export async function emittedBy(real: RealN8n, workflowId: string): Promise<Emitted[][]> {
	const executions = await real.client.listExecutions(workflowId);
	const oldestFirst = [...executions].sort((a, b) => Number(a.id) - Number(b.id));
	const results: Emitted[][] = [];
	for (const { id } of oldestFirst) {
		const result = await real.client.waitForExecution(id, 60);
		results.push(itemsOf(result, TRIGGER) as Emitted[]);
	}
	return results;
}
