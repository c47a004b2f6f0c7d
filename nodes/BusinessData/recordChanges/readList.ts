/** Reads the list for a poll, page by page, as far as the poll's time allows. */
import { createHash } from 'node:crypto';

import { findList } from '../resources/list/findList';
import {
	firstPlace,
	type PageClient,
	placeBehind,
	readPage,
	samePage,
} from '../resources/list/pages';
import { RequestError } from '../transport/requestError';
import { comparePage } from './comparePage';
import { noteEnd, noteLength, noteTotals } from './completeness';
import { endReading, forgetReading } from './endReading';
import type { Events } from './events';
import { OutOfTimeError } from './pollClient';
import type { Question } from './question';
import type { Reading, State } from './state';

/** A page that comes so often again is none that records have moved to. */
const MOST_REPEATED = 10;

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
	) {}

	/**
	 * Reads the list to its end, and once more where records may have moved meanwhile; or as far as the
	 * time allows, and the next poll goes on there.
	 * @throws RequestError when a request fails, or nothing could be read
	 */
	async read(): Promise<void> {
		const { state } = this;
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

	/** Reads the list, from where the poll before has come to. */
	private async readOn(): Promise<void> {
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

	private newReading(): Reading {
		const { settings, readsChangesOnly, request } = this.question;
		return {
			place: firstPlace(settings),
			pagination: this.pagination,
			...(readsChangesOnly ? { query: request.query } : {}),
		};
	}

	/** Reads page by page. Returns whether it has come to the end of the list; otherwise, the time is up. */
	private async reachesEnd(reading: Reading): Promise<boolean> {
		const { request, settings } = this.question;
		const asked = { ...request, query: reading.query ?? request.query };
		for (;;) {
			let body: unknown;
			try {
				body = await readPage(this.client, asked, settings, reading.place);
			} catch (error) {
				if (error instanceof OutOfTimeError && this.pages > 0) return false;
				throw error;
			}
			const records = this.recordsIn(body, reading);
			this.pages++;
			if (records === undefined) return true;
			await this.take(records, reading);
			noteLength(reading, settings.type, records.length);
			noteTotals(reading, body);
			const next = placeBehind(reading.place, settings, body, records.length);
			if (next === undefined) {
				noteEnd(reading, this.state, settings.type);
				return true;
			}
			reading.place = next;
		}
	}

	/** The list in an answer; undefined where there is none, though the first page had one. */
	private recordsIn(body: unknown, reading: Reading): unknown[] | undefined {
		const { page } = reading.place;
		const hasRead = page > 1 || reading.isCheck === true;
		try {
			if (body === undefined) throw nothingCame();
			return findList(body, this.question.settings.itemsField);
		} catch (error) {
			if (!hasRead) throw error;
			reading.problem = `page ${page} was ${body === undefined ? 'empty' : 'no list'}`;
			return undefined;
		}
	}

	/** Takes the records of a page over. */
	private async take(records: unknown[], reading: Reading): Promise<void> {
		const page = await comparePage(records, this.question, this.state, this.events);
		const isRepeated = records.length > 0 && page.hash === reading.lastPage;
		reading.repeated = isRepeated ? (reading.repeated ?? 0) + 1 : undefined;
		reading.lastPage = page.hash;
		if (reading.repeated === MOST_REPEATED) throw samePage(this.question.settings, reading.place);
		if (page.hasMoved) reading.hasMoved = true;
		if (page.hasChanged) reading.problem ??= 'a record came twice with different content';
	}

	private end(reading: Reading): { needsCheck: boolean } {
		if (reading.problem !== undefined && !this.question.readsChangesOnly) {
			this.tell(`Deletions wait, because the list was not read in full: ${reading.problem}`);
		}
		const end = endReading(this.state, reading, this.question);
		for (const record of end.deleted) this.events.deleted(record);
		return end;
	}

	/** Stands for the kind of pagination and its parameters. */
	private get pagination(): string {
		const { itemsField: _, ...settings } = this.question.settings;
		return createHash('sha256').update(JSON.stringify(settings)).digest('base64').slice(0, 16);
	}
}

function nothingCame(): RequestError {
	return new RequestError('The service answered with nothing where a list was due', {
		outcome: 'unknown',
		description: 'An empty answer is not taken for an empty list. Try again later.',
	});
}
