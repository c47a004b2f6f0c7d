/**
 * Reads what has changed since the cursor, and the whole list if that is due, page by page. A read that does not end in
 * the poll's time continues with the next poll.
 */
import { isBesideRecords } from '../lists/findList';
import { ListError } from '../lists/listError';
import {
	pageAfterLast,
	FIRST_PAGE,
	type Page,
	type PageClient,
	readPage,
	samePageError,
} from '../lists/pages';
import { headerText } from '../transport/response';
import { RequestError } from '../transport/requestError';
import type { ServiceRequest } from '../transport/serviceRequest';
import { applySettings } from './applySettings';
import { comparePage } from './comparePage';
import { noteEnd, notePage, noteSign, pageAfterEmpty } from './completeness';
import { advanceCursor, endFullRead, forgetRead, isFullReadDue, noteFullRead } from './endRead';
import type { Events } from './events';
import { requestSince } from './incremental';
import { OutOfTimeError } from './pollClient';
import type { PollSettings } from './pollSettings';
import { type ListRead, MOST_MISSED, REHASHED_NEXT, REPORTED_NEXT, type State } from './state';

/** Records that move cannot explain more pages in a row than this with only repeated records. */
const MOST_REPEATED = 10;

const DAY_MS = 86_400_000;

const OK = 200;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const NOT_FOUND = 404;

/** The statuses by which services refuse a page after the last one. */
const NO_SUCH_PAGE = [400, NOT_FOUND, 416];

export class ListReader {
	/** How many pages this poll has read. */
	private pages = 0;
	private readonly pollBeganAt = Date.now();

	constructor(
		private readonly client: PageClient,
		private readonly state: State,
		private readonly settings: PollSettings,
		private readonly events: Events,
		/** Writes to n8n's log. */
		private readonly log: (sentence: string) => void,
	) {}

	/** @throws RequestError if a request fails, or nothing could be read */
	async read(): Promise<void> {
		const { state } = this;
		applySettings(state, this.settings);
		const isResumed = state.read !== undefined;
		try {
			await this.readOn();
		} catch (error) {
			if (!isResumed || this.pages > 0 || !wasSent(error)) throw error;
			// The previous poll's page state may have a cursor that has expired.
			if (state.read?.isFull === true) this.giveUpFullRead(error);
			else forgetRead(state);
			await this.readOn();
		}
		// The interval of full reads counts from the beginnings of polls, however long a read takes.
		state.reads.fullReadAt = Math.min(state.reads.fullReadAt, this.pollBeganAt);
	}

	private async readOn(): Promise<void> {
		const { state, settings, events } = this;
		const { incremental, readsChangesOnly } = settings;
		const hasCursor = incremental !== undefined && state.reads.cursor !== undefined;
		let areChangesRead = false;
		if (state.read?.isFull !== true && (hasCursor || readsChangesOnly)) {
			try {
				await this.readChanges();
				areChangesRead = state.read === undefined;
			} catch (error) {
				// Some services refuse to list old changes, for example after the trigger was off, and others refuse the filter on
				// a later page.
				const isLaterPage = hasCursor && this.pages > 0;
				if (!isRefusedRequest(error) || !(this.isCursorOld || isLaterPage)) throw error;
				this.log(`Reading the whole list, because the changes could not be read: ${error.message}`);
				forgetRead(state);
				delete state.reads.cursor;
				await this.readOn();
				return;
			}
		}
		if (!(state.read?.isFull ?? isFullReadDue(state, settings, this.pollBeganAt, events))) return;
		try {
			await this.readAll();
		} catch (error) {
			// The changes that were read are still reported.
			if (!areChangesRead || !wasSent(error) || error instanceof ListError) throw error;
			this.giveUpFullRead(error);
		}
	}

