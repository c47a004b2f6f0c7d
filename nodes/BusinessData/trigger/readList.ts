/** Reads the list for a poll, page by page, as far as the poll's time allows. */
import { firstPageState, type Page, type PageClient, readPage, samePage } from '../lists/pages';
import { headerText } from '../transport/response';
import { RequestError } from '../transport/requestError';
import type { ServiceRequest } from '../transport/serviceRequest';
import { hashOf } from '../values/hash';
import { comparePage, settleVariants } from './comparePage';
import {
	noteEnd,
	noteFailure,
	noteLength,
	noteSign,
	noteSignsOfMore,
	noteTotals,
	placeBehindGap,
} from './completeness';
import { endRead, forgetRead, isFullReadDue } from './endRead';
import type { Events } from './events';
import { requestSince } from './incremental';
import { OutOfTimeError } from './pollClient';
import type { PollSettings } from './pollSettings';
import { forgetFieldHashes, forgetHashes, type ListRead, MOST_MISSED, type State } from './state';

/** A page that repeats so often is not due to moved records. */
const MOST_REPEATED = 10;

/** How often one poll reads the same changes until nothing can have slipped past. */
const MOST_READS_OF_CHANGES = 4;

/** For so long (ms) the same changes are read again; then the whole list is read. */
const LONGEST_UNCONFIRMED_MS = 3_600_000;

const NOT_MODIFIED = 304;

/** What services say of a page behind the last one. */
const NO_SUCH_PAGE = [400, 404, 416];

export class ListReader {
	/** How many pages this poll has read. */
	private pages = 0;

	constructor(
		private readonly client: PageClient,
		private readonly settings: PollSettings,
		private readonly state: State,
		private readonly events: Events,
		/** Writes to n8n's log. */
		private readonly log: (sentence: string) => void,
		/** For full reads beside incremental ones, which have time. */
		private readonly fullReadClient = client,
	) {}

	/**
	 * Reads the list, or what has changed in it, to its end, and once more where records may have moved meanwhile;
	 * or as far as the time allows, and the next poll goes on there.
	 * @throws RequestError when a request fails, or nothing could be read
	 */
	async read(): Promise<void> {
		const { state } = this;
		this.prepareFields();
		if (state.read?.pagination !== this.pagination) forgetRead(state);
		const isResumed = state.read !== undefined;
		try {
			await this.readOn();
		} catch (error) {
			const wasSent = error instanceof RequestError && error.details.outcome !== 'notSent';
			if (!isResumed || this.pages > 0 || !wasSent) throw error;
			// By the time of the next poll, a cursor may be worth nothing any more; some services fail at it then.
			forgetRead(state);
			await this.readOn();
		}
	}

	/** Begins anew where the settings of the watched fields have changed. */
	private prepareFields(): void {
		const { state } = this;
		const { watchedFields, emitsChangedFields } = this.settings;
		if (state.watched !== watchedFields.key) {
			forgetHashes(state, watchedFields.key);
			forgetRead(state);
		}
		if (!emitsChangedFields) forgetFieldHashes(state);
		else if (!state.hasTooManyFields) state.fieldNames ??= new Map();
	}

	/** Reads from where the poll before has come to, or begins. */
	private async readOn(): Promise<void> {
		const { state, settings } = this;
		const isFull =
			state.read === undefined
				? isFullReadDue(state, settings, Date.now())
				: state.read.isIncremental !== true;
		await (isFull ? this.readList() : this.readChanges());
		if (isFull) await this.readMoved();
	}

	/** What has changed while the pages of a list were read may have moved, and is no reason to read it all again. */
	private async readMoved(): Promise<void> {
		const { known, read, cursor, pages = 1 } = this.state;
		const isMissing = [...known.values()].some(({ missed }) => missed > 0 && missed < MOST_MISSED);
		const isIncremental = this.settings.incremental !== undefined && cursor !== undefined;
		if (!isMissing || !isIncremental || read !== undefined || pages === 1) return;
		try {
			await this.readChanges();
		} catch (error) {
			if (!(error instanceof RequestError)) throw error;
		} finally {
			// Where it did not come to its end, the next poll reads the whole list.
			forgetRead(this.state);
		}
	}

