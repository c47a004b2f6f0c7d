/** Random histories of a service that is read incrementally, and what strikes between the pages of a poll. */
import * as fc from 'fast-check';

import type { SyncSettings } from './syncService';

export type SyncChange =
	| { type: 'create'; shownAfterMs: number }
	| { type: 'update'; which: number; shownAfterMs: number }
	/** As it was once before. */
	| { type: 'revert'; which: number }
	/** In a field that is ignored. */
	| { type: 'view'; which: number }
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
	/** What it found is lost with the process. */
	isLost?: boolean;
	/** From then on, the service shows few records to the role of the key, or all. */
	hides?: boolean;
	/** The clock of the service is set by so much (ms). */
	clockMs?: number;
}

export interface SyncHistory extends SyncSettings {
	/** When it begins. */
	startsAt: string;
	length: number;
	/** The behaviour of the service behind the last page, and where nothing has changed. */
	end: 'list' | '204' | '304';
	sendIn: 'query' | 'header';
	format: string;
	fullReadHours: number;
	/** How far the quiet polls at its end are apart (ms). */
	quietMs: number;
	polls: SyncPoll[];
}

const share = fc.double({ min: 0, max: 0.999, noNaN: true, noDefaultInfinity: true });
/** A write is shown up to 60 s late. */
const shownAfterMs = fc.constantFrom(0, 0, 1_000, 30_000, 60_000);
const change: fc.Arbitrary<SyncChange> = fc.oneof(
	fc.record({ type: fc.constant('create' as const), shownAfterMs }),
	fc.record({ type: fc.constant('update' as const), which: share, shownAfterMs }),
	fc.record({ type: fc.constant('revert' as const), which: share }),
	fc.record({ type: fc.constant('view' as const), which: share }),
	fc.record({ type: fc.constant('delete' as const), which: share }),
);
const changes = fc.oneof(
	{ arbitrary: fc.constant<SyncChange[]>([]), weight: 2 },
	{ arbitrary: fc.array(change, { maxLength: 4 }), weight: 1 },
);
const rarely = <T>(arbitrary: fc.Arbitrary<T>, freq = 5) =>
	fc.option(arbitrary, { nil: undefined, freq });

export const syncHistory: fc.Arbitrary<SyncHistory> = fc.record({
	// In the night of one the clocks of Berlin are set back, and in that of another one forward.
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
			before: changes,
			strikes: fc.array(changes, { maxLength: 4 }),
			failsAt: rarely(fc.integer({ min: 1, max: 4 })),
			pages: rarely(fc.integer({ min: 1, max: 3 })),
			isLost: rarely(fc.constant(true)),
			hides: rarely(fc.boolean()),
			clockMs: rarely(fc.constantFrom(-10_800_000, -1_800_000), 20),
		}),
		{ minLength: 1, maxLength: 8 },
	),
});
