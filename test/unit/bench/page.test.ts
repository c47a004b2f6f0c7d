import { readBenchOptions } from '../../../bench/commandLine';
import { batchingFor, CONTENDER_IDS, CONTENDERS } from '../../../bench/contenders';
import { formatTime } from '../../../bench/format';
import { windowsOf } from '../../../bench/limits';
import { goalsTable, measuredIn, pageOf } from '../../../bench/page';
import { plotsOf, refusalsOf, stepsOf } from '../../../bench/plots';
import { csvOf } from '../../../bench/tables';
import { PARTS, WORK_ITEMS } from '../../../bench/workItems';
import { result, resultsOf, workItem } from './examples';

// Figures below are computed by these limits, whatever the service's are.
jest.mock('../../../sandbox/limits', () => ({
	...jest.requireActual<object>('../../../sandbox/limits'),
	DOCUMENTED_LIMITS: jest.requireActual<Record<'EXAMPLE_LIMITS', object>>(
		'../../support/exampleLimits',
	).EXAMPLE_LIMITS,
}));

const rowOf = (page: string, start: string): string => {
	const line = page.split('\n').find((one) => one.startsWith(`| ${start} |`)) ?? '';
	return line
		.slice(start.length + 2)
		.replace(/ +/g, ' ')
		.trim();
};

describe('the page', () => {
	const lost = { itemsThrough: 10, requests: 150, refused: 140, makespanMs: 80 };
	const results = resultsOf({
		'reads-30-50ms': [result('plain', lost), result('ours', { makespanMs: 2_255 })],
		'bulk-1000': [
			result('ours', { items: 10, itemsThrough: 10, requests: 10, makespanMs: 60, bestMs: 50 }),
		],
	});

	test.each([
		// A makespan stands only where nothing was lost.
		['Best possible schedule', '| 2.05 s |'],
		[CONTENDERS.plain.title, '| 10/30 (140) |'],
		[CONTENDERS.ours.title, '| 2.25 s |'],
		// 1,000 requests are ten times 100, and the last hundred takes half a minute.
		['1,000', '| 9 min 30 s | 10 | 0.06 s | 0.05 s |'],
	])('has a row for %s', (title, row) => {
		expect(rowOf(pageOf(results), title)).toBe(row);
	});

	test('has the versions, the plots, and only the parts that were run', () => {
		const page = pageOf(results, [{ file: 'x.svg', part: 'reads', caption: 'A plot' }]);
		for (const text of ['2.3.4', '24.5.6', '9.8.7', '20.1.2', '16 CPUs', '![A plot](x.svg)']) {
			expect(page).toContain(text);
		}
		expect(page).toContain(`## ${PARTS.bulk}`);
		expect(page).not.toContain(`## ${PARTS.singles}`);
		expect(page).not.toMatch(/undefined|NaN|\[object/);
	});

	test('says in queue mode what each worker has done, and what was refused of the other client', () => {
		const foreign = { requests: 17, refused: 2 };
		const ours = result('ours', { executionsPerWorker: [1, 3], refused: 1, foreign });
		const page = pageOf(resultsOf({ 'foreign-33': [ours], 'foreign-queue-33': [ours] }));
		expect(page).toContain('1 + 3 executions');
		expect(rowOf(page, CONTENDERS.ours.title)).toBe('| 2.20 s (1); 2/17 |');
	});

	test('has a line of figures for each work item and contender', () => {
		const [head, plain, ours, bulk] = csvOf(measuredIn(results)).split('\n');
		expect(head).toMatch(/^work item,contender,items,/);
		expect(plain).toBe('reads-30-50ms,plain,30,10,150,140,,2.05,2.4,,,,,,');
		expect(ours).toBe('reads-30-50ms,ours,30,30,30,0,2.25,2.05,2.4,,,,,,');
		expect(bulk).toMatch(/^bulk-1000,ours,10,10,10,0,0.06,0.05,/);
	});

	test('says that a goal is missed', () => {
		const missed = resultsOf({ 'reads-30-50ms': [result('ours', { refused: 3 })] });
		expect(goalsTable(missed)).toContain('30 of 30 through, 3 refused | **missed** |');
		expect(goalsTable(results)).not.toContain('missed');
	});
});

test('a plot has a step for each request, and goes on to its end', () => {
	expect(stepsOf('a', [0, 500], 2_000)).toEqual([
		{ name: 'a', seconds: 0, count: 1 },
		{ name: 'a', seconds: 0.5, count: 2 },
		{ name: 'a', seconds: 2, count: 2 },
	]);
	expect(refusalsOf('a', [0, 499, 1_200])).toEqual([
		{ name: 'a', seconds: 0.25, count: 2 },
		{ name: 'a', seconds: 1.25, count: 1 },
	]);
	const drawn = { 'reads-130-50ms': [result('ours')], singles: [result('ours')] };
	expect(plotsOf(resultsOf(drawn)).map(({ part }) => part)).toEqual(['reads', 'singles']);
	expect(plotsOf(resultsOf({}))).toEqual([]);
});

test('batching is as fast as the limits allow on average', () => {
	const { limits, endpoint } = workItem('reads-130-50ms');
	expect(batchingFor(windowsOf(limits, endpoint))).toEqual({
		batchSize: 10,
		batchInterval: 6_100,
	});
	const sends = workItem('sends');
	const batching = batchingFor(windowsOf(sends.limits, sends.endpoint));
	expect(batching).toEqual({ batchSize: 3, batchInterval: 6_100 });
});

test('workers count where the credential says', () => {
	const credential = (redisPort?: number) =>
		CONTENDERS.ours.credential({ baseUrl: '', apiKey: '', redisPort }, workItem('foreign-33')).data;
	expect(credential()).toMatchObject({ limitStore: 'memory' });
	expect(credential(7_000)).toMatchObject({ limitStore: 'redis', redisPort: 7_000 });
});

test('the work items have names of their own', () => {
	const ids = WORK_ITEMS.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	expect(Object.keys(CONTENDERS).sort()).toEqual([...CONTENDER_IDS].sort());
});

test('the command line', () => {
	expect(readBenchOptions([])).toMatchObject({ items: WORK_ITEMS, isWhole: true });
	const quick = readBenchOptions(['--quick']);
	expect(quick.isWhole).toBe(false);
	const quickIds = WORK_ITEMS.filter(({ isQuick }) => isQuick).map(({ id }) => id);
	expect(quick.items.map(({ id }) => id)).toEqual(quickIds);
	expect(quick.items.flatMap(({ contenders }) => contenders)).not.toContain('reactiveRetryAfter');
	const some = readBenchOptions(['--only', 'sends, bulk-1000']);
	expect(some).toMatchObject({ isWhole: false });
	expect(some.items.map(({ id }) => id)).toEqual(['sends', 'bulk-1000']);
	expect(() => readBenchOptions(['--only', 'sends,nothing'])).toThrow('work item "nothing"');
	expect(() => readBenchOptions(['--slow'])).toThrow("'--slow'");
});

test.each([
	[420, '0.42 s'],
	[9_994, '9.99 s'],
	[62_060, '62.1 s'],
	[179_940, '179.9 s'],
	[239_700, '4 min 0 s'],
	[3_600_000, '1 h 0 min'],
])('%d ms are written as %s', (ms, written) => expect(formatTime(ms)).toBe(written));
