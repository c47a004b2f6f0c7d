/** Reads the list for a poll, page by page, as far as the poll's time allows. */
import { createHash } from 'node:crypto';

import {
	firstPlace,
	type Page,
	type PageClient,
	readPage,
	samePage,
} from '../resources/list/pages';
import { headerText } from '../transport/answer';
import { RequestError } from '../transport/requestError';
import type { ServiceRequest } from '../transport/serviceRequest';
import { comparePage, settleVariants } from './comparePage';
import {
	noteEnd,
	noteLength,
	noteSign,
	noteSignsOfMore,
	noteTotals,
	placeBehindGap,
} from './completeness';
import { endReading, forgetReading, isFullReadDue } from './endReading';
import type { Events } from './events';
import { requestSince } from './incremental';
import { OutOfTimeError } from './pollClient';
import type { Question } from './question';
import { forgetFieldHashes, forgetHashes, type Reading, type State } from './state';

/** A page that comes so often again is none that records have moved to. */
const MOST_REPEATED = 10;

/** How often one poll reads the same changes until nothing can have slipped past. */
const MOST_READS_OF_CHANGES = 4;

const NOT_MODIFIED = 304;

export class ListReader {
	/** How many pages this poll has read. */
	private pages = 0;

	constructor(
		private readonly client: PageClient,
		private readonly question: Question,
		private readonly state: State,
		private readonly events: Events,
		/** Tells n8n's log. */
		private readonly tell: (sentence: string) => void,
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
		if (state.reading?.pagination !== this.pagination) forgetReading(state);
		const isResumed = state.reading !== undefined;
		try {
			await this.readOn();
		} catch (error) {
			const wasSent = error instanceof RequestError && error.details.outcome !== 'notSent';
			if (!isResumed || this.pages > 0 || !wasSent) throw error;
			// By the time of the next poll, a cursor may be worth nothing any more; some services fail at it then.
			forgetReading(state);
			await this.readOn();
		}
	}

	/** Begins anew where the settings of the watched fields have changed. */
	private prepareFields(): void {
		const { state } = this;
		const { watchedFields, tellsChangedFields } = this.question;
		if (state.watched !== watchedFields.key) {
			forgetHashes(state, watchedFields.key);
			forgetReading(state);
		}
		if (tellsChangedFields && !state.hasTooManyFields) state.fieldNames ??= new Map();
		const isKept = state.fieldNames !== undefined || state.hasTooManyFields;
		if (isKept && !tellsChangedFields) forgetFieldHashes(state);
	}

	/** Reads from where the poll before has come to, or begins. */
	private async readOn(): Promise<void> {
		const { state, question } = this;
		const isFull =
			state.reading === undefined
				? isFullReadDue(state, question, Date.now())
				: state.reading.isIncremental !== true;
		await (isFull ? this.readList() : this.readChanges());
	}

	private async readList(): Promise<void> {
		const { state } = this;
		state.reading ??= this.newReading();
		if (!(await this.reachesEnd(state.reading))) return;
		if (!this.end(state.reading).needsCheck) return;
		state.reading = { ...this.newReading(), isCheck: true };
		try {
			if (await this.reachesEnd(state.reading)) this.end(state.reading);
		} catch (error) {
			if (!(error instanceof RequestError)) throw error;
			// What was read before it holds without a check.
			forgetReading(state);
			this.tell(`Deletions wait, because the list could not be read again: ${error.message}`);
		}
	}

	/**
	 * Reads what has changed since the cursor. Of several pages, a record may slip past when others leave the pages
	 * before it. So they are read until a read shows no record twice, and the next one shows all of its records.
	 */
	private async readChanges(): Promise<void> {
		const { state } = this;
		let before: { reading: Reading; keys: string[]; isStill: boolean } | undefined;
		for (let count = 1; count <= MOST_READS_OF_CHANGES; count++) {
			state.reading ??= { ...this.newReading(), isIncremental: true };
			const { reading } = state;
			const isAtEnd = await this.reachesEnd(reading);
			if (!isAtEnd && before === undefined) return;
			const { known } = state;
			const isConfirmed =
				before?.isStill === true && before.keys.every((key) => known.get(key)?.isSeen === true);
			const isShort = reading.place.page === 1 || isShorter(reading, state);
			const isOver = (!isAtEnd && before?.isStill) || isConfirmed || (count === 1 && isShort);
			const began = before?.reading ?? reading;
			const { problem = this.missingEnd(reading) } = reading;
			const keys = isOver ? [] : [...known].filter(([, one]) => one.isSeen).map(([key]) => key);
			before = { reading, keys, isStill: reading.hasMoved !== true };
			settleVariants(state, true);
			forgetReading(state);
			if (problem !== undefined) {
				this.tell(`The next poll reads the same changes again: ${problem}`);
				return;
			}
			if (isOver && began.isUnchanged !== true) {
				state.cursor = began.serviceTime ?? began.beganAt;
			}
			if (isOver || !isAtEnd) return;
		}
	}

	/** Why the list of changes may have been cut off, in words. */
	private missingEnd({ signs, place }: Reading): string | undefined {
		const isHabit = place.page === 1 || this.state.habits.includes('noLastPage');
		return isHabit ? undefined : signs?.noLastPage;
	}

	private newReading(): Reading {
		const { settings, readsChangesOnly, request } = this.question;
		return {
			place: firstPlace(settings),
			pagination: this.pagination,
			beganAt: Date.now(),
			...(readsChangesOnly ? { query: request.query } : {}),
		};
	}