	private async readList(): Promise<void> {
		const { state } = this;
		let needsCheck: boolean;
		do {
			state.read ??= this.newRead();
			if (!(await this.reachesEnd(state.read))) return;
			({ needsCheck } = this.end(state.read));
			// Until the list is known, nothing that comes into it is reported.
		} while (state.firstReads > 0);
		if (!needsCheck) return;
		state.read = { ...this.newRead(), isCheck: true };
		try {
			if (await this.reachesEnd(state.read)) this.end(state.read);
		} catch (error) {
			if (!(error instanceof RequestError)) throw error;
			// What was read before it holds without a check.
			forgetRead(state);
			this.log(`Deletions wait, because the list could not be read again: ${error.message}`);
		}
	}

	/**
	 * Reads what has changed since the cursor. Of several pages, a record may slip past when others leave the pages
	 * before it. So they are read until a read shows no record twice, and the next one shows all of its records.
	 */
	private async readChanges(): Promise<void> {
		const { state } = this;
		let before: { read: ListRead; keys: string[]; isStill: boolean } | undefined;
		for (let count = 1; count <= MOST_READS_OF_CHANGES; count++) {
			state.read ??= { ...this.newRead(), isIncremental: true };
			const { read } = state;
			const isAtEnd = await this.reachesEnd(read);
			if (!isAtEnd && before === undefined) return;
			const { known } = state;
			const isConfirmed =
				before?.isStill === true && before.keys.every((key) => known.get(key)?.isSeen === true);
			const isShort = read.place.page === 1 || isShorter(read, state);
			const isOver = (!isAtEnd && before?.isStill) || isConfirmed || (count === 1 && isShort);
			const began = before?.read ?? read;
			const { problem = this.missingEnd(read) } = read;
			const keys = isOver ? [] : [...known].filter(([, one]) => one.isSeen).map(([key]) => key);
			before = { read, keys, isStill: read.hasMoved !== true };
			const isReportedNext = settleVariants(state, true);
			forgetRead(state);
			if (problem !== undefined) this.log(`The next poll reads the same changes again: ${problem}`);
			const isLast = isOver || !isAtEnd || problem !== undefined || count === MOST_READS_OF_CHANGES;
			const isDone = isOver === true && problem === undefined && !isReportedNext;
			if (isLast) return this.moveCursor(began, isDone);
		}
	}

	/** Lets the next incremental read begin where this one began, or the next poll read the whole list. */
	private moveCursor(read: ListRead, isDone: boolean): void {
		const { state } = this;
		const time = read.serviceTime ?? read.beganAt;
		// A list that never stands still would become ever longer.
		const isTooOld = !isDone && time - (state.cursor ?? 0) > LONGEST_UNCONFIRMED_MS;
		if (isTooOld) state.cursor = undefined;
		else if (isDone && read.isUnchanged !== true) state.cursor = time;
	}

	/** Why the list of changes may have been cut off, in words. */
	private missingEnd({ signs, place }: ListRead): string | undefined {
		const isHabit = place.page === 1 || this.state.habits.includes('noLastPage');
		return isHabit ? undefined : signs?.noLastPage;
	}

	private newRead(): ListRead {
		const { list, readsChangesOnly, request } = this.settings;
		return {
			place: firstPageState(list),
			pagination: this.pagination,
			beganAt: Date.now(),
			...(readsChangesOnly ? { query: request.query } : {}),
		};
	}

	/** Reads page by page. Returns whether it has come to the end of the list; otherwise, the time is up. */
	private async reachesEnd(read: ListRead): Promise<boolean> {
		const { list } = this.settings;
		const pageRequest = this.requestFor(read);
		for (;;) {
			let page: Page | undefined;
			let isNoPage = false;
			try {
				page = await readPage(this.clientFor(read), pageRequest, list, read.place);
				const isUnchanged = page.response.statusCode === NOT_MODIFIED;
				if (this.readsChanges(read) && isUnchanged) read.isUnchanged = true;
			} catch (error) {
				if (error instanceof OutOfTimeError && this.pages > 0) return false;
				if (!(error instanceof RequestError)) throw error;
				const { statusCode, outcome } = error.details;
				const isUnchanged = this.readsChanges(read) && statusCode === NOT_MODIFIED;
				if (isUnchanged) read.isUnchanged = true;
				// Some services fail after the last page.
				const isBehind = read.emptyPage !== undefined && outcome !== 'notSent';
				if (!isUnchanged && !isBehind) throw error;
				isNoPage = isBehind && NO_SUCH_PAGE.includes(statusCode ?? 0);
			}
			if (!isNoPage) this.noteMissingList(page, read);
			const records = page?.records ?? [];
			this.pages++;
			await this.take(records, read);
			noteLength(read, list.type, records.length);
			// A page that came again is no gap.
			const mayBeGap = page === undefined || list.endOfList !== 'repeatedPage';
			if (page !== undefined) noteTotals(read, page);
			if (page !== undefined && mayBeGap) noteFailure(read, page);
			const next =
				page?.next ??
				(mayBeGap ? placeBehindGap(read, this.state, list, records.length) : undefined);
			if (next === undefined) {
				const isAll = read.isIncremental === true || !this.settings.readsChangesOnly;
				if (!read.isIncremental) noteEnd(read, this.state, list.type);
				if (page !== undefined && isAll) noteSignsOfMore(read, page, list.type);
				return true;
			}
			read.place = next;
		}
	}

