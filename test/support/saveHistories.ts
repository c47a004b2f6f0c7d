/** Random histories of a published trigger in n8n: changes of the list, and the fate of n8n's saves. */
import * as fc from 'fast-check';

import { listChange, rarely } from './histories';
import type { Save } from './savingN8n';
import type { ListChange } from './simulatedList';

export interface SavedPoll {
	/** Changes before the poll. */
	changes: ListChange[];
	/** Changes after each of its pages. */
	strikes: ListChange[][];
	/** Which of two main processes polls. */
	process: 0 | 1;
	/** What happens to its process before the poll. */
	begins?: 'killed' | 'republished';
	/** How long (ms) each response takes. */
	slowMs: number;
	/** Whether the next poll begins before it has ended. */
	isOverlapped?: boolean;
	/** What n8n does with its items; by default, it emits them at once. */
	ends?: 'emittedLate' | 'killed' | 'killedBeforeSave';
	save?: Save;
	/** If set, an execution begins that saves the state it has read after so many more polls. */
	execution?: number;
}

export interface SaveHistory {
	paging: 'none' | 'pageNumber';
	pageSize: number;
	length: number;
	polls: SavedPoll[];
}

const changes = fc.array(listChange, { maxLength: 2 });

export const saveHistory: fc.Arbitrary<SaveHistory> = fc.record({
	paging: fc.constantFrom('none', 'pageNumber'),
	pageSize: fc.integer({ min: 1, max: 3 }),
	length: fc.integer({ min: 0, max: 6 }),
	polls: fc.array(
		fc.record({
			changes,
			strikes: fc.array(changes, { maxLength: 2 }),
			process: fc.constantFrom<Array<0 | 1>>(0, 0, 1),
			begins: rarely(fc.constantFrom('killed', 'republished'), 3),
			slowMs: fc.constantFrom(0, 0, 500, 30_000),
			isOverlapped: rarely(fc.constant(true), 3),
			ends: rarely(fc.constantFrom('emittedLate', 'killed', 'killedBeforeSave'), 3),
			save: rarely(
				fc.constantFrom<Save[]>(
					'late',
					'veryLate',
					'twice',
					'fails',
					'replyLost',
					'landsAfterError',
				),
				3,
			),
			execution: rarely(fc.integer({ min: 0, max: 3 }), 3),
		}),
		{ minLength: 2, maxLength: 6 },
	),
});

const QUIET: SavedPoll = { changes: [], strikes: [], process: 0, slowMs: 0 };
const CREATED: ListChange[] = [{ type: 'create', at: 0 }];
const historyOf = (polls: SavedPoll[]): [SaveHistory] => [
	{ paging: 'none', pageSize: 1, length: 0, polls },
];

/** Histories that once failed. */
export const KNOWN_HISTORIES: Array<[SaveHistory]> = [
	historyOf([{ ...QUIET, changes: CREATED, ends: 'emittedLate' }, QUIET]),
	// State of discarded items is saved with the items of another node.
	historyOf([
		{ ...QUIET, strikes: [CREATED] },
		{ ...QUIET, slowMs: 30_000, isOverlapped: true },
		{ ...QUIET, begins: 'republished' },
	]),
];
