import { checkGoals } from '../../../bench/goals';
import type { ContenderResult } from '../../../bench/results';
import { result, resultsOf } from './examples';

const verdicts = (items: Record<string, ContenderResult[]>) =>
	checkGoals(resultsOf(items)).map(({ measured, isMet }) => [measured, isMet]);

const SLOW = 'reads-130-300ms';
const READS_30 = 'reads-30-50ms';

test('everything through, nothing refused, and near the best', () => {
	expect(verdicts({ [SLOW]: [result('ours')] })).toEqual([
		['30 of 30 through, 0 refused', true],
		[expect.stringContaining('1 of 1 work items'), true],
	]);
});

test.each<[string, Partial<ContenderResult>, boolean[]]>([
	['a lost item', { itemsThrough: 29 }, [false, false]],
	['a refusal', { refused: 1 }, [false, true]],
	// (2,050 − 300) × 1.05 + 500 + 300
	['the bound', { makespanMs: 2_637.5 }, [true, true]],
	['one millisecond more', { makespanMs: 2_638.5 }, [true, false]],
])('%s', (_, changes, expected) => {
	const goals = checkGoals(resultsOf({ [SLOW]: [result('ours', changes)] }));
	expect(goals.map(({ isMet }) => isMet)).toEqual(expected);
});

test.each([
	[11_000, '5.00 times (2.20 s and 11.00 s)', true],
	[10_980, '4.99 times (2.20 s and 10.98 s)', false],
])('batching that takes %i ms', (makespanMs, measured, isMet) => {
	const contenders = [result('batching', { makespanMs }), result('ours')];
	expect(verdicts({ [READS_30]: contenders })[2]).toEqual([measured, isMet]);
});

test('no comparison with a contender that did not run', () => {
	expect(verdicts({ [READS_30]: [result('ours')] })).toHaveLength(2);
});

test.each([
	['at once', [{ atMs: 0, waitMs: 550, slotMs: 0 }], true],
	['as long as it may', [{ atMs: 0, waitMs: 15_550, slotMs: 10_000 }], true],
	['longer', [{ atMs: 0, waitMs: 15_551, slotMs: 10_000 }], false],
	['for ever', [{ atMs: 0, slotMs: 10_000 }], false],
	['not at all, because none came', [], false],
])('a single request that waits %s', (_, singles, isMet) => {
	const goals = checkGoals(resultsOf({ singles: [result('ours', { singles })] }));
	expect(goals.at(-1)?.isMet).toBe(isMet);
});

test.each([
	[{ sent: 9, sentTwice: 0, missing: 0 }, '9 of 9 sent, 0 of them twice', true],
	[{ sent: 9, sentTwice: 1, missing: 0 }, '9 of 9 sent, 1 of them twice', false],
	[{ sent: 8, sentTwice: 0, missing: 0 }, '8 of 9 sent, 0 of them twice', false],
])('documents: %j', (documents, measured, isMet) => {
	const sends = [result('ours', { items: 9, itemsThrough: 9, documents })];
	expect(verdicts({ sends }).at(-1)).toEqual([measured, isMet]);
});

describe('beside another client', () => {
	const foreign = { requests: 40, refused: 10 };
	const beside = (changes: Partial<ContenderResult>, item = 'foreign-33') =>
		verdicts({
			[item]: [result('ours', { bestMs: 1_000, makespanMs: 1_500, foreign, ...changes })],
		});

	test.each<[string, Partial<ContenderResult>, string, boolean]>([
		[
			'in time',
			{},
			'30 of 30 through, 1.50 × the best, 0 refused, of the other client 10 of 40',
			true,
		],
		['too late', { makespanMs: 1_600 }, '1.60 × the best', false],
		['with a loss', { itemsThrough: 29 }, '29 of 30 through', false],
		// 20 of 130 are 4.6 of 30.
		['with few of ours refused', { refused: 4 }, '4 refused', true],
		['with many of ours refused', { refused: 5 }, '5 refused', false],
		['with many of theirs refused', { foreign: { ...foreign, refused: 11 } }, '11 of 40', false],
	])('%s', (_, changes, measured, isMet) => {
		expect(beside(changes)).toEqual([[expect.stringContaining(measured), isMet]]);
	});

	test('that uses most of the limits, more of its requests may be refused', () => {
		const verdict = (refused: number) =>
			beside({ foreign: { ...foreign, refused } }, 'foreign-60')[0]?.[1];
		expect([verdict(16), verdict(17)]).toEqual([true, false]);
	});

	test.each([
		[[2, 2], '2 + 2 executions', true],
		[[4, 0], '4 + 0 executions', false],
		[[], ' executions', false],
	])('in queue mode, with executions %j', (executionsPerWorker, measured, isMet) => {
		expect(beside({ executionsPerWorker }, 'foreign-queue-33')).toEqual([
			[expect.stringContaining(measured), isMet],
		]);
	});
});
