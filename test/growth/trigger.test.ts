// The memory of a trigger with a large list: while it reads 1,000 pages, it keeps only its state and not the pages, and
// between polls its state is small enough for n8n to save.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { SavedState } from '../../nodes/BusinessData/trigger/state';
import { realNow } from '../support/logicalTime';
import { report } from '../support/report';
import { MEMORY, useTriggerBench } from '../support/triggerBench';

const PAGES = 1_000;
const RECORDS_PER_PAGE = 100;
const PAGES_PER_LOOK = 100;
/** More than the state of a record takes in memory: its ID, a hash, and an entry in a map. */
const MOST_BYTES_PER_RECORD = 600;
const FILLER = 'x'.repeat(1_000);

const bench = useTriggerBench();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a poll of 1,000 pages of 100 kB keeps less than 600 bytes per record in memory', async () => {
	const heap: number[] = [];
	let bytes = 0;
	bench.service.response = ({ page }, response) => {
		const number = Number(page);
		if (number % PAGES_PER_LOOK === 0) {
			collectGarbage();
			heap.push(process.memoryUsage().heapUsed);
		}
		const isThere = number <= PAGES;
		const records = Array.from({ length: isThere ? RECORDS_PER_PAGE : 0 }, (_, index) => ({
			id: `record-${number}-${index}`,
			content: FILLER,
		}));
		const body = JSON.stringify(records);
		bytes += body.length;
		response.setHeader('content-type', 'application/json');
		response.end(body);
		bench.service.queries.length = 0;
		return undefined;
	};
	const options = { pagination: { values: { type: 'pageNumber' } } };
	const { poll } = bench.trigger({ options });
	const startedAt = performance.now();
	expect(await poll()).toEqual([]);
	const seconds = (performance.now() - startedAt) / 1000;
	const [first = 0] = heap;
	const grownBytes = Math.max(...heap) - first;
	const perRecord = grownBytes / ((PAGES - PAGES_PER_LOOK) * RECORDS_PER_PAGE);
	report(
		`a poll of ${PAGES} pages: ${(bytes / 1e6).toFixed(0)} MB of responses in ${seconds.toFixed(1)} s, ` +
			`memory grew by ${(grownBytes / 1e6).toFixed(1)} MB, ${perRecord.toFixed(0)} bytes per record`,
	);
	expect(heap).toHaveLength(PAGES / PAGES_PER_LOOK);
	expect(perRecord).toBeLessThan(MOST_BYTES_PER_RECORD);
});

const RECORDS = 100_000;
const idOf = (index: number) => `01234567-89ab-cdef-0123-${String(index).padStart(12, '0')}`;

test('the state of 100,000 records is smaller than 5 MB, even during a read, and a poll takes seconds', async () => {
	const all = Array.from({ length: RECORDS }, (_, index) => ({
		id: idOf(index),
		name: `Contact ${index}`,
		email: `contact-${index}@example.com`,
	}));
	bench.service.response = ({ cursor = '0' }) => ({
		items: all.slice(Number(cursor), Number(cursor) + 10_000),
		...(Number(cursor) < 90_000 ? { next: String(Number(cursor) + 10_000) } : {}),
	});
	const pagination = { values: { type: 'cursor', cursorField: 'next' } };
	const { poll, staticData } = bench.trigger({ options: { pagination } });
	await poll();
	const startedAt = realNow();
	expect(await poll()).toEqual([]);
	expect(realNow() - startedAt).toBeLessThan(20_000);
	expect(JSON.stringify(staticData).length).toBeLessThan(5_000_000);

	const { response: serviceResponse } = bench.service;
	bench.service.response = (asked, response) =>
		asked.cursor === '50000' ? undefined : serviceResponse(asked, response);
	expect(await poll({ getPollBudgetMs: () => 5_000 })).toEqual([]);
	const { records } = staticData[MEMORY] as { records: { read?: SavedState['read'] } };
	expect(records.read?.pageState.count).toBeGreaterThan(0);
	expect(records.read?.pageState.count).toBeLessThanOrEqual(50_000);
	expect(JSON.stringify(staticData).length).toBeLessThan(5_000_000);
});

test('the state of 100,000 records with the hashes of 20 fields is smaller than 12 MB', async () => {
	const list = Array.from({ length: RECORDS }, (_, index) => ({
		id: idOf(index),
		...Object.fromEntries(Array.from({ length: 19 }, (__, field) => [`f${field}`, index])),
	}));
	bench.service.response = () => list;
	const { poll, staticData } = bench.trigger({ options: { changedFields: true } });
	expect(await poll()).toEqual([]);
	expect(JSON.stringify(staticData).length).toBeLessThan(12_000_000);
	expect(bench.logged()).not.toContain('left out');
});
