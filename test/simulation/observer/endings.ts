/** What users are told became of each item, by execution. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { ShownError, ToolResponse } from '../n8n/execution';
import type { Played } from '../scenario/played';

const OUTCOMES = ['notSent', 'refused', 'unknown'] as const;

/** What somebody was told of one item. */
export type ItemReport =
	| { is: 'done'; outputs: INodeExecutionData[] }
	| { is: 'skipped' }
	| { is: 'sent' }
	| { is: 'notTried' }
	| { is: (typeof OUTCOMES)[number]; message: string };

export interface Reported {
	/** By item; undefined where nobody tells. */
	items: Array<ItemReport | undefined>;
	/** What is wrong with the telling. */
	problems: string[];
}

/** What `call` gets of a list may be nothing. */
export type Kind = 'read' | 'send' | 'call' | 'delete' | 'wait';

/** What becomes of the items, as far as it is told; a stopped execution tells nothing. */
export function reportedBy({ planned, execution }: Played, kind: Kind): Reported {
	const reported: Reported = { items: planned.items.map(() => undefined), problems: [] };
	const { ending } = execution;
	switch (ending?.status) {
		case 'success':
			readOutputs(reported, ending.items, kind);
			break;
		case 'error':
			readError(reported, ending.error, kind);
			break;
		case 'tool':
			for (const [index, response] of ending.responses.entries())
				readResponse(reported, index, response);
			break;
		default:
	}
	return reported;
}

function readOutputs(reported: Reported, outputs: INodeExecutionData[], kind: Kind): void {
	const { items, problems } = reported;
	const byItem = items.map((): INodeExecutionData[] => []);
	for (const output of outputs) {
		const paired = [output.pairedItem ?? []].flat();
		if (paired.length === 0) problems.push('an output has no paired item');
		for (const one of paired) {
			const index = typeof one === 'number' ? one : one.item;
			if (byItem[index] === undefined) problems.push(`an output is paired with item ${index}`);
			byItem[index]?.push(output);
		}
	}
	for (const [index, own] of byItem.entries()) {
		const failed = own.find(({ error }) => error !== undefined);
		if (failed?.error !== undefined) {
			if (own.length > 1) problems.push(`item ${index} has an error and another output`);
			items[index] = reportOf(failed.error, problems);
		} else if (own.length > 0 || kind === 'read') {
			const isSkipped = own.some(({ json }) => json.skipped === true);
			items[index] = isSkipped ? { is: 'skipped' } : { is: 'done', outputs: own };
		} else if (kind !== 'call') problems.push(`item ${index} has no output`);
	}
}

function readResponse(reported: Reported, index: number, response: ToolResponse): void {
	if ('error' in response) {
		reported.items[index] = reportOf(response.error, reported.problems);
	} else if (Array.isArray(response.response)) {
		const outputs = response.response as INodeExecutionData[];
		const failed = outputs.find(({ error }) => error !== undefined);
		if (failed?.error !== undefined) {
			reported.items[index] = reportOf(failed.error, reported.problems);
			return;
		}
		const isSkipped = outputs.some(({ json }) => json.skipped === true);
		reported.items[index] = isSkipped ? { is: 'skipped' } : { is: 'done', outputs };
	}
}

/** What a clear error reports: what happened, how to go on, and which of the outcomes it was. */
function reportOf(error: ShownError, problems: string[]): ItemReport {
	const { message, description, context } = error;
	const outcome = OUTCOMES.find((one) => one === context?.outcome);
	if (isOfN8n(message)) return { is: 'notSent', message };
	if (typeof description !== 'string' || description === '') problems.push(`no way on: ${message}`);
	if (/undefined|\[object/.test(`${message} ${description}`)) problems.push(`unclear: ${message}`);
	if (outcome === undefined) problems.push(`no outcome: ${message}`);
	return { is: outcome ?? 'notSent', message };
}

/** An error of n8n before anything of ours began. */
function isOfN8n(message: string): boolean {
	return message.includes('the database is away');
}

function readError(reported: Reported, error: ShownError, kind: Kind): void {
	const { items, problems } = reported;
	const report = reportOf(error, problems);
	const { context = {} } = error;
	const list = (name: string) => (context[name] ?? []) as number[];
	if (kind === 'read' || kind === 'wait') return;
	if (kind === 'delete') {
		const { message } = error;
		for (const index of list('failedItems')) items[index] = { is: 'notSent', message };
		for (const index of list('perhapsDeletedItems')) items[index] = { is: 'unknown', message };
		return;
	}
	const { itemIndex } = context;
	// What no item could begin with.
	if (typeof itemIndex !== 'number' || context.sentItems === undefined) return;
	const sent = list('sentItems');
	const skipped = list('skippedItems');
	const perhapsSent = list('perhapsSentItems');
	const notSent = list('failedItems');
	const notTried = list('notTriedItems');
	const indexes = [...sent, ...skipped, ...perhapsSent, ...notSent, ...notTried].sort(
		(a, b) => a - b,
	);
	if (indexes.join() !== [...items.keys()].join()) {
		problems.push(`the error tells of the items ${indexes.join()}: ${error.message}`);
	}
	for (const index of sent) items[index] = { is: 'sent' };
	for (const index of skipped) items[index] = { is: 'skipped' };
	for (const index of perhapsSent) items[index] = { is: 'unknown', message: error.message };
	for (const index of notSent) items[index] = { is: 'notSent', message: error.message };
	for (const index of notTried) items[index] = { is: 'notTried' };
	items[itemIndex] = report;
}
