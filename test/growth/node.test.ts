// Up to 100,000 input items in n8n's engine, with an HTTP helper that responds at once and limits that never bind.
// These tests measure the node's own time, and check that it does not block n8n's event loop.

import type { INode } from 'n8n-workflow';

import { loadNode, OPERATIONS } from '../../benchmark/growth/nodeLoad';
import { loadSendOnce } from '../../benchmark/growth/sendOnceLoad';
import { Engine } from '../support/engine';
import { apiRequest, deleteMany, send } from '../support/parameters';
import { ProcessedDataRepository } from '../support/processedData';
import { report } from '../support/report';

const ITEMS = 1_000;
/** Processor time per item (ms). */
const LONGEST_MS = 10;
const HIGHEST_FACTOR = 3;

let engine: Engine;
beforeAll(async () => {
	engine = await Engine.load();
});

test.each([
	['contact: getMany', ITEMS],
	['transaction: send', ITEMS],
	['transaction: deleteMany', ITEMS / 100],
])('%s takes less than 10 ms of processor time for each of 1,000 items', async (name, requests) => {
	const parameters = OPERATIONS[name] ?? {};
	// A warm-up, so that code is compiled as in a long-running process.
	const few = await loadNode(engine, parameters, ITEMS / 5);
	const many = await loadNode(engine, parameters, ITEMS);
	const [perItemOfFew, perItem] = [few, many].map(({ processorMs, items }) => processorMs / items);
	report(
		`${name}: ${perItem?.toFixed(3)} ms CPU per item, ${(many.durationMs / ITEMS).toFixed(3)} ms in all`,
	);
	expect(many.requests).toBe(requests);
	expect(perItem).toBeLessThan(LONGEST_MS);
	expect(perItem).toBeLessThan(HIGHEST_FACTOR * (perItemOfFew ?? 0));
});

test('Delete Many parses a list only once if an expression returns the same list for all items', async () => {
	const ids = '={{ $input.all().map(({ json }) => json.id) }}';
	const { requests, processorMs, items } = await loadNode(engine, { ...deleteMany(), ids }, 3_000);
	report(`one list for 3,000 items: ${(processorMs / items).toFixed(3)} ms CPU per item`);
	expect(requests).toBe(30);
	expect(processorMs / items).toBeLessThan(LONGEST_MS);
});

test('with 50,000 sent keys, Send Once takes 7 reads and 3 writes of short rows per document', async () => {
	const table = new ProcessedDataRepository();
	table.latencyMs = () => 0;
	const load = await loadSendOnce(engine, table, ITEMS / 10);
	expect(load.withoutKeyUses).toBe(0);
	expect([load.reads, load.writes]).toEqual([7, 3]);
	expect(load.entriesPerWrite).toBeLessThan(1_000);
});

const MANY_ITEMS = 100_000;
/** For operations with a constant, higher cost per item. */
const FEWER_ITEMS = 15_000;
const LONGEST_HOLD_MS = 50;
/** The share of a run's time that longer holds may take, because V8's own threads count too. */
const MOST_IN_LONGER_HOLDS = 0.05;

const NOT_A_BODY = { dataMode: 'json', jsonBody: '={{ "text " + $json.id }}' };
/** In the last two, every item fails before its request, so that no request yields to the event loop. */
const CASES: Array<[string, INode['parameters'], items: number, requests: number]> = [
	['Delete Many', deleteMany(), MANY_ITEMS, MANY_ITEMS / 100],
	['Send', { ...send(), ...NOT_A_BODY }, FEWER_ITEMS, 0],
	['API Request', apiRequest('GET', '={{ "no path " + $json.id }}'), FEWER_ITEMS, 0],
];

test.each(CASES)('%s does not block the event loop', async (name, parameters, items, requests) => {
	const settings = { onError: 'continueRegularOutput' } as const;
	// A warm-up.
	await loadNode(engine, parameters, items / 100, settings);
	const load = await loadNode(engine, parameters, items, settings);
	const { holdsMs, durationMs } = load;
	const longestMs = Math.max(...holdsMs).toFixed(0);
	report(`${name}: ${longestMs} ms at most, of ${durationMs.toFixed(0)} ms`);
	expect(load.requests).toBe(requests);
	const inLongerHolds = holdsMs.filter((ms) => ms > LONGEST_HOLD_MS).reduce((a, b) => a + b, 0);
	expect(inLongerHolds / durationMs).toBeLessThan(MOST_IN_LONGER_HOLDS);
});