	/** Reads the whole list, and once more if records that seem to be deleted may only have moved. */
	private async readAll(): Promise<void> {
		const { state } = this;
		const { firstReads } = state.reads;
		let needsCheck = await this.readFull();
		// A second read shows what the service always does. A temporary fault may be over by the next poll.
		const left = state.reads.firstReads;
		if (left > 0 && state.read === undefined) {
			state.reads.firstReads = firstReads;
			needsCheck = await this.readFull();
			// A read that continues with the next poll is counted there.
			if (state.read !== undefined) state.reads.firstReads = left;
		}
		if (!needsCheck) return;
		try {
			await this.readFull({ isCheck: true });
		} catch (error) {
			if (!(error instanceof RequestError)) throw error;
			// The read before it stands without the check.
			forgetRead(state);
			this.log(`Deletions wait, because the list could not be read again: ${error.message}`);
		}
	}

	/** @returns whether the list must be read once more */
	private async readFull({ isCheck = false } = {}): Promise<boolean> {
		const { state, settings, events } = this;
		const read = (state.read ??= this.newRead({ isFull: true, isCheck }));
		const last = await this.readPages(read);
		if (last === undefined) return false;
		noteEnd(state, read, last, settings.list);
		const { problem = read.ambiguousId && ambiguous(read.ambiguousId) } = read;
		if (problem !== undefined) this.logNotInFull(problem);
		return endFullRead(state, read, settings, events);
	}

	/** Counts the current full read as incomplete. */
	private giveUpFullRead({ message }: RequestError): void {
		this.logNotInFull(message);
		noteFullRead(this.state, this.settings, false);
		forgetRead(this.state);
	}

	private logNotInFull(problem: string): void {
		this.log(`Deletions wait, because the list was not read in full: ${problem}`);
	}

	private logChangesAgain(problem: string): void {
		this.log(`The next poll reads the same changes again: ${problem}`);
	}

	/** Reads what has changed since the cursor. */
	private async readChanges(): Promise<void> {
		const { state, settings } = this;
		const read = (state.read ??= this.newRead({ isFull: false, isCheck: false }));
		const last = await this.readPages(read);
		if (last === undefined) return;
		if (read.ambiguousId !== undefined) this.log(ambiguous(read.ambiguousId));
		state.reads.firstReads = 0;
		if (settings.incremental !== undefined) this.endIncrementalRead(read, last);
		if (settings.readsChangesOnly) {
			for (const [key, record] of state.known) {
				// No full read renews the remaining hashes, so a record that comes later has changed.
				if (record.hash === REHASHED_NEXT) record.hash = REPORTED_NEXT;
				// Nor does a full read find withheld deletions again.
				if (record.missed === MOST_MISSED) this.events.missing(key);
			}
		}
		forgetRead(state);
	}

	private endIncrementalRead(read: ListRead, last: Page): void {
		const { statusCode, headers } = last.response;
		// Without the service's time, the cursor stays: n8n's clock may be ahead.
		if (statusCode === NOT_MODIFIED && headerText(headers, 'date') === '') return;
		if (statusCode === OK && last.isBare && read.pageState.page === 1) {
			// An empty response may be a mistake, as in a full read.
			this.logChangesAgain('page 1 was empty');
			return;
		}
		noteEnd(this.state, read, last, this.settings.list);
		if (read.problem !== undefined) this.logChangesAgain(read.problem);
		advanceCursor(this.state, read);
	}

	private newRead({ isFull, isCheck }: Pick<ListRead, 'isFull' | 'isCheck'>): ListRead {
		const { readsChangesOnly, request } = this.settings;
		const { known, observed } = this.state;
		const { listPath: path } = observed;
		const pageState = path === undefined ? FIRST_PAGE : { ...FIRST_PAGE, path };
		return {
			isFull,
			isCheck,
			pageState,
			beganAt: Date.now(),
			known: known.size,
			came: 0,
			signs: {},
			totals: {},
			moved: 0,
			repeated: 0,
			...(readsChangesOnly ? { query: request.query } : {}),
		};
	}