	/** Reads page by page. Returns whether it has come to the end of the list; otherwise, the time is up. */
	private async reachesEnd(reading: Reading): Promise<boolean> {
		const { settings } = this.question;
		const asked = this.requestFor(reading);
		for (;;) {
			let page: Page | undefined;
			try {
				page = await readPage(this.clientFor(reading), asked, settings, reading.place);
			} catch (error) {
				if (error instanceof OutOfTimeError && this.pages > 0) return false;
				if (!(error instanceof RequestError)) throw error;
				const { statusCode, outcome } = error.details;
				const isUnchanged = this.readsChanges(reading) && statusCode === NOT_MODIFIED;
				if (isUnchanged) reading.isUnchanged = true;
				// Some services fail behind the last page.
				const isBehind = reading.emptyPage !== undefined && outcome !== 'notSent';
				if (!isUnchanged && !isBehind) throw error;
			}
			this.noteMissingList(page, reading);
			const records = page?.records ?? [];
			this.pages++;
			await this.take(records, reading);
			noteLength(reading, settings.type, records.length);
			noteTotals(reading, page?.body);
			// A page that came again is no gap.
			const mayBeGap = page === undefined || settings.endOfList !== 'repeatedPage';
			const next =
				page?.next ??
				(mayBeGap ? placeBehindGap(reading, this.state, settings, records.length) : undefined);
			if (next === undefined) {
				if (page !== undefined && !this.readsChanges(reading)) noteSignsOfMore(reading, page);
				if (!reading.isIncremental) noteEnd(reading, this.state, settings.type);
				return true;
			}
			reading.place = next;
		}
	}

	private requestFor(reading: Reading): ServiceRequest {
		const { request, incremental } = this.question;
		const asked = { ...request, query: reading.query ?? request.query };
		return reading.isIncremental && incremental !== undefined
			? requestSince(asked, incremental, this.state.cursor ?? 0)
			: asked;
	}

	/** Sends the requests of a read, and takes note of the time of its first response. */
	private clientFor(reading: Reading): PageClient {
		const { incremental } = this.question;
		const isBehind = incremental !== undefined && reading.isIncremental !== true;
		const client = isBehind ? this.fullReadClient : this.client;
		return {
			baseUrl: client.baseUrl,
			request: async (request) => {
				const isFirst = reading.place.page === 1 && reading.serviceTime === undefined;
				const response = await client.request(request);
				const time = Date.parse(headerText(response.headers, 'date'));
				if (isFirst && !Number.isNaN(time)) reading.serviceTime = time;
				return response;
			},
		};
	}

	/** Whether what a response lacks has only not changed. */
	private readsChanges({ isIncremental }: Reading): boolean {
		return isIncremental === true || this.question.readsChangesOnly;
	}

	/**
	 * Takes note of a response without a list, which is no end of one as a rule.
	 * @throws RequestError on the first page
	 */
	private noteMissingList(page: Page | undefined, reading: Reading): void {
		if (page !== undefined && !page.isBare) return;
		const isFirst = reading.place.page === 1;
		if (isFirst && this.readsChanges(reading)) return;
		if (isFirst && reading.isCheck !== true) throw nothingCame();
		const isNothing = page?.body === undefined || page.body === null;
		const inWords = `page ${reading.place.page} was ${isNothing ? 'empty' : 'no list'}`;
		if (isFirst) reading.problem = inWords;
		else noteSign(reading, 'noLastPage', inWords);
	}

	/** Takes the records of a page over. */
	private async take(records: unknown[], reading: Reading): Promise<void> {
		const page = await comparePage(records, this.question, this.state, this.events);
		const isRepeated = records.length > 0 && page.hash === reading.lastPage;
		reading.repeated = isRepeated ? (reading.repeated ?? 0) + 1 : undefined;
		reading.lastPage = page.hash;
		if (reading.repeated === MOST_REPEATED) throw samePage(this.question.settings, reading.place);
		if (page.hasMoved) reading.hasMoved = true;
		if (page.marked > 0) reading.marked = (reading.marked ?? 0) + page.marked;
		reading.ambiguousId ??= page.ambiguousId;
		// Of a full read it is said at its end.
		if (page.ambiguousId !== undefined && this.readsChanges(reading)) this.tell(ambiguous(reading));
	}

	private end(reading: Reading): { needsCheck: boolean } {
		const { question, state, events } = this;
		const { problem = reading.ambiguousId && ambiguous(reading) } = reading;
		if (problem !== undefined && !question.readsChangesOnly) {
			this.tell(`Deletions wait, because the list was not read in full: ${problem}`);
		}
		return endReading(state, reading, question, events.gone);
	}

	/** Stands for the settings that a place in the list belongs to. */
	private get pagination(): string {
		const { settings, incremental } = this.question;
		const { itemsField: _, ...pagination } = settings;
		const text = JSON.stringify(incremental === undefined ? pagination : [pagination, incremental]);
		return createHash('sha256').update(text).digest('base64').slice(0, 16);
	}
}

/** Whether the first page was shorter than that of the whole list, so that nothing can have followed it. */
function isShorter({ firstLength = 0, place }: Reading, state: State): boolean {
	return place.page <= 2 && (firstLength === 0 || firstLength < (state.firstLength ?? 0));
}

function ambiguous({ ambiguousId = '' }: Reading): string {
	return `a record came twice with different content (ID ${ambiguousId})`;
}

function nothingCame(): RequestError {
	return new RequestError('The service answered with nothing where a list was due', {
		outcome: 'unknown',
		description: 'An empty answer is not taken for an empty list. Try again later.',
	});
}
