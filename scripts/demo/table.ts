// Formats the result of a run as a table.
import Table from 'cli-table3';
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../host/executionData';

function count(amount: number, noun: string): string {
	return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** Lines with the result of each node and the counts of the sandbox. */
export function formatResult(execution: ExecutionResult, sandbox: Sandbox): string[] {
	const table = new Table({
		head: ['node', 'status', 'items out', 'ms'],
		colAligns: ['left', 'left', 'right', 'right'],
		// CI logs show no colours.
		style: { head: [], border: [], compact: true },
	});
	for (const { name, status, items, milliseconds } of execution.nodes) {
		table.push([name, status, items.length, milliseconds]);
	}
	const { requests, refused, documents } = sandbox.journal.summary();
	return [
		table.toString(),
		'',
		`Execution ${execution.id}: ${execution.status}`,
		`Sandbox: ${count(requests, 'request')}, ${refused} refused, ${count(documents, 'document')} sent`,
	];
}
