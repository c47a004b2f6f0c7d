import { FIRST_SINGLE, measure, type Observation, requestsFor } from '../../../bench/measure';
import { entry, otherClientEntry, workItem } from './examples';

// Figures below are computed by these limits, whatever the service's are.
jest.mock('../../../sandbox/limits', () => ({
	...jest.requireActual<object>('../../../sandbox/limits'),
	DOCUMENTED_LIMITS: jest.requireActual<Record<'EXAMPLE_LIMITS', object>>(
		'../../support/exampleLimits',
	).EXAMPLE_LIMITS,
}));

const run = (itemsThrough: number) => ({ ms: 900, itemsThrough, errors: ['lost', 'lost'] });

const observe = (changes: Partial<Observation>): Observation => ({
	contender: 'ours',
	item: workItem('reads-10-50ms'),
	journal: [],
	runs: [run(10)],
	arrivals: [],
	...changes,
});

test('the makespan is from the first request in to the last response out', () => {
	const journal = [entry(1, 500), entry(2, 800, 429), entry(3, 1_700), entry(2, 2_000, 429)];
	expect(measure(observe({ journal, runs: [run(1), run(1)] }))).toEqual({
		contender: 'ours',
		items: 10,
		itemsThrough: 2,
		requests: 4,
		refused: 2,
		// Half of 50 ms before the first moment, and half of it after the last one.
		makespanMs: 1_250,
		bestMs: 50,
		workflowMs: 900,
		letThroughAt: [0, 1_200],
		refusedAt: [300, 1_500],
		errors: ['lost'],
	});
});

test('a contender that sent nothing is an error with its reason', () => {
	expect(() => measure(observe({}))).toThrow('reads-10-50ms: ours sent no request. lost');
});

test('the wait of a single request stands beside the wait for a slot', () => {
	const batch = Array.from({ length: 10 }, (_, index) => entry(index + 1, 1_000 + index));
	const journal = [
		...batch,
		entry(FIRST_SINGLE, 2_100),
		entry(FIRST_SINGLE + 1, 2_400, 429),
		entry(11, 9_000),
	];
	const arrivals = [
		{ number: FIRST_SINGLE, atMs: 1_500 },
		{ number: FIRST_SINGLE + 1, atMs: 2_300 },
	];
	// Comes while the tenth is under way.
	arrivals.push({ number: FIRST_SINGLE + 2, atMs: 990 });
	const measured = measure(observe({ item: workItem('singles'), journal, arrivals }));
	expect(measured.singles).toEqual([
		// The first of ten came at 1,000 ms.
		{ atMs: 500, waitMs: 600, slotMs: 500 },
		{ atMs: 1_300, slotMs: 0 },
		{ atMs: -10, slotMs: 1_010 },
	]);
	// 300 of the batch and the single one that came through before its last.
	expect(measured.bestMs).toBe(180_050);
	expect(measured.makespanMs).toBe(8_050);
});

test('another client is counted apart, and leaves the rest of the limits', () => {
	const journal = [otherClientEntry(0), entry(1, 100), otherClientEntry(150, 429), entry(2, 200)];
	const measured = measure(observe({ item: workItem('foreign-33'), journal }));
	expect(measured).toMatchObject({ requests: 2, refused: 0, letThroughAt: [0, 100] });
	expect(measured.foreign).toEqual({ requests: 2, refused: 1 });
	// 66 in the first minute, then 20 every 10 s.
	expect(measured.bestMs).toBe(90_050);
});

test('executions in queue mode are told by worker', () => {
	const item = workItem('foreign-queue-33');
	const observed = observe({ item, journal: [entry(1, 0)], executionsPerWorker: [2, 2] });
	expect(measure(observed)).toMatchObject({ items: 130, executionsPerWorker: [2, 2] });
});

test('documents are counted by their number, over both runs', () => {
	const item = workItem('sends');
	const journal = [entry(1, 0), entry(2, 10), entry(3, 20, 429), entry(2, 30)];
	const journalAfterSecondRun = [...journal, entry(1, 900), entry(3, 910)];
	const { documents } = measure(observe({ item, journal, journalAfterSecondRun }));
	// The second in the first run already, and the first in the second run.
	expect(documents).toEqual({ sent: 2, sentTwice: 2, missing: 6 });
	expect(measure(observe({ item, journal })).documents).toEqual({
		sent: 2,
		sentTwice: 1,
		missing: 7,
	});
});

test('records are deleted 100 per request', () => {
	expect(requestsFor(workItem('bulk-1000'))).toBe(10);
	expect(requestsFor(workItem('bulk-100000'))).toBe(1_000);
	expect(requestsFor(workItem('together-50ms'))).toBe(130);
});
