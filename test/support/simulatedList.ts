/**
 * A service's list in pages that changes while it is read: each response shows the state of its moment, and there is no
 * snapshot over the pages of a read. The list has its own clock, shows writes late, marks or removes deleted records, and
 * hides records from some roles. It runs in logical time.
 */
import type { ServerResponse } from 'node:http';

import type { Query } from './listService';

/** How the list is split. `offsetCursor` counts records, as page numbers do; `keyCursor` follows the last ID. */
export type Paging = 'none' | 'pageNumber' | 'offset' | 'offsetCursor' | 'keyCursor';

export interface ListRecord {
	id: number;
	version: number;
	deleted?: true;
	/** An ignored field, whose changes are no updates. */
	views?: number;
}

/** A change of the list. Positions and records are given as a share of its length, from 0 to 1. */
export type ListChange =
	| { type: 'create'; at?: number; shownAfterMs?: number }
	| { type: 'update'; which: number; moveTo?: number; shownAfterMs?: number }
	/** Back to its first version. */
	| { type: 'revert'; which: number }
	/** A change of the ignored field. */
	| { type: 'view'; which: number }
	| { type: 'delete'; which: number }
	| { type: 'resize'; pageSize: number };

export interface SimulatedSettings {
	paging?: Paging;
	/** By default, all records are on one page. */
	pageSize?: number;
	saysTotal?: boolean;
	/** `own` is where changes put a record, `changed` by the time of its last change. */
	order?: 'own' | 'changed' | 'newestFirst' | 'id';
	/** By how much (ms) its clock is ahead of n8n's. */
	aheadMs?: number;
	/** The precision of its times (ms). */
	precisionMs?: number;
	/** Whether its filter leaves out records that changed at exactly the given time. */
	isExclusive?: boolean;
	/** Parses the time in a request. */
	parse?: (text: string) => number;
	header?: string;
	/** Whether deleted records stay, marked; `incremental` shows them only to a request with a time. */
	tombstones?: 'always' | 'incremental';
	noDate?: boolean;
}

interface Stored {
	record: ListRecord;
	place: number;
	changedAt: number;
	/** From when and until when it is visible, by n8n's clock. */
	visibleAt: number;
	until?: number;
}

export class SimulatedList {
	private readonly stored: Stored[] = [];
	/** The time in each request; undefined for a full read. */
	readonly since: Array<string | undefined> = [];

	/** Called before each response. */
	strike: (page: number) => void = () => undefined;

	/** Whether the role of the key sees one record in five. */
	hides = false;
	private lastVersion = 0;
	private isResized = false;

	constructor(
		readonly settings: SimulatedSettings = {},
		count = 0,
	) {
		for (let id = 1; id <= count; id++) this.write(id);
	}

	get now(): number {
		return Date.now() + (this.settings.aheadMs ?? 0);
	}

	change(change: ListChange): void {
		const { type } = change;
		if (type === 'create') {
			// A new ID.
			const id = 1 + Math.max(0, ...this.stored.map(({ record }) => record.id));
			this.write(id, change.shownAfterMs, undefined, this.placeAt(change.at ?? 1));
		} else if (type === 'resize') {
			// Only once: after a change and back, the pages would not show that records were skipped.
			if (!this.isResized) this.settings.pageSize = change.pageSize;
			this.isResized = true;
		} else {
			const all = [...this.records.values()];
			const { id } = all[Math.floor(change.which * all.length)] ?? {};
			if (id === undefined) return;
			if (type === 'delete') this.remove(id);
			else if (type === 'revert') this.revert(id);
			else if (type === 'view') this.view(id);
			else {
				const place = change.moveTo === undefined ? undefined : this.placeAt(change.moveTo);
				this.write(id, change.shownAfterMs, undefined, place);
			}
		}
	}

	/** Creates or changes a record, which shows after a delay (ms). */
	write(
		id: number,
		shownAfterMs = 0,
		content: object = { version: ++this.lastVersion },
		at?: number,
	) {
		const visibleAt = Date.now() + shownAfterMs;
		const versions = this.stored.filter(({ record }) => record.id === id);
		for (const one of versions) one.until = Math.min(visibleAt, one.until ?? Infinity);
		const place = at ?? versions.at(-1)?.place ?? this.placeAt(1);
		const record = { id, ...content } as ListRecord;
		this.stored.push({ record, place, changedAt: this.now, visibleAt });
	}