	/** @returns the last page of the list; undefined if the time is up before */
	private async readPages(read: ListRead): Promise<Page | undefined> {
		const { settings, state } = this;
		const { list } = settings;
		for (;;) {
			let page: Page;
			try {
				page = await this.readPage(read);
			} catch (error) {
				if (error instanceof OutOfTimeError && this.pages > 0) return undefined;
				throw error;
			}
			this.pages++;
			const isNew = await comparePage(page.records, state, read, settings, this.events);
			const isEmpty = page.records.length === 0;
			if (!isEmpty && !isBesideRecords(page.path)) state.observed.listPath ??= page.path;
			// Records marked as deleted are not remembered, so they count as new on every page, even if it is the same page.
			const isSame = page.hash !== '' && page.hash === read.pageState.hash;
			read.repeated = (isNew && !isSame) || isEmpty ? 0 : read.repeated + 1;
			// At least half of the pages were repeated, so the pages go round in circles.
			if (read.repeated >= MOST_REPEATED && 2 * read.repeated >= read.pageState.page) {
				throw samePageError(list, read.pageState.page - read.repeated + 1);
			}
			notePage(read, page, list);
			const next = page.next ?? (isEmpty ? pageAfterEmpty(state, read, list) : undefined);
			if (next === undefined) return page;
			read.pageState = next;
		}
	}

	private async readPage(read: ListRead): Promise<Page> {
		const { pageState, isFull } = read;
		let page: Page;
		try {
			page = await readPage(this.client, this.requestFor(read), this.settings.list, pageState);
		} catch (error) {
			return await this.endInsteadOf(error, read);
		}
		const { statusCode, headers } = page.response;
		if (pageState.page > 1) return page;
		// Some services send this for an empty list. But if records are known, it may be a mistake.
		const isNone = statusCode === NO_CONTENT && this.state.known.size === 0;
		if (page.isBare && isFull && !isNone) {
			throw new RequestError('The service answered with an empty response instead of a list', {
				outcome: 'unknown',
				description:
					statusCode === NOT_MODIFIED
						? 'With a 304, the service obeys a header such as If-None-Match. Remove it from the option Headers; the option Incremental can send one.'
						: 'An empty response does not mean an empty list. Retry later.',
			});
		}
		const time = Date.parse(headerText(headers, 'date'));
		if (!Number.isNaN(time)) read.beganAt = time;
		return page;
	}

	/** Returns the end of the list if the failure means that. @throws any other failure */
	private async endInsteadOf(error: unknown, read: ListRead): Promise<Page> {
		if (!(error instanceof RequestError)) throw error;
		const { isFull, pageState, emptyPage } = read;
		const { statusCode = 0, outcome } = error.details;
		if (!isFull && statusCode === NOT_MODIFIED) return pageAfterLast(statusCode);
		const { request, list, incremental } = this.settings;
		const areChanges = !isFull && incremental !== undefined && !this.isCursorOld;
		if (areChanges && statusCode === NOT_FOUND && pageState.page === 1) {
			// Some services send this if nothing has changed. Then the list itself can be read.
			await readPage(this.client, request, list, FIRST_PAGE);
			return pageAfterLast(NOT_MODIFIED);
		}
		// Some services fail for a page after the last one.
		if (emptyPage === undefined || outcome === 'notSent') throw error;
		if (!NO_SUCH_PAGE.includes(statusCode)) {
			noteSign(read, 'end by an error', `page ${pageState.page} could not be read`);
		}
		return pageAfterLast(statusCode);
	}

	private requestFor(read: ListRead): ServiceRequest {
		const { request, incremental } = this.settings;
		const { cursor } = this.state.reads;
		const pageRequest = { ...request, query: read.query ?? request.query };
		return read.isFull || incremental === undefined || cursor === undefined
			? pageRequest
			: requestSince(pageRequest, incremental, cursor);
	}

	/** True also for a cursor in the future, which is there if the clock was set back. */
	private get isCursorOld(): boolean {
		const now = Date.now();
		return Math.abs(now - (this.state.reads.cursor ?? now)) >= DAY_MS;
	}
}

/** Whether the request went out before it failed. */
function wasSent(error: unknown): error is RequestError {
	return error instanceof RequestError && error.details.outcome !== 'notSent';
}

/** Whether the service refused the request itself, rather than the key or the rate of requests. */
function isRefusedRequest(error: unknown): error is RequestError {
	if (!(error instanceof RequestError)) return false;
	const { outcome, statusCode = 0 } = error.details;
	return outcome === 'refused' && ![401, 403, 429].includes(statusCode);
}

function ambiguous(id: string): string {
	return `a record came twice with different content (ID ${id})`;
}
