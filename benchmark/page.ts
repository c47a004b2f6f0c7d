// Renders the page about the benchmark from its results. Everything on it is computed.
import { describeConditions, describeContenders, PART_TEXTS } from './explanations';
import { markdownTable } from './format';
import { BESIDE_OTHERS, checkGoals } from './goals';
import type { BenchmarkResults } from './results';
import { bulkTable, type Measured, tableOf } from './tables';
import { type PartId, PARTS, WORK_ITEMS } from './workItems';

/** A plot in a file next to the page, with an alternative text. */
export interface PagePlot {
	file: string;
	part: PartId;
	caption: string;
}

/** The measured work items, in the order of the page. */
export function measuredIn({ items }: BenchmarkResults): Measured[] {
	return WORK_ITEMS.flatMap((item): Measured[] => {
		const found = items.find((result) => result.item === item.id);
		return found === undefined ? [] : [{ item, results: found.contenders }];
	});
}

/** The table of the goals, with the measurements and whether they are met. */
export function goalsTable(results: BenchmarkResults): string {
	const goals = checkGoals(results);
	return markdownTable(
		['Goal', 'Measured', 'Met'],
		goals.map(({ goal, measured, isMet }) => [goal, measured, isMet ? 'yes' : '**missed**']),
		false,
	);
}

/** The single requests have no table, because the plot shows everything. */
function tablesOf(part: PartId, measured: Measured[]): string[] {
	if (part === 'singles') return [];
	return [part === 'bulk' ? bulkTable(measured) : tableOf(measured)];
}

function partOf(part: PartId, measured: Measured[], plots: PagePlot[]): string[] {
	const ofPart = measured.filter(({ item }) => item.part === part && !item.isFiguresOnly);
	if (ofPart.length === 0) return [];
	const images = plots
		.filter((plot) => plot.part === part)
		.map(({ file, caption }) => `![${caption}](${file})`);
	return [`## ${PARTS[part]}`, PART_TEXTS[part], ...images, ...tablesOf(part, ofPart)];
}

/** The page in Markdown. */
export function pageOf(results: BenchmarkResults, plots: PagePlot[] = []): string {
	const { versions, cpuCount, minutes } = results;
	const measured = measuredIn(results);
	const parts = Object.keys(PARTS) as PartId[];
	return [
		'# Benchmark',
		'<!-- Written by `npm run bench`. Do not edit. -->',
		'How the node compares with other ways to deal with the limits in n8n. `npm run bench` writes this page, and all figures as [CSV](benchmark.csv), from one run on one machine:',
		`n8n ${versions.n8n} on Node.js ${versions.nodeOfN8n}, this package at ${versions.package}, the services on Node.js ${versions.node}, ${cpuCount} CPUs, ${Math.round(minutes)} minutes.`,
		'## Goals',
		goalsTable(results),
		BESIDE_OTHERS,
		'## What is compared',
		describeContenders(),
		'## How it is measured',
		describeConditions(),
		...parts.flatMap((part) => partOf(part, measured, plots)),
		'',
	].join('\n\n');
}
