// Computes the figures of a contender from the journal of its service.
import type { JournalEntry } from '../sandbox/journal';
import { bestMakespan, nextFreeMoment, type Window, windowsOf } from './bestSchedule';
import type { WorkflowRun } from './benchmarkN8n';
import type { ContenderResult, SingleRequest } from './results';
import { OTHER_CLIENT_USER_AGENT } from './service';
import { type ContenderId, IDS_PER_REQUEST, type WorkItem } from './workItems';

/** Single requests have numbers from this one on, to distinguish them from the batch in the journal. */
export const FIRST_SINGLE = 1_000_001;

/**
 * A request that the service counts this soon (ms) after the arrival of a single request was already in flight while
 * n8n started the workflow of the latter.
 */
const UNDER_WAY_MS = 250;

const REFUSED = 429;

/** Everything recorded while a contender did a work item. */
export interface Observation {
	contender: ContenderId;
	item: WorkItem;
	/** The journal of the first or only run. */
	journal: JournalEntry[];
	/** The journal after the second run of the workflow. */
	journalAfterSecondRun?: JournalEntry[];
	runs: WorkflowRun[];
	/** The arrival (ms, on the journal's clock) and number of each single request. */
	arrivals: { number: number; atMs: number }[];
	executionsPerWorker?: number[];
}

const isOfOtherClient = ({ headers }: JournalEntry): boolean =>
	headers['user-agent'] === OTHER_CLIENT_USER_AGENT;
const isSingle = ({ query }: JournalEntry): boolean => Number(query.number) >= FIRST_SINGLE;
const isLetThrough = ({ status }: JournalEntry): boolean => status >= 200 && status < 300;
const isRefused = ({ status }: JournalEntry): boolean => status === REFUSED;
const momentOf = ({ atMs }: JournalEntry): number => atMs;

/** The number of requests for the items of a work item. */
export function requestsFor({ work, workflows }: WorkItem): number {
	const perRequest = work === 'delete' ? IDS_PER_REQUEST : 1;
	return workflows.reduce((sum, count) => sum + Math.ceil(count / perRequest), 0);
}

/** The windows, reduced by the share of the other client if there is one. */
function windowsLeft(item: WorkItem): Window[] {
	const share = 1 - (item.otherClientShare ?? 0);
	return windowsOf(item.limits, item.endpoint).map(({ max, windowMs }) => ({
		max: Math.floor(max * share),
		windowMs,
	}));
}

function measureSingles({ item, journal, arrivals }: Observation, from: number): SingleRequest[] {
	const windows = windowsOf(item.limits, item.endpoint);
	return arrivals.map(({ number, atMs }) => {
		const letThrough = journal.find(
			(entry) => isLetThrough(entry) && Number(entry.query.number) === number,
		);
		const others = journal.filter((entry) => Number(entry.query.number) !== number);
		const before = others.map(momentOf).filter((moment) => moment < atMs + UNDER_WAY_MS);
		return {
			atMs: atMs - from,
			...(letThrough === undefined ? {} : { waitMs: letThrough.atMs - atMs }),
			slotMs: nextFreeMoment(before, atMs, windows) - atMs,
		};
	});
}

/** How many times each document was sent. */
function documentCounts(journal: JournalEntry[]): number[] {
	const counts = new Map<string, number>();
	for (const { acted, query } of journal) {
		if (acted) counts.set(String(query.number), (counts.get(String(query.number)) ?? 0) + 1);
	}
	return [...counts.values()];
}

function measureDocuments({ item, journal, journalAfterSecondRun }: Observation) {
	const counts = documentCounts(journalAfterSecondRun ?? journal);
	return {
		sent: documentCounts(journal).length,
		sentTwice: counts.reduce((total, count) => total + count - 1, 0),
		missing: requestsFor(item) - counts.length,
	};
}

/** The figures of a contender. Throws if it sent no request at all. */
export function measure(observation: Observation): ContenderResult {
	const { contender, item, journal, runs, arrivals, executionsPerWorker } = observation;
	const otherClient = journal.filter(isOfOtherClient);
	const own = journal.filter((entry) => !isOfOtherClient(entry));
	const ofBatch = own.filter((entry) => !isSingle(entry));
	const [first] = ofBatch;
	if (first === undefined) {
		const errors = runs.flatMap((run) => run.errors).join('; ');
		throw new Error(`${item.id}: ${contender} sent no request. ${errors}`);
	}
	const last = ofBatch.filter(isLetThrough).at(-1) ?? first;
	const since = (entry: JournalEntry): number => entry.atMs - first.atMs;
	// Single requests that were let through in the meantime have used slots too.
	const between = own.filter((entry) => isSingle(entry) && entry.atMs < last.atMs);
	const requestsAtBest = requestsFor(item) + between.filter(isLetThrough).length;
	return {
		contender,
		items: requestsFor(item),
		itemsThrough: runs.reduce((sum, run) => sum + run.itemsThrough, 0),
		requests: own.length,
		refused: own.filter(isRefused).length,
		// The journal records the time of counting: half of the latency after the request has arrived, and half of it
		// before the response leaves.
		makespanMs: since(last) + item.latencyMs,
		bestMs: bestMakespan(requestsAtBest, windowsLeft(item)) + item.latencyMs,
		workflowMs: Math.max(...runs.map(({ ms }) => ms)),
		letThroughAt: own.filter(isLetThrough).map(since),
		refusedAt: own.filter(isRefused).map(since),
		errors: [...new Set(runs.flatMap(({ errors }) => errors))],
		...(item.work === 'send' ? { documents: measureDocuments(observation) } : {}),
		...(arrivals.length === 0 ? {} : { singles: measureSingles(observation, first.atMs) }),
		...(executionsPerWorker === undefined ? {} : { executionsPerWorker }),
		...(item.otherClientShare === undefined
			? {}
			: {
					otherClient: {
						requests: otherClient.length,
						refused: otherClient.filter(isRefused).length,
					},
				}),
	};
}
