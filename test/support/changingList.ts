/**
 * A list that changes while it is read, as a service splits it into pages: whatever is asked of it between
 * two changes gets a response from one state, and nothing holds the pages of a read together.
 */

/** How the list is split. `offsetCursor` counts records, as page numbers do; `keyCursor` follows the last ID. */
export type Paging = 'none' | 'pageNumber' | 'offset' | 'offsetCursor' | 'keyCursor';

export interface ListRecord {
	id: number;
	version: number;
}

/** What happens to the list. Places and records are chosen by a share of the list's length, from 0 to 1. */
export type ListChange =
	| { type: 'create'; at: number }
	| { type: 'update'; which: number; moveTo?: number }
	| { type: 'delete'; which: number }
	| { type: 'resize'; pageSize: number };

export class ChangingList {
	private list: ListRecord[] = [];

	private lastId = 0;

	private lastVersion = 0;

	private isResized = false;

	constructor(
		readonly paging: Paging,
		private pageSize: number,
		private readonly saysTotal: boolean,
		length: number,
	) {
		for (let count = 0; count < length; count++) this.create(1);
	}

	/** The records as they are now, by ID. */
	get records(): Map<string, ListRecord> {
		return new Map(this.list.map((record) => [String(record.id), record]));
	}

	change(change: ListChange): void {
		if (change.type === 'create') this.create(change.at);
		else if (change.type === 'resize') this.resize(change.pageSize);
		else if (this.list.length > 0) {
			const index = Math.min(Math.floor(change.which * this.list.length), this.list.length - 1);
			const [record] = this.list.splice(index, 1);
			if (change.type === 'delete' || record === undefined) return;
			const updated = { ...record, version: ++this.lastVersion };
			const isSorted = this.paging === 'keyCursor';
			const { moveTo } = change;
			this.insert(updated, isSorted || moveTo === undefined ? index : moveTo * this.list.length);
		}
	}

	/** The body of the response to a query. */
	response(query: Record<string, string | undefined>): unknown {
		const { paging, list, pageSize } = this;
		const start =
			paging === 'pageNumber'
				? (Number(query.page) - 1) * pageSize
				: paging === 'offset'
					? Number(query.offset)
					: paging === 'offsetCursor'
						? Number(query.cursor ?? 0)
						: paging === 'keyCursor'
							? this.behind(Number(query.cursor ?? 0))
							: 0;
		const records = list.slice(start, paging === 'none' ? undefined : start + pageSize);
		const isCursor = paging === 'offsetCursor' || paging === 'keyCursor';
		const hasMore = start + records.length < list.length;
		const next = paging === 'keyCursor' ? records.at(-1)?.id : start + records.length;
		return {
			contacts: records,
			...(this.saysTotal ? { total: list.length } : {}),
			...(isCursor && hasMore ? { nextCursor: String(next) } : {}),
		};
	}

	/** Once: if it went to and fro, nobody could tell from the pages that records were passed over. */
	private resize(pageSize: number): void {
		if (!this.isResized) this.pageSize = pageSize;
		this.isResized = true;
	}

	private create(at: number): void {
		const record = { id: ++this.lastId, version: ++this.lastVersion };
		this.insert(record, this.paging === 'keyCursor' ? this.list.length : at * this.list.length);
	}

	private insert(record: ListRecord, index: number): void {
		this.list.splice(Math.floor(index), 0, record);
	}

	private behind(id: number): number {
		const index = this.list.findIndex((record) => record.id > id);
		return index < 0 ? this.list.length : index;
	}
}
