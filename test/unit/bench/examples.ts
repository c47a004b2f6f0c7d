/** Made-up results and journals for the tests of what the benchmark computes. */
import type { ContenderId } from '../../../bench/contenders';
import { OTHER_CLIENT_USER_AGENT } from '../../../bench/otherClientWork';
import type { BenchmarkResults, ContenderResult } from '../../../bench/results';
import { WORK_ITEMS, type WorkItem } from '../../../bench/workItems';
import type { JournalEntry } from '../../../sandbox/journal';

export function workItem(id: string): WorkItem {
	const found = WORK_ITEMS.find((item) => item.id === id);
	if (found === undefined) throw new Error(`There is no work item ${id}`);
	return found;
}

/** A read at a moment (ms), let through unless another status is given. */
export const entry = (number: number, atMs: number, status = 200): JournalEntry => ({
	sequence: 0,
	atMs,
	method: 'GET',
	path: '/masterdata/getContacts',
	endpoint: 'GET /masterdata/getContacts',
	query: { number: String(number) },
	headers: {},
	status,
	acted: status === 200,
	scripted: false,
	foreign: false,
});

export const otherClientEntry = (atMs: number, status = 200): JournalEntry => ({
	...entry(0, atMs, status),
	query: {},
	headers: { 'user-agent': OTHER_CLIENT_USER_AGENT },
});

/** The result of a contender that did everything in time. */
export const result = (
	contender: ContenderId,
	changes: Partial<ContenderResult> = {},
): ContenderResult => ({
	contender,
	items: 30,
	itemsThrough: 30,
	requests: 30,
	refused: 0,
	makespanMs: 2_200,
	bestMs: 2_050,
	workflowMs: 2_400,
	letThroughAt: [0, 1_000],
	refusedAt: [],
	errors: [],
	...changes,
});

export const resultsOf = (items: Record<string, ContenderResult[]>): BenchmarkResults => ({
	versions: { package: '9.8.7', n8n: '2.3.4', nodeOfN8n: '24.5.6', node: '20.1.2' },
	cpuCount: 16,
	minutes: 33.3,
	items: Object.entries(items).map(([item, contenders]) => ({ item, contenders })),
});
