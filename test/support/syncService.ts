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
	keepsDeleted?: boolean;
	noDate?: boolean;
}

interface Stored {
	record: SyncRecord;
	changedAt: number;
	/** By n8n's clock. */
	visibleAt: number;
}

export class SyncService {
	readonly stored: Stored[] = [];

	/** What was asked for, request by request; undefined where all was. */
	readonly since: Array<string | undefined> = [];

	/** Records that the role of the key does not see. */
	isHidden: (record: SyncRecord) => boolean = () => false;

	/** Called before each response. */
	strike: (page: number) => void = () => undefined;

	private lastVersion = 0;

	constructor(
		private readonly settings: SyncSettings = {},
		count = 0,
	) {
		for (let id = 1; id <= count; id++) this.write(id);
	}

	get now(): number {
		return Date.now() + (this.settings.aheadMs ?? 0);
	}

	/** Creates or changes a record, which is shown after so long (ms). */
	write(id: number, shownAfterMs = 0): void {
		const before = this.stored.findIndex(({ record }) => record.id === id);
		if (before >= 0) this.stored.splice(before, 1);
		const record = { id, version: ++this.lastVersion };
		this.stored.push({ record, changedAt: this.now, visibleAt: Date.now() + shownAfterMs });
	}

	remove(id: number): void {
		this.write(id);
		const stored = this.stored.pop();
		if (stored !== undefined && this.settings.keepsDeleted) {
			this.stored.push({ ...stored, record: { ...stored.record, deleted: true } });
		}
	}

	/** What is there, by ID. */
	get records(): Map<string, SyncRecord> {
		const there = this.stored.filter(({ record }) => record.deleted !== true);
		return new Map(there.map(({ record }) => [String(record.id), record]));
	}

	respond(query: Query, response: ServerResponse): unknown {
		const { header, pageSize, noDate } = this.settings;
		const own = header === undefined ? query.since : response.req.headers[header.toLowerCase()];
		const since = own as string | undefined;
		this.since.push(since);
		if (noDate) response.sendDate = false;
		else response.setHeader('date', new Date(this.now).toUTCString());
		const page = Number(query.page ?? 1);
		const shown = this.stored.filter((one) => this.isShown(one, since)).map(({ record }) => record);
		const contacts =
			pageSize === undefined ? shown : shown.slice((page - 1) * pageSize, page * pageSize);
		const body = JSON.stringify({ contacts });
		this.strike(page);
		response.setHeader('content-type', 'application/json');
		return void response.end(body);
	}

	private isShown({ record, changedAt, visibleAt }: Stored, since: string | undefined): boolean {
		if (visibleAt > Date.now() || this.isHidden(record)) return false;
		if (since === undefined) return true;
		const { parse = Date.parse, precisionMs = 1000, isExclusive } = this.settings;
		const rounded = Math.floor(changedAt / precisionMs) * precisionMs;
		return isExclusive ? rounded > parse(since) : rounded >= parse(since);
	}
}
