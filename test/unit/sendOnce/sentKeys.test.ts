// How many sent keys are remembered, and which are forgotten.

import { KeyRow } from '../../../nodes/BusinessData/sendOnce/keyRow';
import { addSentKey, removeSentKey } from '../../../nodes/BusinessData/sendOnce/sentKeys';
import { store as mockStore } from '../../explorer/sendOnceOrders';

jest.mock('n8n-core', () => mockStore.core);
beforeAll(async () => await mockStore.load());
beforeEach(() => mockStore.clear());

const idOf = (key: number) => ({ workflowId: 'w', document: 'document', name: `key ${key}` });

async function send(key: number, most: number): Promise<void> {
	const row = new KeyRow(idOf(key), undefined);
	expect(await row.recordAttempt(false)).toBe(true);
	await row.recordOutcome('sent');
	await addSentKey(idOf(key), most);
}

/** Which of the first `count` keys are known. */
async function known(count: number): Promise<number[]> {
	const keys = [...Array(count).keys()];
	const found = await Promise.all(
		keys.map(async (key) => await new KeyRow(idOf(key), undefined).find()),
	);
	return keys.filter((key) => found[key]?.state === 'sent');
}

test.each([1, 2, 1_000])('with a memory of %i keys, only the oldest is forgotten', async (most) => {
	for (let key = 0; key <= most; key++) await send(key, most);
	expect(await known(most + 1)).toEqual(Array.from({ length: most }, (_, index) => index + 1));
	expect(mockStore.size).toBe(most + 1);
});

test('with a larger memory, all keys within it are known, and not many others', async () => {
	for (let key = 0; key < 3_000; key++) await send(key, 1_001);
	const keys = await known(3_000);
	expect(keys.filter((key) => key >= 3_000 - 1_001)).toHaveLength(1_001);
	expect(keys.length).toBeLessThan(2_500);
	expect(mockStore.size).toBe(keys.length + 64);
});

test('a key that is sent again after a release is the newest', async () => {
	for (const key of [0, 1]) await send(key, 2);
	await new KeyRow(idOf(0), undefined).clear();
	await send(0, 2);
	await send(2, 2);
	expect(await known(3)).toEqual([0, 2]);
});

test('a key that was released takes no place', async () => {
	for (const key of [0, 1]) await send(key, 2);
	await new KeyRow(idOf(1), undefined).clear();
	await removeSentKey(idOf(1));
	await send(2, 2);
	expect(await known(3)).toEqual([0, 2]);
});
