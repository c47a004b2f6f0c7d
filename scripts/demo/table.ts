// Prints the result of a run as a table for people.
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../host/executionData';

function formatTable(header: string[], rows: string[][]): string[] {
	const widths = header.map((title, column) =>
		Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	// The first column is a name; numbers are read more easily from the right.
	const format = (cells: string[]): string =>
		cells
			.map((cell, column) => {
				const width = widths[column] ?? 0;
				return column < 2 ? cell.padEnd(width) : cell.padStart(width);
			})
			.join('  ');
	return [format(header), format(widths.map((width) => '-'.repeat(width))), ...rows.map(format)];
}

function count(amount: number, noun: string): string {
	return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** The lines that tell what each node did and what the sandbox counted. */
export function formatResult(execution: ExecutionResult, sandbox: Sandbox): string[] {
	const rows = execution.nodes.map(({ name, status, items, milliseconds }) => [
		name,
		status,
		String(items.length),
		String(milliseconds),
	]);
	const { requests, refused, documents } = sandbox.journal.summary();
	return [
		...formatTable(['node', 'status', 'items out', 'ms'], rows),
		'',
		`Execution ${execution.id}: ${execution.status}`,
		`Sandbox: ${count(requests, 'request')}, ${refused} refused, ${count(documents, 'document')} sent`,
	];
}
