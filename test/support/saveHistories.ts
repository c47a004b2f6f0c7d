/** Random histories of a published trigger in n8n: what changes in the list, and what becomes of n8n's saves. */
import * as fc from 'fast-check';

import { listChange, rarely } from './histories';
import type { Save } from './savingN8n';
import type { ListChange } from './simulatedList';

export interface SavedPoll {
	/** Before it. */
	changes: ListChange[];
	/** Behind each of its pages. */
	strikes: ListChange[][];
	/** Of two main processes. */
	process: 0 | 1;
	/** What its process does before. */
	begins?: 'killed' | 'republished';
	/** How long (ms) each response takes. */
	slowMs: number;
	/** Whether the next poll begins before it has ended. */
	isOverlapped?: boolean;
	/** What n8n makes of its items; it emits them at once unless given. */
	ends?: 'emittedLate' | 'killed' | 'killedBeforeSave';
	save?: Save;
	/** With it, an execution begins that saves what it has read when so many more polls have ended. */
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
					...(['late', 'veryLate', 'twice', 'fails', 'replyLost', 'landsAfterError'] as const),
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

/** Histories that went wrong once. */
export const KNOWN_HISTORIES: Array<[SaveHistory]> = [
	historyOf([{ ...QUIET, changes: CREATED, ends: 'emittedLate' }, QUIET]),
	// What n8n throws away is saved with the items of another node.
	historyOf([
		{ ...QUIET, strikes: [CREATED] },
		{ ...QUIET, slowMs: 30_000, isOverlapped: true },
		{ ...QUIET, begins: 'republished' },
	]),
];
