/** Random histories of a polled list: its settings, and the changes before polls and between pages. */
import * as fc from 'fast-check';

import type { ListChange, SimulatedSettings } from './simulatedList';

export interface HistoryPoll {
	/** How long after the previous poll (ms). */
	afterMs: number;
	/** Changes before the poll. */
	before: ListChange[];
	/** Changes after each of its pages. */
	strikes: ListChange[][];
	/** The request at which it fails. */
	failsAt?: number;
	/** The most pages it has time for. */
	pages?: number;
	/** Whether its result is lost with the process. */
	isLost?: boolean;
	/** From then on, whether the service hides most records from the role of the key. */
	hides?: boolean;
	/** By how much (ms) the clock of the service is set. */
	clockMs?: number;
}

export interface FullHistory extends SimulatedSettings {
	length: number;
	emitExisting: boolean;
	polls: HistoryPoll[];
}

export interface SyncHistory extends SimulatedSettings {
	/** The time of its start. */
	startsAt: string;
	length: number;
	/** The response of the service after the last page, and if nothing has changed. */
	end: 'list' | '204' | '304';
	sendIn: 'query' | 'header';
	format: string;
	fullReadHours: number;
	/** The interval of the quiet polls at its end (ms). */
	quietMs: number;
	polls: HistoryPoll[];
}

const share = fc.double({ min: 0, max: 0.999, noNaN: true, noDefaultInfinity: true });
/** Writes show up to 60 s late. */
const shownAfterMs = fc.constantFrom(0, 0, 1_000, 30_000, 60_000);
const type = <T extends string>(name: T) => fc.constant(name);
const which = share;

const syncChange: fc.Arbitrary<ListChange> = fc.oneof(
	fc.record({ type: type('create'), shownAfterMs }),
	fc.record({ type: type('update'), which, shownAfterMs }),
	fc.record({ type: type('revert'), which }),
	fc.record({ type: type('view'), which }),
	fc.record({ type: type('delete'), which }),
);

const moveTo = fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined });
export const listChange: fc.Arbitrary<ListChange> = fc.oneof(
	{ arbitrary: fc.record({ type: type('delete'), which }), weight: 4 },
	{ arbitrary: fc.record({ type: type('create'), at: share }), weight: 3 },
	{ arbitrary: fc.record({ type: type('update'), which, moveTo }), weight: 3 },
	{
		arbitrary: fc.record({ type: type('resize'), pageSize: fc.integer({ min: 1, max: 5 }) }),
		weight: 1,
	},
);

const sometimes = (change: fc.Arbitrary<ListChange>, maxLength: number) =>
	fc.oneof(
		{ arbitrary: fc.constant<ListChange[]>([]), weight: 3 },
		{ arbitrary: fc.array(change, { maxLength }), weight: 2 },
	);
/** A value once in `times`. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>, times = 5): fc.Arbitrary<T | undefined> =>
	fc.oneof({ arbitrary: fc.constant(undefined), weight: times - 1 }, { arbitrary, weight: 1 });

/** A history of a list that each poll reads in full. */
export const fullHistory: fc.Arbitrary<FullHistory> = fc.record({
	paging: fc.constantFrom('none', 'pageNumber', 'offset', 'offsetCursor', 'keyCursor'),
	pageSize: fc.integer({ min: 1, max: 4 }),
	saysTotal: fc.boolean(),
	order: fc.constant('own'),
	length: fc.integer({ min: 0, max: 12 }),
	emitExisting: fc.boolean(),
	polls: fc.array(
		fc.record({
			afterMs: fc.constant(60_000),
			before: sometimes(listChange, 3),
			strikes: fc.array(sometimes(listChange, 3), { maxLength: 8 }),
			pages: rarely(fc.integer({ min: 1, max: 4 }), 3),
		}),
		{ minLength: 1, maxLength: 5 },
	),
});

/** A history of a list that is read incrementally. */
export const syncHistory: fc.Arbitrary<SyncHistory> = fc.record({
	// Two of them are in nights in which the clocks of Berlin change.
	startsAt: fc.constantFrom('2027-01-15T08:00Z', '2026-10-24T23:30Z', '2027-03-28T00:30Z'),
	length: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 15, max: 20 })),
	pageSize: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
	order: fc.constantFrom('changed', 'newestFirst', 'id'),
	end: fc.constantFrom('list', '204', '304'),
	sendIn: fc.constantFrom('query', 'header'),
	format: fc.constantFrom('iso', 'unixSeconds', 'httpDate', 'yyyy-MM-dd HH:mm'),
	aheadMs: fc.constantFrom(0, -7_200_000, 7_200_000),
	precisionMs: fc.constantFrom(1_000, 60_000),
	isExclusive: fc.boolean(),
	tombstones: fc.constantFrom(undefined, 'always', 'incremental'),
	fullReadHours: fc.constantFrom(0.5, 1, 24),
	quietMs: fc.constantFrom(120_000, 600_000, 3_600_000),
	polls: fc.array(
		fc.record({
			afterMs: fc.constantFrom(60_000, 60_000, 600_000, 3_600_000, 604_800_000),
			before: sometimes(syncChange, 4),
			strikes: fc.array(sometimes(syncChange, 4), { maxLength: 4 }),
			failsAt: rarely(fc.integer({ min: 1, max: 4 })),
			pages: rarely(fc.integer({ min: 1, max: 3 })),
			isLost: rarely(fc.constant(true)),
			hides: rarely(fc.boolean()),
			clockMs: rarely(fc.constantFrom(-10_800_000, -1_800_000), 20),
		}),
		{ minLength: 1, maxLength: 8 },
	),
});

/** The option Pagination of the trigger for a list. */
export function paginationOf({ paging, pageSize }: SimulatedSettings): object {
	if (paging === 'none' || pageSize === undefined) return {};
	const type = paging === undefined ? 'pageNumber' : paging.endsWith('Cursor') ? 'cursor' : paging;
	return { pagination: { values: { type, pageSize } } };
}
