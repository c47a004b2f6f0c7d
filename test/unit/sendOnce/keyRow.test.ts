// The row of a key in n8n's own store, on a database whose writes fail or land late, in logical time.

import { KeyedMutex } from '../../../nodes/BusinessData/async';
import { KeyRow } from '../../../nodes/BusinessData/sendOnce/keyRow';
import { processState } from '../../../nodes/BusinessData/sendOnce/processState';
import type { SentState } from '../../../nodes/BusinessData/transport/serviceRequest';
import { useDeduplicator } from '../../support/deduplicator';
import { after, passTime } from '../../support/logicalTime';

const store = useDeduplicator();
beforeEach(() => {
	jest.useFakeTimers();
	store.latencyMs = () => 2;
	// Repairs of the previous test have lost their timers, and would never end.
	Object.assign(processState(), { outcomeMutex: new KeyedMutex(), watched: new Map() });
});
afterEach(() => {
	jest.clearAllTimers();
	jest.useRealTimers();
});

const keyRow = (hash = 'content') =>
	new KeyRow({ workflowId: 'w', document: 'document', name: 'key' }, { hash, mustMatch: true });
const pass = async <T = void>(work: Promise<T> | number) =>
	await passTime((typeof work === 'number' ? after(work) : work) as Promise<T>, 3_600_000);
const found = async (hash?: string) => await pass(keyRow(hash).find());
const state = async () => (await found()).state;
/** The state that a process finds which does not know of the failed writes. */
async function stateElsewhere(): Promise<SentState> {
	const { watched } = processState();
	const own = [...watched];
	watched.clear();
	const result = await state();
	for (const [name, states] of own) watched.set(name, states);
	return result;
}

async function recorded(): Promise<KeyRow> {
	const row = keyRow();
	expect(await pass(row.recordAttempt(false))).toBe(true);
	return row;
}

test('only one of many senders inserts the row, and only that one may retry', async () => {
	store.latencyMs = () => 1 + Math.random() * 20;
	const rows = Array.from({ length: 20 }, () => keyRow());
	const all = await pass(Promise.all(rows.map(async (row) => await row.recordAttempt(false))));
	expect(all.filter(Boolean)).toHaveLength(1);
	const again = await pass(Promise.all(rows.map(async (row) => await row.recordAttempt(true))));
	expect(again).toEqual(all);
	expect(await state()).toBe('perhapsSent');
});

test.each<[string, boolean, SentState, SentState]>([
	['sent', true, 'sent', 'sent'],
	['sent', false, 'sent', 'notSent'],
	['perhaps sent', true, 'perhapsSent', 'perhapsSent'],
	['not sent', true, 'notSent', 'notSent'],
])('a lost row, %s (leased: %p), ended as %s, is %s', async (_, isLeased, end, expected) => {
	const row = await recorded();
	await pass(keyRow().clear());
	await pass(row.recordOutcome(end, { isLeased }));
	expect(await found()).toMatchObject({ state: expected, hasOtherContent: false });
	expect((await found('other')).hasOtherContent).toBe(expected !== 'notSent');
});

test('a key that is marked by hand is not released by a later refusal', async () => {
	const row = await recorded();
	await pass(keyRow().mark());
	await pass(row.recordOutcome('notSent', { isLeased: true }));
	expect(await state()).toBe('sent');
});

describe('a failed insert of a row', () => {
	const record = async () =>
		await pass(
			keyRow()
				.recordAttempt(false)
				.catch((error: Error) => error.name),
		);

	test('after its commit counts as done', async () => {
		store.fail('write', { moment: 'after' });
		expect(await record()).toBe(true);
		expect(processState().watched.size).toBe(0);
		await pass(900_000);
		expect(await state()).toBe('perhapsSent');
	});

	test('after its commit is undone if the row cannot be read', async () => {
		store.fail('write', { moment: 'after' });
		// One read before the insert, and n8n's own.
		store.fail('read', { after: 2 });
		expect(await record()).toBe('RequestError');
		expect(await stateElsewhere()).toBe('perhapsSent');
		expect(await state()).toBe('notSent');
	});

	test('because another sender was first leaves its row', async () => {
		store.fail('read');
		const one = keyRow().recordAttempt(false);
		await expect(pass(one)).rejects.toThrow("n8n's deduplication store failed");
		const insert = store.insert.bind(store);
		const first = jest.spyOn(store, 'insert').mockImplementationOnce(async (row) => {
			await keyRow('other').recordAttempt(false);
			await insert(row);
		});
		expect(await record()).toBe(false);
		expect(await found('other')).toMatchObject({ state: 'perhapsSent', hasOtherContent: false });
		first.mockRestore();
	});

	test('that lands late leaves the row of another sender', async () => {
		store.fail('write', { moment: 'late' });
		expect(await record()).toBe('RequestError');
		expect(await record()).toBe(true);
		await pass(900_000);
		expect(await state()).toBe('perhapsSent');
		expect(processState().watched.size).toBe(0);
		expect(jest.getTimerCount()).toBe(0);
	});
});

