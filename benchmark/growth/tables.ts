/** The figures of docs/scale.md, by the names in its markers: each is measured, and shown in a table. */
import { availableParallelism, cpus } from 'node:os';

import { markdownTable } from '../format';
import { DOCUMENTED_LIMITS } from './built';
import type { IdleKeys, QueueMemory } from './limiterLoad';
import type { Measurements } from './measure';
import type { PollLoad } from './pollLoad';
import type { RedisLoad } from './redisLoad';

/** Makes a measurement in a process of its own. */
export type Measure = <Name extends keyof Measurements>(
	name: Name,
	...parameters: Parameters<Measurements[Name]>
) => Promise<Awaited<ReturnType<Measurements[Name]>>>;

const QUEUES = [1, 100, 10_000];
const RECORDS = [1_000, 10_000, 100_000];
const CHANGES = [0, 10, 1_000];

const LOADS = {
	'one run': { manyRuns: false, limitsBind: false, hasMaxWait: false },
	'one run, each request waits for a slot': {
		manyRuns: false,
		limitsBind: true,
		hasMaxWait: false,
	},
	'a run per request': { manyRuns: true, limitsBind: false, hasMaxWait: false },
	'a run per request, each waits for a slot, with Max Wait': {
		manyRuns: true,
		limitsBind: true,
		hasMaxWait: true,
	},
};

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
/** Three digits, because measurements are not more exact. */
const rough = (value: number) => Number(value.toPrecision(3)).toLocaleString('en-US');
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const table = (head: string[], rows: string[][]) => markdownTable(head, rows, false);

/** The longest general window allows the fewest requests. */
const requestsPerSecond = Math.min(
	...DOCUMENTED_LIMITS.general.map(({ max, windowSeconds }) => max / windowSeconds),
);

/** What a processor core can do. */
const capacity = (verb: string, perSecond: number) => [
	[`Requests it can ${verb}`, `${rough(perSecond)} per second`],
	['Keys it can serve at their full limits', rough(perSecond / requestsPerSecond)],
];

async function processor(measure: Measure): Promise<string> {
	const rows: string[][] = [];
	for (const [name, load] of Object.entries(LOADS)) {
		const times: number[] = [];
		for (const queued of QUEUES) times.push(await measure('processorTime', { ...load, queued }));
		const ratio = Math.max(...times) / Math.min(...times);
		rows.push([name, ...times.map((time) => `${whole(time)} µs`), ratio.toFixed(2)]);
	}
	const queues = QUEUES.map((queued) => `${whole(queued)} queued`);
	return table(['Processor time per request', ...queues, 'Ratio'], rows);
}

async function memory(measure: Measure): Promise<string> {
	const row = (name: string, heap: QueueMemory | IdleKeys, end: string) => [
		name,
		kilobytes(heap.bytesEach),
		...[heap.before, heap.during, heap.after].map(megabytes),
		end,
	];
	const canceled = async (name: string, manyRuns: boolean) => {
		const queue = await measure('queue', manyRuns);
		return row(name, queue, `canceled in ${whole(queue.cancelMs)} ms`);
	};
	const rows = [
		await canceled('10,000 queued requests of one run', false),
		await canceled('10,000 queued requests of 10,000 runs', true),
	];
	const keys = await measure('idleKeys');
	const end = `idle for their longest window: ${keys.keptAfter} limiters kept`;
	rows.push(row(`${whole(keys.keptDuring)} keys used once`, keys, end));
	return table(
		['Heap', 'Each', 'Before', 'With all of them', 'Afterwards', 'How they ended'],
		rows,
	);
}

async function node(measure: Measure): Promise<string> {
	const rows: string[][] = [];
	for (const operation of ['contact: getMany', 'transaction: send', 'transaction: deleteMany']) {
		const { items, requests, durationMs, processorMs } = await measure('node', operation);
		rows.push([
			`${operation}, ${whole(items)} items`,
			whole(requests),
			`${(durationMs / items).toFixed(2)} ms`,
			`${(processorMs / items).toFixed(2)} ms`,
		]);
	}
	return table(
		['Node, without HTTP', 'Requests', 'Time per item', 'Processor time per item'],
		rows,
	);
}

async function polls(measure: Measure): Promise<string> {
	const cell = ({ requests, processorMs, writtenBytes }: PollLoad) =>
		`${whole(requests)}, ${rough(processorMs)} ms, ${whole(writtenBytes / 1000)} kB`;
	const rows: string[][] = [];
	for (const records of RECORDS) {
		for (const isIncremental of [false, true]) {
			const loads = await measure('polls', { records, changes: CHANGES, isIncremental });
			const name = `${whole(records)} records${isIncremental ? ', Incremental' : ''}`;
			rows.push([name, ...loads.map(cell)]);
		}
	}
	const changes = CHANGES.map((count) => `${whole(count)} changed`);
	return table(['Requests, processor time, written', ...changes], rows);
}

async function overHttp(measure: Measure): Promise<string> {
	const { processorMs, items } = await measure('nodeOverHttp', 'transaction: send');
	const perRequestMs = processorMs / items;
	return table(
		['One process with a processor core of its own', ''],
		[
			['Processor time per request, including n8n’s HTTP helper', `${perRequestMs.toFixed(2)} ms`],
			...capacity('send', 1000 / perRequestMs),
		],
	);
}

async function sendOnce(measure: Measure): Promise<string> {
	const { withKey, withoutKey, reads, writes } = await measure('sendOnce');
	const beyond = (time: 'durationMs' | 'processorMs') =>
		`${((withKey[time] - withoutKey[time]) / withKey.items).toFixed(2)} ms`;
	return table(
		['A Send Once Key, with 50,000 remembered in n8n’s SQLite', 'Per item'],
		[
			['Reads and writes of n8n’s store', `${whole(reads)} and ${whole(writes)}`],
			['Additional time', beyond('durationMs')],
			['Additional processor time', beyond('processorMs')],
		],
	);
}

const perSecondOf = ({ processorPerRequest }: RedisLoad) => 1e6 / processorPerRequest;

async function redis(measure: Measure): Promise<string> {
	const load = await measure('redis', false);
	const perRequest = `${whole(load.processorPerRequest)} µs`;
	return table(
		['One Redis with a processor core of its own', ''],
		[
			['Scripts per request', load.commandsPerRequest.toFixed(2)],
			['Time of a script', `${whole(load.perScript)} µs`],
			['Processor time per request, including its network', perRequest],
			...capacity('count', perSecondOf(load)),
			['Memory per key whose windows are full', kilobytes(load.bytesPerKey)],
		],
	);
}

async function cluster(measure: Measure): Promise<string> {
	const load = await measure('redis', true);
	const shares = [...load.shares].sort((a, b) => b - a);
	const inPercent = shares.map((share) => `${whole(share * 100)} %`).join(', ');
	return table(
		[`A cluster of ${shares.length} primaries with a core each, and a replica each`, ''],
		[
			['Share of the requests on each primary', inPercent],
			['Scripts per request', load.commandsPerRequest.toFixed(2)],
			['Processor time per request on its primary', `${whole(load.processorPerRequest)} µs`],
			// The shard with the largest share reaches its limit first.
			...capacity('count', perSecondOf(load) / (shares[0] ?? 1)),
		],
	);
}

const machine = () =>
	`Measured with Node ${process.version} on ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'} by \`npm run growth\`.`;

export const FIGURES: Record<string, (measure: Measure) => string | Promise<string>> = {
	machine,
	processor,
	memory,
	node,
	polls,
	process: overHttp,
	sendOnce,
	redis,
	cluster,
};
