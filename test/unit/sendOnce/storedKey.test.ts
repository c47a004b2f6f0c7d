// How many keys n8n's store remembers of a document, and which are forgotten.

import { shortHash, StoredKey } from '../../../nodes/BusinessData/sendOnce/storedKey';

const rows = new Map<string, Set<string>>();
function entriesOf(row: object): Set<string> {
	const name = JSON.stringify(row);
	const entries = rows.get(name) ?? new Set();
	rows.set(name, entries);
	return entries;
}
/** As n8n's, without its database. */
const mockService = {
	getProcessedDataCount: async (_: string, row: object) =>
		await Promise.resolve(entriesOf(row).size),
	checkProcessedAndRecord: async (
		entries: string[],
		_: string,
		row: object,
		{ maxEntries = Infinity },
	) => {
		const all = entriesOf(row);
		const processed = entries.filter((entry) => all.has(entry));
		for (const entry of entries) all.add(entry);
		for (const oldest of all) {
			if (all.size <= maxEntries) break;
			all.delete(oldest);
		}
		return await Promise.resolve({ new: [], processed });
	},
	removeProcessed: async (entries: string[], _: string, row: object) => {
		for (const entry of entries) entriesOf(row).delete(entry);
		await Promise.resolve();
	},
	deduplicator: {
		constructor: { createValueHash: (entry: string) => entry },
		findProcessedData: async (_: string, row: object) =>
			await Promise.resolve({ value: { data: [...entriesOf(row)] } }),
	},
};
jest.mock('n8n-core', () => ({ DataDeduplicationService: { getInstance: () => mockService } }));
beforeEach(() => rows.clear());

const keyOf = (number: number, most: number) =>
	new StoredKey('w', 'document', shortHash(`${number}`), undefined, most, undefined, undefined);

/** Sends so many documents, and returns which are known then. */
async function knownOf(count: number, most: number): Promise<number[]> {
	const numbers = Array.from({ length: count }, (_, number) => number);
	for (const number of numbers) {
		const key = keyOf(number, most);
		expect(await key.acquire()).toMatchObject({ state: 'notSent' });
		await key.complete('sent');
	}
	const states = await Promise.all(numbers.map(async (number) => await keyOf(number, most).find()));
	return numbers.filter((number) => states[number]?.state === 'sent');
}

test('just the oldest is forgotten of up to 1,000', async () => {
	const [first, ...others] = await knownOf(1_001, 1_000);
	expect([first, others.length]).toEqual([1, 999]);
});

test('of more, none that should be known, and not many more are', async () => {
	const known = await knownOf(3_000, 1_001);
	expect(known.filter((number) => number >= 3_000 - 1_001)).toHaveLength(1_001);
	expect(known.length).toBeLessThan(2_500);
	expect([...rows.values()].filter(({ size }) => size > 0)).toHaveLength(2 * 64);
});
