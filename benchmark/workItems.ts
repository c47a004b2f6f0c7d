// The work items of the benchmark.
import { DOCUMENTED_LIMITS, type LimitTable } from '../sandbox/limits';
import { DELETE_ENDPOINT, READ_ENDPOINT, SEND_ENDPOINT } from '../test/support/parameters';
import { scaledLimits } from '../test/support/scaledLimits';

/** The contenders, in the order of their start. Those that send all requests at once go first. */
export const CONTENDER_IDS = [
	'plain',
	'retry',
	'reactive',
	'reactiveRetryAfter',
	'batching',
	'recipe',
	'package',
] as const;

export type ContenderId = (typeof CONTENDER_IDS)[number];

/** The request of every item of the workflow. */
export type Work = 'read' | 'send' | 'delete';

/** A piece of work that all its contenders do under the same conditions. */
export interface WorkItem {
	/** Its name in results and on the command line. */
	id: string;
	title: string;
	part: PartId;
	work: Work;
	endpoint: string;
	/** The number of items of each workflow. All workflows start at once. */
	workflows: number[];
	/** How long (ms) the service takes to respond. */
	latencyMs: number;
	limits: LimitTable;
	/** A factor for the waits of the contenders, for work items whose limits are scaled. */
	waitScale: number;
	contenders: readonly ContenderId[];
	/** The interval of single requests from another workflow. */
	singlesEverySeconds?: number;
	/** When the workflow runs a second time, after the end of the first run. */
	runAgainAfterSeconds?: number;
	/** The share of the longest window that another client of the key uses, evenly. */
	otherClientShare?: number;
	/** Whether it runs in queue mode, where the workers share the executions. */
	inQueueMode?: boolean;
	/** Whether the service also counts refused requests, which its interface document leaves open. */
	isRefusedCounted: boolean;
	/** Work items of one round run at the same time. */
	round: string;
	/** Whether it is only in the CSV, not on the page. */
	isFiguresOnly?: boolean;
}

export type PartId = 'reads' | 'singles' | 'sends' | 'bulk';

export const PARTS: Record<PartId, string> = {
	reads: 'Reads',
	singles: 'Single requests beside a large batch',
	sends: 'Sending documents',
	bulk: 'Deleting in bulk',
};

/** The scale of the windows of send endpoints. */
export const SEND_SCALE = 1 / 100;
/** The scale of all windows for the deletion of 100,000 records. */
export const BULK_SCALE = 1 / 5;
export const IDS_PER_REQUEST = 100;
/** The shares of the limits that another client uses. */
const OTHER_CLIENT_SHARES = [0.1, 0.33, 0.6];
const SHARE_ON_THE_PAGE = 0.33;
/** The contenders that keep limits or retry refused requests. */
const IN_QUEUE_MODE = ['reactive', 'reactiveRetryAfter', 'batching', 'package'] as const;

const SINGLES_EVERY_SECONDS = 5;
export const SINGLES_TITLE = `Beside 300 reads, a single read of another workflow every ${SINGLES_EVERY_SECONDS} s`;
const LONGEST_WINDOW = DOCUMENTED_LIMITS.general.reduce((longest, limit) =>
	limit.windowSeconds > longest.windowSeconds ? limit : longest,
);

/** The latency (ms) for a title, if it is not that of most work items. */
const afterLatency = (latencyMs: number): string =>
	latencyMs === READS.latencyMs ? '' : `, ${latencyMs} ms`;

const READS: Omit<WorkItem, 'id' | 'title' | 'workflows' | 'round'> = {
	part: 'reads',
	work: 'read',
	endpoint: READ_ENDPOINT,
	latencyMs: 50,
	limits: DOCUMENTED_LIMITS,
	waitScale: 1,
	contenders: CONTENDER_IDS,
	isRefusedCounted: true,
};

const reads = (count: number, latencyMs: number, round: string): WorkItem => ({
	...READS,
	id: `reads-${count}-${latencyMs}ms`,
	title: `${count} reads${afterLatency(latencyMs)}`,
	isFiguresOnly: count < 30 || latencyMs !== READS.latencyMs,
	workflows: [count],
	latencyMs,
	round,
});

