/** Random histories of a list that is polled: what it is like at first, and what strikes between its pages. */
import * as fc from 'fast-check';

import type { ListChange, Paging } from './changingList';

export interface ListHistory {
	paging: Paging;
	pageSize: number;
	saysTotal: boolean;
	length: number;
	emitExisting: boolean;
	/** The changes behind each response, poll by poll; further responses of a poll have none behind them. */
	polls: ListChange[][][];
}

const share = fc.double({ min: 0, max: 0.999, noNaN: true, noDefaultInfinity: true });

export const listChange: fc.Arbitrary<ListChange> = fc.oneof(
	{ arbitrary: fc.record({ type: fc.constant('delete' as const), which: share }), weight: 4 },
	{ arbitrary: fc.record({ type: fc.constant('create' as const), at: share }), weight: 3 },
	{
		arbitrary: fc.record({
			type: fc.constant('update' as const),
			which: share,
			moveTo: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
		}),
		weight: 3,
	},
	{
		arbitrary: fc.record({
			type: fc.constant('resize' as const),
			pageSize: fc.integer({ min: 1, max: 5 }),
		}),
		weight: 1,
	},
);

const changes = fc.oneof(
	{ arbitrary: fc.constant<ListChange[]>([]), weight: 3 },
	{ arbitrary: fc.array(listChange, { maxLength: 3 }), weight: 2 },
);

export const listHistory: fc.Arbitrary<ListHistory> = fc.record({
	paging: fc.constantFrom<Paging[]>('none', 'pageNumber', 'offset', 'offsetCursor', 'keyCursor'),
	pageSize: fc.integer({ min: 1, max: 4 }),
	saysTotal: fc.boolean(),
	length: fc.integer({ min: 0, max: 12 }),
	emitExisting: fc.boolean(),
	polls: fc.array(fc.array(changes, { maxLength: 8 }), { minLength: 1, maxLength: 5 }),
});

/** The option Pagination of the trigger for it. */
export function paginationOf({
	paging,
	pageSize,
}: Pick<ListHistory, 'paging' | 'pageSize'>): object {
	if (paging === 'none') return {};
	const isCursor = paging === 'offsetCursor' || paging === 'keyCursor';
	return { pagination: { values: { type: isCursor ? 'cursor' : paging, pageSize } } };
}
