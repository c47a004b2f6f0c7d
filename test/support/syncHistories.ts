/** Random histories of a service that is read incrementally, and what strikes between the pages of a poll. */
import * as fc from 'fast-check';

export type SyncChange =
	| { type: 'create'; shownAfterMs: number }
	| { type: 'update'; which: number; shownAfterMs: number }
	| { type: 'delete'; which: number };

export interface SyncPoll {
	/** How long after the poll before (ms). */
	afterMs: number;
	/** What happens before it. */
	before: SyncChange[];
	/** What happens behind each of its pages. */
	strikes: SyncChange[][];
	/** Fails at so many requests. */
	failsAt?: number;
	/** How many pages it has time for. */
	pages?: number;
}

export interface SyncHistory {
	length: number;
	pageSize?: number;
	aheadMs: number;
	precisionMs: number;
	isExclusive: boolean;
	keepsDeleted: boolean;
	fullReadHours: number;
	polls: SyncPoll[];
}

const share = fc.double({ min: 0, max: 0.999, noNaN: true, noDefaultInfinity: true });
/** A write is shown up to 60 s late. */
const shownAfterMs = fc.constantFrom(0, 0, 1_000, 30_000, 60_000);
const change: fc.Arbitrary<SyncChange> = fc.oneof(
	fc.record({ type: fc.constant('create' as const), shownAfterMs }),
	fc.record({ type: fc.constant('update' as const), which: share, shownAfterMs }),
	fc.record({ type: fc.constant('delete' as const), which: share }),
);
const changes = fc.oneof(
	{ arbitrary: fc.constant<SyncChange[]>([]), weight: 2 },
	{ arbitrary: fc.array(change, { maxLength: 4 }), weight: 1 },
);
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 5 });

export const syncHistory: fc.Arbitrary<SyncHistory> = fc.record({
	length: fc.integer({ min: 0, max: 9 }),
	pageSize: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
	aheadMs: fc.constantFrom(0, -7_200_000, 7_200_000),
	precisionMs: fc.constantFrom(1_000, 60_000),
	isExclusive: fc.boolean(),
	keepsDeleted: fc.boolean(),
	fullReadHours: fc.constantFrom(0.5, 1, 24),
	polls: fc.array(
		fc.record({
			afterMs: fc.constantFrom(60_000, 60_000, 600_000, 3_600_000, 604_800_000),
			before: changes,
			strikes: fc.array(changes, { maxLength: 4 }),
			failsAt: rarely(fc.integer({ min: 1, max: 4 })),
			pages: rarely(fc.integer({ min: 1, max: 3 })),
		}),
		{ minLength: 1, maxLength: 8 },
	),
});