	private requestFor(read: ListRead): ServiceRequest {
		const { request, incremental } = this.settings;
		const pageRequest = { ...request, query: read.query ?? request.query };
		return read.isIncremental && incremental !== undefined
			? requestSince(pageRequest, incremental, this.state.cursor ?? 0)
			: pageRequest;
	}

	/** A client that notes the time of the first response of a read. */
	private clientFor(read: ListRead): PageClient {
		const { incremental } = this.settings;
		const isBehind = incremental !== undefined && read.isIncremental !== true;
		const client = isBehind ? this.fullReadClient : this.client;
		return {
			baseUrl: client.baseUrl,
			request: async (request) => {
				const isFirst = read.place.page === 1 && read.serviceTime === undefined;
				const response = await client.request(request);
				const time = Date.parse(headerText(response.headers, 'date'));
				if (isFirst && !Number.isNaN(time)) read.serviceTime = time;
				return response;
			},
		};
	}

	/** Whether a record that a response lacks has just not changed. */
	private readsChanges({ isIncremental }: ListRead): boolean {
		return isIncremental === true || this.settings.readsChangesOnly;
	}

	/**
	 * Notes a response without a list, which usually is not the end of one.
	 * @throws RequestError on the first page
	 */
	private noteMissingList(page: Page | undefined, read: ListRead): void {
		if (page !== undefined && !page.isBare) return;
		const isFirst = read.place.page === 1;
		if (isFirst && this.readsChanges(read)) return;
		if (isFirst && read.isCheck !== true) throw nothingCame();
		const isNothing = page?.body === undefined || page.body === null;
		const what =
			page === undefined ? 'could not be read' : `was ${isNothing ? 'empty' : 'no list'}`;
		const inWords = `page ${read.place.page} ${what}`;
		if (isFirst) read.problem = inWords;
		else noteSign(read, 'noLastPage', inWords);
	}

	/** Compares the records of a page with the known records. */
	private async take(records: unknown[], read: ListRead): Promise<void> {
		const page = await comparePage(records, this.settings, this.state, this.events);
		const isRepeated = records.length > 0 && page.hash === read.lastPage;
		read.repeated = isRepeated ? (read.repeated ?? 0) + 1 : undefined;
		read.lastPage = page.hash;
		if (read.repeated === MOST_REPEATED) throw samePage(this.settings.list, read.place);
		if (page.hasMoved) read.hasMoved = true;
		if (page.marked > 0) read.marked = (read.marked ?? 0) + page.marked;
		read.ambiguousId ??= page.ambiguousId;
		// A full read logs it at its end.
		if (page.ambiguousId !== undefined && this.readsChanges(read)) this.log(ambiguous(read));
	}

	private end(read: ListRead): { needsCheck: boolean } {
		const { settings, state, events } = this;
		const { problem = read.ambiguousId && ambiguous(read) } = read;
		if (problem !== undefined && !settings.readsChangesOnly) {
			this.log(`Deletions wait, because the list was not read in full: ${problem}`);
		}
		return endRead(state, read, settings, events.gone);
	}

	/** A hash of the settings that a page state depends on. */
	private get pagination(): string {
		const { list, incremental } = this.settings;
		const { itemsField: _, ...pagination } = list;
		return hashOf(incremental === undefined ? pagination : [pagination, incremental], 16);
	}
}

/** Whether the first page was shorter than that of the whole list, so that nothing can have followed it. */
function isShorter({ firstLength = 0, place }: ListRead, state: State): boolean {
	return place.page <= 2 && (firstLength === 0 || firstLength < (state.firstLength ?? 0));
}

function ambiguous({ ambiguousId = '' }: ListRead): string {
	return `a record came twice with different content (ID ${ambiguousId})`;
}

function nothingCame(): RequestError {
	return new RequestError('The service answered with nothing where a list was due', {
		outcome: 'unknown',
		description: 'An empty response is not taken for an empty list. Retry later.',
	});
}
