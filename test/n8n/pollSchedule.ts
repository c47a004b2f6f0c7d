// A trigger on n8n's own minute schedule, and the times of its polls.
import { setTimeout as sleep } from 'node:timers/promises';

import type { JournalEntry } from '../../sandbox/server';
import type { SavedWorkflow, WorkflowNode } from '../../scripts/host/n8nTypes';
import { waitUntil } from '../support/waitUntil';
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, node } from './workflows';

export const TRIGGER = 'Changes';

/** Polls only on activation: n8n adds a random minute to its other schedules. */
export const NEW_YEAR = { mode: 'custom', cronExpression: '0 0 1 1 *' };
/** Polls at this second and 30 s later. n8n allows each schedule of a trigger one poll a minute. */
export const twiceAMinute = (second: number) => ({
	item: [second, second + 30].map((at) => ({ mode: 'custom', cronExpression: `${at} * * * * *` })),
});
const SECONDS_FOR_A_POLL = 600;
/** A poll counts as over once no request has come for this long. */
const SECONDS_BEHIND_A_POLL = 3;
const PAGE_SIZE = 5;

/** An event as the trigger emits it. */
export interface Emitted extends Record<string, string | object> {
	event: string;
}

/** A trigger that polls every minute, page by page. */
export function scheduledTrigger(name: string, parameters: Record<string, unknown>): WorkflowNode {
	const pagination = { values: { type: 'offset', pageSize: PAGE_SIZE } };
	return node(name, 'n8n-nodes-business-data.businessDataTrigger', 1, {
		pollTimes: { item: [{ mode: 'everyMinute' }] },
		idField: 'id',
		options: { pagination },
		...parameters,
	});
}

/** Publishes a workflow with a scheduled trigger. */
export async function publishScheduled(
	real: RealN8n,
	name: string,
	parameters: Record<string, unknown>,
): Promise<SavedWorkflow> {
	return await real.publish(
		inARow(name, [scheduledTrigger(TRIGGER, parameters), node('Done', 'n8n-nodes-base.noOp', 1)]),
	);
}

/** The polls of an endpoint: groups of requests that reached the sandbox shortly after each other. */
export class Polls {
	private readonly pauseMs: number;

	/** @param pageDelayMs how long a response may take */
	constructor(
		private readonly real: RealN8n,
		private readonly endpoint: string,
		pageDelayMs = 0,
	) {
		this.pauseMs = pageDelayMs + SECONDS_BEHIND_A_POLL * 1000;
	}

	/** How many polls have begun. */
	get begun(): number {
		const times = this.requests.map(({ atMs }) => atMs);
		return times.filter((atMs, index) => atMs - (times[index - 1] ?? -Infinity) > this.pauseMs)
			.length;
	}

	/** Waits until `count` polls have begun. */
	async whenBegun(count: number): Promise<void> {
		await waitUntil(() => this.begun >= count, SECONDS_FOR_A_POLL * 1000);
	}

	/** Waits until `count` polls have begun, and the last one has ended. */
	async whenEnded(count: number): Promise<void> {
		await this.whenBegun(count);
		await this.whenQuiet();
	}

	/** Waits until the next poll has begun and ended. */
	async whenNextEnded(): Promise<void> {
		await this.whenEnded(this.begun + 1);
	}

	/** Starts n8n again and waits for the end of its first poll. */
	async whenStartedAgain(): Promise<void> {
		const before = this.begun;
		await this.real.startAgain();
		await this.whenEnded(before + 1);
	}

	/** Waits until no further request has come for a while. Returns how many polls have begun. */
	async whenQuiet(): Promise<number> {
		for (let before = -1; before !== this.requests.length;) {
			before = this.requests.length;
			await sleep(this.pauseMs);
		}
		return this.begun;
	}

	private get requests(): JournalEntry[] {
		return this.real.sandbox.journal.all().filter(({ endpoint }) => endpoint === this.endpoint);
	}
}

/** Everything that the trigger has emitted, by execution, oldest first. */
export async function emittedBy(
	real: RealN8n,
	workflowId: string,
	trigger = TRIGGER,
): Promise<Emitted[][]> {
	const executions = await real.client.listExecutions(workflowId);
	const oldestFirst = [...executions].sort((a, b) => Number(a.id) - Number(b.id));
	const results: Emitted[][] = [];
	for (const { id } of oldestFirst) {
		const result = await real.client.waitForExecution(id);
		results.push(itemsOf(result, trigger) as Emitted[]);
	}
	return results;
}
