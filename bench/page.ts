// Makes the page about the benchmark from its results. Everything on it is computed.
import { describeConditions, describeContenders, PART_TEXTS } from './explanations';
import { markdownTable } from './format';
import { checkGoals } from './goals';
import type { BenchmarkResults, ContenderResult } from './results';
import { bulkTable, tableOf } from './tables';
import { type PartId, PARTS, WORK_ITEMS, type WorkItem } from './workItems';

/** A plot that stands beside the page, with a text for who cannot see it. */
export interface PagePlot {
	file: string;
	/** The part of the page that it belongs to. */
	part: PartId;
	caption: string;
}

interface Measured {
	item: WorkItem;
	results: ContenderResult[];
}

/** The table of the goals: what was measured, and whether they are met. */
export function goalsTable(results: BenchmarkResults): string {
	const goals = checkGoals(results);
	return markdownTable(
		['Goal', 'Measured', 'Met'],
		goals.map(({ goal, measured, isMet }) => [goal, measured, isMet ? 'yes' : '**missed**']),
		false,
	);
}

function tablesOf(measured: Measured[]): string[] {
	const bulk = measured.filter(({ item }) => item.work === 'delete');
	const others = measured.filter(({ item }) => item.work !== 'delete');
	return [
		...others.flatMap(({ item, results }) => [`### ${item.title}`, tableOf(item, results)]),
		...(bulk.length === 0
			? []
			: [
					bulkTable(
						bulk.flatMap(({ item, results }) => results.map((result) => ({ item, result }))),
					),
				]),
	];
}

function partOf(part: PartId, measured: Measured[], plots: PagePlot[]): string[] {
	const ofPart = measured.filter(({ item }) => item.part === part);
	if (ofPart.length === 0) return [];
	const images = plots
		.filter((plot) => plot.part === part)
		.map(({ file, caption }) => `![${caption}](${file})`);
	return [`## ${PARTS[part]}`, PART_TEXTS[part], ...images, ...tablesOf(ofPart)];
}

/** The page in Markdown. */
export function pageOf(results: BenchmarkResults, plots: PagePlot[] = []): string {
	const { versions, cpuCount, minutes } = results;
	const measured = WORK_ITEMS.flatMap((item): Measured[] => {
		const found = results.items.find((result) => result.item === item.id);
		return found === undefined ? [] : [{ item, results: found.contenders }];
	});
	const parts = Object.keys(PARTS) as PartId[];
	return [
		'# Benchmark',
		'<!-- Written by `npm run bench`. Do not edit. -->',
		'What does the node gain over what else a user of n8n can do about the limits? This page is made by a program from what it has measured in one run on one machine:',
		'```sh\nnpm run bench\n```',
		`n8n ${versions.n8n} on Node.js ${versions.nodeOfN8n}, this package at ${versions.package}, the services on Node.js ${versions.node}, ${cpuCount} CPUs, ${Math.round(minutes)} minutes.`,
		'## Goals',
		goalsTable(results),
		'## What is compared',
		describeContenders(),
		'## How it is measured',
		describeConditions(),
		...parts.flatMap((part) => partOf(part, measured, plots)),
		'',
	].join('\n\n');
}
