/** What a trigger remembers of its watched list from poll to poll. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { shutdownSignal } from '../n8nInternals/shutdown';
import { StaticData } from '../n8nInternals/staticData';
import type { WatchedList, PollSettings } from './pollSettings';
import { newState, readState, type SavedState, saveState, type State } from './state';

/** What is kept of a trigger. */
interface Saved extends IDataObject {
	records?: SavedState & IDataObject;
}

/** A cursor alone is saved only after so long (ms): n8n would write all known records with it. */
const CURSOR_SAVED_AFTER_MS = 3_600_000;

/**
 * Where the cursors are by now, by workflow and trigger, and to which saved state they belong. A process that has just
 * started begins from the saved cursor: the records that come again are known.
 */
const movedCursors = new Map<string, Pick<State, 'revision' | 'cursor' | 'unconfirmed'>>();

/** The parts of a watched list, in the words of the log. */
const WORDS: Record<keyof WatchedList, string> = {
	source: 'the source',
	business: 'the credential or its base URL',
	idField: 'the ID field',
	itemsField: 'the items field',
	query: 'the query',
	headers: 'the headers',
};

export class Memory {
	/** Whether the watched list is known; undefined before `recall`. */
	isKnown: boolean | undefined;

	/** Identifies the trigger in this process. */
	readonly name: string;

	private readonly staticData: StaticData;

	/** The revision that was saved when the poll began. */
	private revision = 0;

	constructor(
		context: IPollFunctions,
		private readonly settings: PollSettings,
		/** Whether n8n has just read the workflow, and so knows its nodes. */
		private readonly isActivation: boolean,
		/** Writes to n8n's log. */
		private readonly log: (sentence: string) => void,
	) {
		this.staticData = new StaticData(context);
		this.name = `${context.getWorkflow().id} ${this.staticData.triggerId}`;
	}

	/** The known records; none after a change of the watched list. */
	async recall(): Promise<State> {
		const saved = this.newest(await this.staticData.saved());
		this.revision = revisionOf(saved);
		const { watchedList } = this.settings;
		const state = readState(saved.records);
		const changed = state === undefined ? [] : differences(state.watchedList, watchedList);
		this.isKnown = state !== undefined && changed.length === 0;
		if (state !== undefined && changed.length === 0) {
			const moved = movedCursors.get(this.name);
			return moved?.revision === this.revision ? { ...state, ...moved } : state;
		}
		if (changed.length > 0) this.logFirstPoll(`${changed.join(' and ')} changed`);
		else if (saved.records !== undefined) {
			this.logFirstPoll('another version of this node saved what was known');
		}
		return { ...newState(watchedList), revision: this.revision };
	}

	/**
	 * Remembers the state if it has changed.
	 * @param hasItems whether the poll gives out items, with which n8n saves it
	 * @returns false when another poll was faster, or n8n is about to end: what this one has found must not be reported
	 * then, and without being remembered it is found again
	 */
	async keep(state: State, hasItems: boolean): Promise<boolean> {
		return await this.staticData.runExclusive(
			async () => await this.keepExclusively(state, hasItems),
		);
	}

	private async keepExclusively(state: State, hasItems: boolean): Promise<boolean> {
		const saved = await this.staticData.saved();
		const newest = this.newest(saved);
		if (revisionOf(newest) !== this.revision || shutdownSignal().aborted) return false;
		const own = saved.get(this.staticData.triggerId);
		const hasForgotten = this.isActivation && this.forgetDeleted(saved);
		// n8n writes the whole state into its database, so only a changed one is saved.
		const { cursor, unconfirmed } = newest.records ?? {};
		const movedMs = Number(state.cursor) - Number(cursor);
		// The service's clock may have been set back: a saved cursor later than that of the last read must not stay.
		const isLeft = movedMs >= 0 && movedMs < CURSOR_SAVED_AFTER_MS;
		const compared = isLeft ? { ...state, cursor, unconfirmed } : state;
		const isChanged = JSON.stringify(saveState(compared)) !== JSON.stringify(newest.records);
		if (isChanged) movedCursors.delete(this.name);
		else {
			const { revision } = this;
			movedCursors.set(this.name, {
				revision,
				cursor: state.cursor,
				unconfirmed: state.unconfirmed,
			});
		}
		const content = isChanged
			? { records: saveState({ ...state, revision: this.revision + 1 }) as Saved['records'] }
			: newest;
		// What is saved with another node's data may have been set back.
		const isSaved = !isChanged && !hasForgotten && revisionOf(own) === this.revision;
		if (hasItems) {
			this.leaveOthersAsSaved(saved);
			this.staticData.leaveToN8n(content);
		} else if (!isSaved) await this.staticData.save(content);
		return true;
	}

	/** Forgets triggers that the workflow has no more. Returns whether there are such. */
	private forgetDeleted(saved: Map<string, Saved>): boolean {
		const { nodeIds } = this.staticData;
		const deleted = [...saved.keys()].filter((id) => !nodeIds.has(id));
		for (const id of deleted) {
			saved.delete(id);
			this.staticData.forget(id);
		}
		return deleted.length > 0;
	}

	/** n8n saves what it holds for all triggers with the items of this one, so this updates the others. */
	private leaveOthersAsSaved(saved: Map<string, Saved>): void {
		for (const [id, data] of saved) {
			if (id === this.staticData.triggerId) continue;
			const isNewer = revisionOf(data) > revisionOf(this.staticData.held(id));
			if (isNewer) this.staticData.holdFor(id, data);
		}
	}

	/** What is kept of the trigger: what this process holds, or what was saved since. */
	private newest(saved: Map<string, Saved>): Saved {
		const { data, triggerId } = this.staticData;
		const own: Saved = saved.get(triggerId) ?? data;
		return revisionOf(own) > revisionOf(data) ? own : data;
	}

	private logFirstPoll(reason: string): void {
		const { recordName, emitsExisting } = this.settings;
		const consequence = emitsExisting ? 'are all new' : 'are remembered, and nothing is emitted';
		this.log(`This is a first poll, because ${reason}: the ${recordName}s ${consequence}`);
	}
}

function revisionOf(data: Saved | undefined): number {
	const { revision } = data?.records ?? {};
	return typeof revision === 'number' ? revision : 0;
}

/** The parts of the watched list that have changed, in words. */
function differences(before: WatchedList, now: WatchedList): string[] {
	const names = Object.keys(WORDS) as Array<keyof WatchedList>;
	return names.filter((name) => before[name] !== now[name]).map((name) => WORDS[name]);
}
