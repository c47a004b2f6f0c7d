/** What a trigger remembers about its watched list from poll to poll. */
import type { IPollFunctions } from 'n8n-workflow';

import { shutdownSignal } from '../n8nInternals/shutdown';
import { type TriggerData, revisionOf, StaticData } from '../n8nInternals/staticData';
import type { WatchedList, PollSettings } from './pollSettings';
import { newState, type ReadProgress, readState, saveState, type State } from './state';

/** How far (ms) the cursor may move before it is saved by itself, because n8n writes all known records with it. */
const CURSOR_SAVED_AFTER_MS = 3_600_000;

/** By trigger, cursors that have moved since they were saved, with the revision of the saved state. */
const movedCursors = new Map<string, Pick<State, 'revision' | 'reads'>>();

/** How the log names the parts of a watched list. */
const WORDS: Record<keyof WatchedList, string> = {
	source: 'the source',
	business: 'the credential or its base URL',
	idField: 'the ID field',
	itemsField: 'the items field',
	query: 'the query',
	headers: 'the headers',
};

export class Memory {
	/** Identifies the trigger in this process. */
	readonly triggerKey: string;
	/** Whether n8n saves only after a poll, so that the next poll may begin with an older state. */
	readonly isSavedLate: boolean;
	private readonly staticData: StaticData;
	/** Why no state was recalled. */
	private firstPollReason: string | undefined;

	constructor(
		context: IPollFunctions,
		private readonly settings: PollSettings,
		private readonly log: (sentence: string) => void,
	) {
		this.staticData = new StaticData(context);
		this.triggerKey = `${context.getWorkflow().id} ${this.staticData.triggerId}`;
		this.isSavedLate = this.staticData.isDurable;
	}

	/** Returns the remembered state, or a new one after a change of the watched list. */
	async recall(): Promise<State> {
		const kept = await this.staticData.newest();
		const revision = revisionOf(kept);
		const { watchedList } = this.settings;
		const state = readState(kept.records);
		const parts = Object.keys(WORDS) as Array<keyof WatchedList>;
		const changed = parts.filter((part) => state && state.watchedList[part] !== watchedList[part]);
		if (state !== undefined && changed.length === 0) {
			const moved = movedCursors.get(this.triggerKey);
			return moved?.revision === revision ? { ...state, reads: { ...moved.reads } } : state;
		}
		const inWords = changed.map((part) => WORDS[part]).join(' and ');
		if (changed.length > 0) this.firstPollReason = `${inWords} changed`;
		else if (kept.records === undefined) this.firstPollReason = 'nothing was known';
		else this.firstPollReason = 'another version of this node saved what was known';
		return { ...newState(watchedList), revision };
	}

	/**
	 * Remembers the state if it has changed.
	 * @param hasItems whether the poll emits items, with which n8n saves the state
	 * @returns false if another poll was faster or n8n is shutting down. Then this poll must not emit its events, because the
	 * next one finds them again
	 */
	async keep(state: State, hasItems: boolean): Promise<boolean> {
		return await this.staticData.runExclusive(async () => {
			if (hasItems) await this.staticData.requireEmittable();
			const kept = await this.staticData.newest();
			if (revisionOf(kept) !== state.revision || shutdownSignal().aborted) return false;
			const content = this.toSave(state, kept) ?? kept;
			await this.staticData.keep(content, hasItems);
			if (this.firstPollReason !== undefined) this.logFirstPoll(this.firstPollReason);
			return true;
		});
	}

	/** What must be saved; undefined if at most the cursor has moved a little, which this process notes. */
	private toSave(state: State, { records }: TriggerData): TriggerData | undefined {
		const { revision, reads } = state;
		const saved: Partial<ReadProgress> = (records as Partial<State> | undefined)?.reads ?? {};
		const movedMs = Number(reads.cursor) - Number(saved.cursor);
		// If the service's clock was set back, the saved cursor must not stay ahead of it.
		const hasHardlyMoved = movedMs >= 0 && movedMs < CURSOR_SAVED_AFTER_MS;
		const { cursor, unconfirmed } = hasHardlyMoved ? saved : reads;
		const compared = { ...state, reads: { ...reads, cursor, unconfirmed } };
		if (JSON.stringify(saveState(compared)) === JSON.stringify(records)) {
			movedCursors.set(this.triggerKey, { revision, reads: { ...reads } });
			return undefined;
		}
		const next = saveState({ ...state, revision: revision + 1 });
		return { records: next as unknown as TriggerData['records'] };
	}

	private logFirstPoll(reason: string): void {
		const { recordName, emitsExisting } = this.settings;
		const consequence = emitsExisting ? 'are all new' : 'are remembered, and nothing is emitted';
		this.log(`This is a first poll, because ${reason}: the ${recordName}s ${consequence}`);
	}
}