const mildReads: WorkItem = {
	...reads(130, 50, 'reads-100'),
	id: 'reads-130-50ms-mild',
	title: '130 reads, refused requests do not count',
	isRefusedCounted: false,
	isFiguresOnly: true,
};

const together = (latencyMs: number, round: string): WorkItem => ({
	...READS,
	id: `together-${latencyMs}ms`,
	title: `2 × 65 reads, two workflows${afterLatency(latencyMs)}`,
	isFiguresOnly: latencyMs !== READS.latencyMs,
	workflows: [65, 65],
	latencyMs,
	round,
});

const singles: WorkItem = {
	...READS,
	id: 'singles',
	title: SINGLES_TITLE,
	part: 'singles',
	round: 'singles',
	workflows: [300],
	singlesEverySeconds: SINGLES_EVERY_SECONDS,
};

const sendLimits = scaledLimits(1, SEND_SCALE, DOCUMENTED_LIMITS);

const sends: WorkItem = {
	...READS,
	id: 'sends',
	title: 'Nine documents, and the same workflow run again',
	part: 'sends',
	round: 'short',
	work: 'send',
	endpoint: SEND_ENDPOINT,
	workflows: [9],
	limits: sendLimits,
	waitScale: SEND_SCALE,
	// One window later, plus a margin.
	runAgainAfterSeconds: (sendLimits.endpoints[SEND_ENDPOINT]?.windowSeconds ?? 0) + 1,
};

const bulk = (records: number, scale: number): WorkItem => ({
	...READS,
	id: `bulk-${records}`,
	title: `${records.toLocaleString('en')} records`,
	part: 'bulk',
	round: 'bulk',
	work: 'delete',
	endpoint: DELETE_ENDPOINT,
	workflows: [records],
	limits: scaledLimits(scale, scale, DOCUMENTED_LIMITS),
	contenders: ['package'],
});

const withOtherClient = (share: number): WorkItem => ({
	...READS,
	id: `other-client-${percent(share)}`,
	title: `130 reads beside ${percent(share)} % by another client`,
	isFiguresOnly: share !== SHARE_ON_THE_PAGE,
	round: 'otherClient',
	workflows: [130],
	otherClientShare: share,
});

/** The same in queue mode with two workers. */
const otherClientInQueueMode = (share: number): WorkItem => ({
	...withOtherClient(share),
	id: `other-client-queue-${percent(share)}`,
	isFiguresOnly: true,
	workflows: [33, 33, 32, 32],
	contenders: IN_QUEUE_MODE,
	inQueueMode: true,
	round: 'otherClientInQueueMode',
});

const percent = (share: number) => Math.round(share * 100);

/** The interval (s) of another client that uses this share. */
export const otherClientEverySeconds = (share: number) =>
	LONGEST_WINDOW.windowSeconds / (LONGEST_WINDOW.max * share);

export const WORK_ITEMS: WorkItem[] = [
	reads(10, 50, 'short'),
	reads(30, 50, 'short'),
	reads(100, 50, 'reads-100'),
	reads(130, 50, 'reads-130'),
	reads(130, 0, 'reads-latencies'),
	reads(130, 300, 'reads-latencies'),
	mildReads,
	together(50, 'together'),
	together(0, 'together-latencies'),
	together(300, 'together-latencies'),
	singles,
	sends,
	bulk(1_000, 1),
	bulk(100_000, BULK_SCALE),
	...OTHER_CLIENT_SHARES.map(withOtherClient),
	...OTHER_CLIENT_SHARES.map(otherClientInQueueMode),
];

/** Runs first and is not shown, so that no slow first request is measured. */
export const WARM_UP: WorkItem = { ...reads(3, 0, 'warm-up'), id: 'warm-up' };

/** The same for queue mode, for each contender in both workers. */
export const WARM_UP_IN_QUEUE_MODE: WorkItem = {
	...WARM_UP,
	id: 'warm-up-in-queue-mode',
	workflows: [1, 1, 1, 1],
	contenders: IN_QUEUE_MODE,
	inQueueMode: true,
};
