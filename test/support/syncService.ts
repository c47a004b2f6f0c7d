/**
 * A service for incremental reads, with a clock of its own: it shows writes late, marks or removes what is deleted,
 * and hides records from some roles. Time is logical time.
 */
import type { ServerResponse } from 'node:http';

import type { Query } from './listService';

export interface SyncRecord {
	id: number;
	version: number;
	deleted?: true;
	/** Moves the record without changing it. */
	views?: number;
}

export interface SyncSettings {
	/** How much its clock is ahead of n8n's (ms). */
	aheadMs?: number;
	/** How exact its times are (ms). */
	precisionMs?: number;
	/** Whether its filter leaves out what changed at the very time. */
	isExclusive?: boolean;
	/** Reads the time of a request. */
	parse?: (text: string) => number;
	header?: string;
	pageSize?: number;
	/** By when the records were last changed, unless given. */
	order?: 'changed' | 'newestFirst' | 'id';
	/** Whether deleted records stay, marked; `incremental` shows them only to a request with a time. */
	tombstones?: 'always' | 'incremental';
	noDate?: boolean;
}

interface Stored {
	record: SyncRecord;
	changedAt: number;
	/** From when and until when it is shown, by n8n's clock. */
	visibleAt: number;
	until?: number;
}

export class SyncService {
	readonly stored: Stored[] = [];

	/** What was asked for, request by request; undefined where all was. */
	readonly since: Array<string | undefined> = [];

	/** Called before each response. */
	strike: (page: number) => void = () => undefined;

	/** Whether the role of the key sees one record in five. */
	hides = false;

	private lastVersion = 0;

	constructor(
		readonly settings: SyncSettings = {},
		count = 0,
	) {
		for (let id = 1; id <= count; id++) this.write(id);
	}

	get now(): number {
		return Date.now() + (this.settings.aheadMs ?? 0);
	}

	/** Creates one with an ID that was never used. */
	create(shownAfterMs = 0): void {
		this.write(1 + Math.max(0, ...this.stored.map(({ record }) => record.id)), shownAfterMs);
	}

	/** Creates or changes a record, which is shown after so long (ms). */
	write(id: number, shownAfterMs = 0, content: object = { version: ++this.lastVersion }): void {
		const visibleAt = Date.now() + shownAfterMs;
		for (const one of this.stored) {
			if (one.record.id === id) one.until = Math.min(visibleAt, one.until ?? Infinity);
		}
		const record = { id, ...content } as SyncRecord;
		this.stored.push({ record, changedAt: this.now, visibleAt });
	}

	/** Changes a record back to what it first was. */
	revert(id: number): void {
		const { version } = this.stored.find(({ record }) => record.id === id)?.record ?? {};
		this.write(id, 0, { version });
	}

	/** Changes a field of a record that nobody watches. */
	view(id: number): void {
		const { record } = this.stored.filter((one) => one.record.id === id).at(-1) ?? {};
		this.write(id, 0, { ...record, views: (record?.views ?? 0) + 1 });
	}

	remove(id: number): void {
		this.write(id, 0, { version: 0, deleted: true });
		if (this.settings.tombstones === undefined) this.stored.pop();
	}

	/** What is there, by ID. */
	get records(): Map<string, SyncRecord> {
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
		const page = Number(query.page ?? 1);
		const body = JSON.stringify({ contacts: this.page(page, since) });
		this.strike(page);
		response.setHeader('content-type', 'application/json');
		return void response.end(body);
	}

	/** A page of what has changed since a time, or of all. */
	page(page: number, since: string | undefined): SyncRecord[] {
		const { pageSize = Infinity, order } = this.settings;
		const shown = this.stored.filter((one) => this.isShown(one, since)).map(({ record }) => record);
		if (order === 'newestFirst') shown.reverse();
		if (order === 'id') shown.sort((a, b) => a.id - b.id);
		return pageSize === Infinity ? shown : shown.slice((page - 1) * pageSize, page * pageSize);
	}

	private isShown(stored: Stored, since: string | undefined): boolean {
		const { record, changedAt, visibleAt, until = Infinity } = stored;
		if (visibleAt > Date.now() || until <= Date.now()) return false;
		if (this.hides && record.id % 5 > 0) return false;
		const { tombstones } = this.settings;
		if (since === undefined) return tombstones === 'always' || record.deleted !== true;
		const { parse = Date.parse, precisionMs = 1000, isExclusive } = this.settings;
		const rounded = Math.floor(changedAt / precisionMs) * precisionMs;
		return isExclusive ? rounded > parse(since) : rounded >= parse(since);
	}
}