	/** Changes a record back to its first version. */
	revert(id: number): void {
		const { version } = this.stored.find(({ record }) => record.id === id)?.record ?? {};
		this.write(id, 0, { version });
	}

	view(id: number): void {
		const { record } = this.stored.filter((one) => one.record.id === id).at(-1) ?? {};
		this.write(id, 0, { ...record, views: (record?.views ?? 0) + 1 });
	}

	remove(id: number): void {
		this.write(id, 0, { version: 0, deleted: true });
		if (this.settings.tombstones === undefined) this.stored.pop();
	}

	/** The present records by ID. */
	get records(): Map<string, ListRecord> {
		const there = this.stored.filter(
			({ record, until }) => until === undefined && record.deleted !== true,
		);
		return new Map(there.map(({ record: { views: _, ...record } }) => [String(record.id), record]));
	}

	respond(query: Query, response: ServerResponse): unknown {
		const { header, noDate } = this.settings;
		const own = header === undefined ? query.since : response.req.headers[header.toLowerCase()];
		const since = own as string | undefined;
		this.since.push(since);
		if (noDate) response.sendDate = false;
		else response.setHeader('date', new Date(this.now).toUTCString());
		const body = JSON.stringify(this.body(query, since));
		this.strike(Number(query.page ?? 1));
		response.setHeader('content-type', 'application/json');
		return void response.end(body);
	}

	/** The body of the response to a query: a page of the records changed since a time, or of all. */
	body(query: Query, since?: string): { contacts: ListRecord[] } {
		const { pageSize = Infinity, paging = 'pageNumber', saysTotal } = this.settings;
		const shown = this.shown(since);
		const total = saysTotal ? { total: shown.length } : {};
		if (paging === 'none' || pageSize === Infinity) return { contacts: shown, ...total };
		const { page = '1', offset = '0', cursor = '0' } = query;
		const behind = shown.findIndex(({ id }) => id > Number(cursor));
		const start = {
			pageNumber: (Number(page) - 1) * pageSize,
			offset: Number(offset),
			offsetCursor: Number(cursor),
			keyCursor: behind < 0 ? shown.length : behind,
		}[paging];
		const contacts = shown.slice(start, start + pageSize);
		const hasMore = start + contacts.length < shown.length && paging.endsWith('Cursor');
		const next = paging === 'keyCursor' ? contacts.at(-1)?.id : start + contacts.length;
		return { contacts, ...total, ...(hasMore ? { nextCursor: String(next) } : {}) };
	}

	private shown(since: string | undefined): ListRecord[] {
		const { order = 'changed', paging, parse = Date.parse } = this.settings;
		const sinceMs = since === undefined ? undefined : parse(since);
		const shown = this.stored.filter((one) => this.isShown(one, sinceMs));
		if (order === 'newestFirst') shown.reverse();
		if (order === 'own') shown.sort((a, b) => a.place - b.place);
		if (order === 'id' || paging === 'keyCursor') shown.sort((a, b) => a.record.id - b.record.id);
		return shown.map(({ record }) => record);
	}

	private isShown(stored: Stored, sinceMs: number | undefined): boolean {
		const { record, changedAt, visibleAt, until = Infinity } = stored;
		const now = Date.now();
		if (visibleAt > now || until <= now) return false;
		if (this.hides && record.id % 5 > 0) return false;
		const { tombstones } = this.settings;
		if (sinceMs === undefined) return tombstones === 'always' || record.deleted !== true;
		const { precisionMs = 1000, isExclusive } = this.settings;
		const rounded = Math.floor(changedAt / precisionMs) * precisionMs;
		return isExclusive ? rounded > sinceMs : rounded >= sinceMs;
	}

	/** A position between records, by a share of the list's length. */
	private placeAt(share: number): number {
		const there = this.stored.filter(({ until }) => until === undefined);
		const places = there.map(({ place }) => place).sort((a, b) => a - b);
		const index = Math.floor(share * places.length);
		const before = places[index - 1] ?? (places[0] ?? 0) - 2;
		return (before + (places[index] ?? before + 2)) / 2;
	}
}
