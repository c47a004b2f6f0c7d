/** The reported outcome of each item of an execution. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { ShownError, ToolResponse } from '../n8n/execution';
import type { Played } from '../scenario/player';

const OUTCOMES = ['notSent', 'refused', 'unknown'] as const;

type PlainReport = 'skipped' | 'sent' | 'notTried' | (typeof OUTCOMES)[number];

export type ItemReport = { is: 'done'; outputs: INodeExecutionData[] } | { is: PlainReport };

/** What the item lists in an error say about their items. */
const LISTS: Record<'send' | 'delete', Record<string, PlainReport>> = {
	send: {
		sentItems: 'sent',
		skippedItems: 'skipped',
		perhapsSentItems: 'unknown',
		failedItems: 'notSent',
		notTriedItems: 'notTried',
	},
	delete: { failedItems: 'notSent', perhapsDeletedItems: 'unknown' },
};

export interface Reported {
	/** By item; undefined if nothing is reported. */
	items: Array<ItemReport | undefined>;
	problems: string[];
}

/** A `call` may have no output, for an empty list. */
export type Kind = 'read' | 'send' | 'call' | 'delete' | 'wait';

/** The reported outcomes. A stopped execution reports none. */
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
		if (failed !== undefined && own.length > 1) {
			problems.push(`item ${index} has an error and another output`);
		}
		if (own.length > 0 || kind === 'read') items[index] = reportOfOutputs(own, problems);
		else if (kind !== 'call') problems.push(`item ${index} has no output`);
	}
}

function readResponse({ items, problems }: Reported, index: number, response: ToolResponse): void {
	if ('error' in response) items[index] = reportOf(response.error, problems);
	else if (Array.isArray(response.response)) {
		items[index] = reportOfOutputs(response.response as INodeExecutionData[], problems);
	}
}

function reportOfOutputs(outputs: INodeExecutionData[], problems: string[]): ItemReport {
	const error = outputs.find((output) => output.error !== undefined)?.error;
	if (error !== undefined) return reportOf(error, problems);
	const isSkipped = outputs.some(({ json }) => json.skipped === true);
	return isSkipped ? { is: 'skipped' } : { is: 'done', outputs };
}

/** The outcome in an error. A clear error also says what happened and how to fix it. */
function reportOf(error: ShownError, problems: string[]): ItemReport {
	const { message, description, context } = error;
	const outcome = OUTCOMES.find((one) => one === context?.outcome);
	// A previous attempt of the node may have sent the item.
	if (isOfN8n(message)) return { is: outcome ?? 'notSent' };
	if (typeof description !== 'string' || description === '') problems.push(`no way on: ${message}`);
	if (/undefined|\[object/.test(`${message} ${description}`)) problems.push(`unclear: ${message}`);
	if (outcome === undefined) problems.push(`no outcome: ${message}`);
	return { is: outcome ?? 'notSent' };
}

/** Whether it is an error of n8n from before the node began. */
function isOfN8n(message: string): boolean {
	return message.includes('the database is away');
}

function readError(reported: Reported, error: ShownError, kind: Kind): void {
	const { items, problems } = reported;
	const report = reportOf(error, problems);
	const { context = {}, message } = error;
	const { itemIndex, sentItems } = context;
	if (kind === 'read' || kind === 'wait') return;
	// An error from before the first item has no lists.
	if (kind !== 'delete' && (typeof itemIndex !== 'number' || sentItems === undefined)) return;
	const indexes: number[] = [];
	for (const [name, is] of Object.entries(LISTS[kind === 'delete' ? kind : 'send'])) {
		for (const index of (context[name] ?? []) as number[]) {
			items[index] = { is };
			indexes.push(index);
		}
	}
	if (kind === 'delete') return;
	indexes.sort((a, b) => a - b);
	if (indexes.join() !== [...items.keys()].join()) {
		problems.push(`the error lists the items ${indexes.join()}: ${message}`);
	}
	items[itemIndex as number] = report;
}
