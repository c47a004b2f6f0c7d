// How many keys n8n's store remembers of a document, and which are forgotten.

import { shortHash, StoredKey } from '../../../nodes/BusinessData/sendOnce/storedKey';

const rows = new Map<string, string[]>();
const entriesOf = (row: object) => rows.get(JSON.stringify(row)) ?? [];
/** As n8n's, without its database. */
const mockService = {
	getProcessedDataCount: async (_: string, row: object) =>
		await Promise.resolve(entriesOf(row).length),
	checkProcessedAndRecord: async (
		entries: string[],
		_: string,
		row: object,
		{ maxEntries = Infinity },
	) => {
		const before = new Set(entriesOf(row));
		const processed = entries.filter((entry) => before.has(entry));
		const all = [...before, ...entries.filter((entry) => !before.has(entry))];
		rows.set(JSON.stringify(row), all.slice(Math.max(0, all.length - maxEntries)));
		return await Promise.resolve({ new: [], processed });
	},
	removeProcessed: async (entries: string[], _: string, row: object) => {
		const left = entriesOf(row).filter((entry) => !entries.includes(entry));
		rows.set(JSON.stringify(row), left);
		await Promise.resolve();
	},
	deduplicator: {
		constructor: { createValueHash: (entry: string) => entry },
		findProcessedData: async (_: string, row: object) =>
			await Promise.resolve({ value: { data: entriesOf(row) } }),
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
	const known = await knownOf(6_000, 2_000);
	expect(known.filter((number) => number >= 4_000)).toHaveLength(2_000);
	expect(known.length).toBeLessThan(4_000);
	expect(rows.size).toBe(2 * 64);
});
