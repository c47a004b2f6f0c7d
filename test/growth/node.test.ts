// 1,000 input items through the node in n8n's engine, with a helper that responds at once and limits so
// high that nothing waits: what is left is the node's own time.

import { loadNode, OPERATIONS } from '../../bench/growth/nodeLoad';
import { loadSendOnce } from '../../bench/growth/sendOnceLoad';
import { Engine } from '../support/engine';
import { ProcessedDataRepository } from '../support/processedData';
import { report } from '../support/report';

const ITEMS = 1_000;
/** Per item (ms). */
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
])(
	'%s needs less than 10 ms of the processor for each of 1,000 items',
	async (name, requests) => {
		const parameters = OPERATIONS[name] ?? {};
		// So that a part of it is compiled, as it will be in a process that runs for long.
		const few = await loadNode(engine, parameters, ITEMS / 5);
		const many = await loadNode(engine, parameters, ITEMS);
		const [perItemOfFew, perItem] = [few, many].map(
			({ processorMs, items }) => processorMs / items,
		);
		report(
			`${name}: ${perItem?.toFixed(3)} ms CPU per item, ${(many.durationMs / ITEMS).toFixed(3)} ms in all`,
		);
		expect(many.requests).toBe(requests);
		expect(perItem).toBeLessThan(LONGEST_MS);
		expect(perItem).toBeLessThan(HIGHEST_FACTOR * (perItemOfFew ?? 0));
	},
	240_000,
);

test('with 50,000 remembered keys, a Send Once Key takes 7 reads and 3 writes of short rows, and none takes none', async () => {
	const table = new ProcessedDataRepository();
	table.latencyMs = () => 0;
	const load = await loadSendOnce(engine, table, ITEMS / 10);
	expect(load.withoutKeyUses).toBe(0);
	expect([load.reads, load.writes]).toEqual([7, 3]);
	expect(load.entriesPerWrite).toBeLessThan(1_000);
}, 240_000);
