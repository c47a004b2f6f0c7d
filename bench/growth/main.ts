/**
 * Measures how the limiter and the node scale, and writes the figures between the markers in docs/scale.md: all of
 * them, or the named ones, as in `npm run growth -- redis cluster`. Each measurement runs in its own process. Takes
 * a few minutes, and needs `redis-server`.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ensureHost } from '../../scripts/host/installN8n';
import type { Load } from './limiterLoad';
import type { Measurements } from './measure';
import {
	clusterTable,
	memoryTable,
	nodeTable,
	type PollRow,
	pollTable,
	processorTable,
	type ProcessorRow,
	processTable,
	redisTable,
	sendOnceTable,
} from './tables';

const PAGE = join(__dirname, '../../docs/scale.md');
const LONGEST_MEASUREMENT_MS = 300_000;
const QUEUES = [1, 100, 10_000];
const RECORDS = [1_000, 10_000, 100_000];
const CHANGES = [0, 10, 1_000];

const LOADS: Array<[name: string, load: Omit<Load, 'queued'>]> = [
	['one run', { manyRuns: false, limitsBind: false, hasMaxWait: false }],
	[
		'one run, each request waits for a slot',
		{ manyRuns: false, limitsBind: true, hasMaxWait: false },
	],
	['a run per request', { manyRuns: true, limitsBind: false, hasMaxWait: false }],
	[
		'a run per request, each waits for a slot, with Max Wait',
		{ manyRuns: true, limitsBind: true, hasMaxWait: true },
	],
];

async function measure<Name extends keyof Measurements>(
	name: Name,
	...parameters: Parameters<Measurements[Name]>
): Promise<Awaited<ReturnType<Measurements[Name]>>> {
	console.log(name, ...parameters);
	const script = [join(__dirname, 'measure.ts'), name, JSON.stringify(parameters[0] ?? null)];
	// n8n's SQLite binding is compiled for the Node.js of that n8n.
	const node =
		name === 'sendOnce' ? (await ensureHost({ version: 'n8n-2' })).nodePath : process.execPath;
	const { stdout } = await promisify(execFile)(node, ['--import', 'tsx', ...script], {
		timeout: LONGEST_MEASUREMENT_MS,
	});
	return JSON.parse(stdout) as Awaited<ReturnType<Measurements[Name]>>;
}

async function measureProcessorTime(): Promise<string> {
	const rows: ProcessorRow[] = [];
	for (const [name, load] of LOADS) {
		const times: number[] = [];
		for (const queued of QUEUES) times.push(await measure('processorTime', { ...load, queued }));
		rows.push({ name, times });
	}
	return processorTable(QUEUES, rows);
}

async function measureNode(): Promise<string> {
	const operations = ['contact: getMany', 'transaction: send', 'transaction: deleteMany'];
	const loads: Parameters<typeof nodeTable>[0] = [];
	for (const operation of operations) loads.push([operation, await measure('node', operation)]);
	return nodeTable(loads);
}

async function measurePolls(): Promise<string> {
	const rows: PollRow[] = [];
	for (const records of RECORDS) {
		for (const isIncremental of [false, true]) {
			const loads = await measure('polls', { records, changes: CHANGES, isIncremental });
			rows.push({ records, isIncremental, loads });
		}
	}
	return pollTable(CHANGES, rows);
}

const machine = `Measured with Node ${process.version} on ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'} by \`npm run growth\`.`;

/** By the name in the marker on the page. */
const FIGURES: Record<string, () => string | Promise<string>> = {
	machine: () => machine,
	processor: measureProcessorTime,
	memory: async () =>
		memoryTable(
			await measure('queue', false),
			await measure('queue', true),
			await measure('idleKeys'),
		),
	node: measureNode,
	polls: measurePolls,
	process: async () => processTable(await measure('nodeOverHttp', 'transaction: send')),
	sendOnce: async () => sendOnceTable(await measure('sendOnce')),
	redis: async () => redisTable(await measure('redis', false)),
	cluster: async () => clusterTable(await measure('redis', true)),
};

/** Inserts each text between its markers. @throws if the page lacks a marker */
function fill(page: string, texts: Record<string, string>): string {
	return Object.entries(texts).reduce((filled, [name, text]) => {
		const begin = `<!-- figures: ${name} -->`;
		const from = filled.indexOf(begin);
		const to = filled.indexOf('<!-- end -->', from);
		if (from === -1 || to === -1) throw new Error(`docs/scale.md has no place for "${name}"`);
		return `${filled.slice(0, from)}${begin}\n\n${text}\n\n${filled.slice(to)}`;
	}, page);
}

async function main(): Promise<void> {
	const named = process.argv.slice(2);
	const names = Object.keys(FIGURES).filter((name) => named.length === 0 || named.includes(name));
	const texts: Record<string, string> = {};
	for (const name of names) texts[name] = (await FIGURES[name]?.()) ?? '';
	writeFileSync(PAGE, fill(readFileSync(PAGE, 'utf8'), texts));
	await promisify(execFile)('npx', ['prettier', '--write', PAGE]);
	console.log(Object.values(texts).join('\n\n'));
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
