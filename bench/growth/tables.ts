/** The tables of docs/scale.md, from the measurements and the limits. */
import { markdownTable } from '../format';
import { DOCUMENTED_LIMITS } from './built';
import type { IdleKeys, QueueMemory } from './limiterLoad';
import type { NodeLoad } from './nodeLoad';
import type { PollLoad } from './pollLoad';
import type { RedisLoad } from './redisLoad';
import type { SendOnceLoad } from './sendOnceLoad';

const SECONDS_PER_DAY = 86_400;

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
/** Three digits, because measurements are not more exact. */
const rough = (value: number) => Number(value.toPrecision(3)).toLocaleString('en-US');
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const table = (head: string[], rows: string[][]) => markdownTable(head, rows, false);

/** The longest general window allows the fewest requests per day. */
const perDay = ({ max, windowSeconds }: { max: number; windowSeconds: number }) =>
	(max / windowSeconds) * SECONDS_PER_DAY;
export const requestsPerDay = Math.min(...DOCUMENTED_LIMITS.general.map(perDay));
const requestsPerSecond = requestsPerDay / SECONDS_PER_DAY;

export interface ProcessorRow {
	name: string;
	/** The time (µs) per request, one for each queue length. */
	times: number[];
}

export function processorTable(queues: number[], rows: ProcessorRow[]): string {
	return table(
		['Processor time per request', ...queues.map((queued) => `${whole(queued)} queued`), 'Ratio'],
		rows.map(({ name, times }) => [
			name,
			...times.map((time) => `${whole(time)} µs`),
			(Math.max(...times) / Math.min(...times)).toFixed(2),
		]),
	);
}

export function memoryTable(
	ofOneRun: QueueMemory,
	ofManyRuns: QueueMemory,
	keys: IdleKeys,
): string {
	const row = (name: string, memory: QueueMemory | IdleKeys, end: string) => [
		name,
		kilobytes(memory.bytesEach),
		megabytes(memory.before),
		megabytes(memory.during),
		megabytes(memory.after),
		end,
	];
	const canceled = ({ cancelMs }: QueueMemory) => `canceled in ${whole(cancelMs)} ms`;
	return table(
		['Heap', 'Each', 'Before', 'With all of them', 'Afterwards', 'How they ended'],
		[
			row('10,000 queued requests of one run', ofOneRun, canceled(ofOneRun)),
			row('10,000 queued requests of 10,000 runs', ofManyRuns, canceled(ofManyRuns)),
			row(
				`${whole(keys.keptDuring)} keys used once`,
				keys,
				`idle for their longest window: ${keys.keptAfter} limiters kept`,
			),
		],
	);
}

export function nodeTable(loads: Array<[name: string, load: NodeLoad]>): string {
	return table(
		['Node, without HTTP', 'Requests', 'Time per item', 'Processor time per item'],
		loads.map(([name, { items, requests, durationMs, processorMs }]) => [
			`${name}, ${whole(items)} items`,
			whole(requests),
			`${(durationMs / items).toFixed(2)} ms`,
			`${(processorMs / items).toFixed(2)} ms`,
		]),
	);
}

export interface PollRow {
	records: number;
	isIncremental: boolean;
	/** One for each number of changed records. */
	loads: PollLoad[];
}

export function pollTable(changes: number[], rows: PollRow[]): string {
	const kilo = (bytes: number) => `${whole(bytes / 1000)} kB`;
	const cell = ({ requests, processorMs, writtenBytes }: PollLoad) =>
		`${whole(requests)}, ${rough(processorMs)} ms, ${kilo(writtenBytes)}`;
	return table(
		['Requests, processor time, written', ...changes.map((count) => `${whole(count)} changed`)],
		rows.map(({ records, isIncremental, loads }) => [
			`${whole(records)} records${isIncremental ? ', Incremental' : ''}`,
			...loads.map(cell),
		]),
	);
}

export function processTable(overHttp: NodeLoad): string {
	const perRequestMs = overHttp.processorMs / overHttp.items;
	const perSecond = 1000 / perRequestMs;
	return table(
		['One process with a processor core of its own', ''],
		[
			['Processor time per request, including n8n’s HTTP helper', `${perRequestMs.toFixed(2)} ms`],
			['Requests it can send', `${rough(perSecond)} per second`],
			['Keys it can serve at their full limits', `${rough(perSecond / requestsPerSecond)}`],
		],
	);
}

export function sendOnceTable({ withKey, withoutKey, ...load }: SendOnceLoad): string {
	const beyond = (time: 'durationMs' | 'processorMs') =>
		`${((withKey[time] - withoutKey[time]) / withKey.items).toFixed(2)} ms`;
	return table(
		['A Send Once Key, with 50,000 remembered in n8n’s SQLite', 'Per item'],
		[
			['Reads and writes of n8n’s store', `${whole(load.reads)} and ${whole(load.writes)}`],
			['Additional time', beyond('durationMs')],
			['Additional processor time', beyond('processorMs')],
		],
	);
}

const perSecondOf = ({ processorPerRequest }: RedisLoad) => 1e6 / processorPerRequest;

export function redisTable(load: RedisLoad): string {
	const perSecond = perSecondOf(load);
	return table(
		['One Redis with a processor core of its own', ''],
		[
			['Scripts per request', load.commandsPerRequest.toFixed(2)],
			['Time of a script', `${whole(load.perScript)} µs`],
			[
				'Processor time per request, including its network',
				`${whole(load.processorPerRequest)} µs`,
			],
			['Requests it can count', `${rough(perSecond)} per second`],
			['Keys it can serve at their full limits', `${rough(perSecond / requestsPerSecond)}`],
			['Memory per key whose windows are full', kilobytes(load.bytesPerKey)],
		],
	);
}

export function clusterTable(load: RedisLoad): string {
	// The shard with the largest share reaches its limit first.
	const perSecond = perSecondOf(load) / Math.max(...load.shares);
	const shares = [...load.shares].sort((a, b) => b - a);
	return table(
		[`A cluster of ${shares.length} primaries with a core each, and a replica each`, ''],
		[
			[
				'Share of the requests on each primary',
				shares.map((share) => `${whole(share * 100)} %`).join(', '),
			],
			['Scripts per request', load.commandsPerRequest.toFixed(2)],
			['Processor time per request on its primary', `${whole(load.processorPerRequest)} µs`],
			['Requests it can count', `${rough(perSecond)} per second`],
			['Keys it can serve at their full limits', `${rough(perSecond / requestsPerSecond)}`],
		],
	);
}