test('repairs of a row run one at a time, so that a slow one does not undo a newer row', async () => {
	store.fail('write', { moment: 'late' });
	await pass(
		keyRow()
			.recordAttempt(false)
			.catch(() => undefined),
	);
	await pass(2_505);
	expect(await stateElsewhere()).toBe('perhapsSent');
	// Of two look-ups at the same time, the second deletes slowly.
	let deletes = 0;
	const remove = store.delete.bind(store);
	const slow = jest.spyOn(store, 'delete').mockImplementation(async (where) => {
		if (++deletes === 2) await after(50);
		await remove(where);
	});
	const looks = [keyRow().find(), keyRow().find()];
	await pass(looks[0] as Promise<unknown>);
	await recorded();
	await pass(looks[1] as Promise<unknown>);
	await pass(100);
	slow.mockRestore();
	expect(await state()).toBe('perhapsSent');
});

describe('an end that cannot be recorded', () => {
	/** After how many seconds the lease ends. */
	async function endOf(end: SentState, ...faults: Array<Parameters<typeof store.fail>>) {
		const row = await recorded();
		for (const fault of faults) store.fail(...fault);
		await expect(pass(row.recordOutcome(end, { isLeased: true }))).rejects.toThrow(
			'deduplication store',
		);
		const startedAt = performance.now();
		let seconds = Infinity;
		row.keepRepairing(
			end,
			() => (seconds = Math.min(seconds, (performance.now() - startedAt) / 1000)),
		);
		await pass(900_000);
		return seconds;
	}

	test.each(['sent', 'notSent'] as const)(
		'as %s is recorded soon, and the lease outlasts late writes',
		async (end) => {
			const row = await recorded();
			store.fail('write', { moment: 'late' });
			await expect(pass(row.recordOutcome(end, { isLeased: true }))).rejects.toThrow(
				'deduplication store',
			);
			const release = jest.fn();
			row.keepRepairing(end, release);
			await pass(110);
			expect(await stateElsewhere()).toBe(end);
			await pass(4_800);
			expect(release).not.toHaveBeenCalled();
			await pass(1_500);
			expect(release).toHaveBeenCalled();
			expect(await stateElsewhere()).toBe(end);
		},
	);

	test('keeps the lease until after the last failure, or some ten minutes', async () => {
		expect(Math.round(await endOf('sent', ['write', { times: 6 }]))).toBe(13);
		store.clear();
		const never = await endOf('notSent', ['write', { times: Infinity }]);
		expect(never).toBeGreaterThan(600);
		expect(never).toBeLessThan(900);
	});

	test('is restored if it gets lost before the lease ends, not afterwards', async () => {
		const row = await recorded();
		row.keepRepairing('sent', () => undefined);
		await pass(keyRow().clear());
		await pass(1_000);
		expect(await stateElsewhere()).toBe('sent');
		await pass(10_000);
		await pass(keyRow().clear());
		expect(await state()).toBe('notSent');
		await pass(900_000);
		expect(await stateElsewhere()).toBe('notSent');
	});

	test('is repaired for longer than that of an earlier attempt', async () => {
		const row = await recorded();
		row.keepRepairing('perhapsSent');
		await pass(500_000);
		expect(await pass(row.recordAttempt(false))).toBe(false);
		row.keepRepairing('notSent');
		await pass(700_000);
		expect([...processState().watched.values()].map(({ size }) => size)).toEqual([1]);
		await pass(900_000);
		expect(processState().watched.size).toBe(0);
	});
});
