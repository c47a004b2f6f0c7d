// A poll of 1,000 pages holds what it remembers of the records, and not the pages: while it goes on, memory
// grows by the state alone.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { report } from '../support/report';
import { useTriggerBench } from '../support/triggerBench';

const PAGES = 1_000;
const RECORDS_PER_PAGE = 100;
const PAGES_PER_LOOK = 100;
/** More than what is known of a record takes in memory: its ID, a hash, and a place in a map. */
const MOST_BYTES_PER_RECORD = 600;
const FILLER = 'x'.repeat(1_000);

const bench = useTriggerBench();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('1,000 pages of 100 kB', async () => {
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
}, 120_000);
