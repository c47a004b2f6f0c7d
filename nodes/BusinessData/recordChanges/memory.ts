/** What a trigger remembers from poll to poll, of the question that it asks. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { shutdownSignal } from '../n8nInternals/shutdown';
import type { Asked, Question } from './question';
import { newState, readState, type SavedState, saveState, type State } from './state';
import { StaticData } from './staticData';

/** Names in the node's static data. The first edition kept its contacts under `contacts`. */
const NAME = 'records';
const NAME_OF_FIRST_EDITION = 'contacts';

/** What is asked, in the words of the log. */
const WORDS: Record<keyof Asked, string> = {
	source: 'the source',
	account: 'the account',
	idField: 'the ID field',
	itemsField: 'the items field',
	query: 'the query',
};

export class Memory {
	private readonly staticData: StaticData;

	/** What was saved when the poll began. */
	private revision = 0;

	constructor(
		context: IPollFunctions,
		private readonly question: Question,
		/** Tells n8n's log. */
		private readonly tell: (sentence: string) => void,
	) {
		this.staticData = new StaticData(context);
	}

	/** What is known of the records; nothing where another question was asked before. */
	async recall(): Promise<State> {
		const saved = this.newest(await this.staticData.saved());
		this.revision = revisionOf(saved);
		const { asked } = this.question;
		const state = readState(saved[NAME]);
		const isBegun = NAME in saved || NAME_OF_FIRST_EDITION in saved;
		const changed = state === undefined ? [] : differences(state.asked, asked);
		if (state !== undefined && changed.length === 0) return state;
		if (changed.length > 0) this.tellOfFirstPoll(`${changed.join(' and ')} changed`);
		else if (isBegun) this.tellOfFirstPoll('another version of this node saved what was known');
		return { ...newState(asked), revision: this.revision };
	}

	/**
	 * Remembers the state if it is another one.
	 * @param hasItems whether the poll gives out items, with which n8n saves it
	 * @returns false when another poll was faster, or n8n is about to end: what this one has found must not be
	 * told then, and without being remembered it is found again
	 */
	async keep(state: State, hasItems: boolean): Promise<boolean> {
		return await this.staticData.inTurn(async () => await this.keepInTurn(state, hasItems));
	}

	private async keepInTurn(state: State, hasItems: boolean): Promise<boolean> {
		const saved = await this.staticData.saved();
		const newest = this.newest(saved);
		if (revisionOf(newest) !== this.revision || shutdownSignal().aborted) return false;
		// n8n writes all of it into its database, so only when it is another one.
		const isChanged = JSON.stringify(saveState(state)) !== JSON.stringify(newest[NAME]);
		const content = isChanged
			? { [NAME]: saveState({ ...state, revision: this.revision + 1 }) }
			: newest;
		// What is saved with another node's data may have been set back.
		const isSaved = !isChanged && revisionOf(saved.get(this.staticData.name)) === this.revision;
		if (hasItems) {
			this.leaveOthersAsSaved(saved);
			this.staticData.leaveToN8n(content);
		} else if (!isSaved) await this.staticData.save(content);
		return true;
	}

	/** With the items of this trigger, n8n saves what it holds here for all of them. */
	private leaveOthersAsSaved(saved: Map<string, IDataObject>): void {
		for (const [name, data] of saved) {
			if (name === this.staticData.name || revisionOf(data) === 0) continue;
			const held = this.staticData.ofNode(name);
			if (revisionOf(data) > revisionOf(held)) held[NAME] = data[NAME];
		}
	}

	/** The node's static data: what this process holds, or what was saved since. */
	private newest(saved: Map<string, IDataObject>): IDataObject {
		const { data, name } = this.staticData;
		const own = saved.get(name);
		return own !== undefined && revisionOf(own) > revisionOf(data) ? own : data;
	}

	private tellOfFirstPoll(reason: string): void {
		const { recordName, emitsExisting } = this.question;
		const consequence = emitsExisting ? 'are all new' : 'are remembered, and nothing is emitted';
		this.tell(`This is a first poll, because ${reason}: the ${recordName}s ${consequence}`);
	}
}

function revisionOf(data: IDataObject | undefined): number {
	const { revision } = (data?.[NAME] ?? {}) as Partial<SavedState>;
	return typeof revision === 'number' ? revision : 0;
}

/** What of the question is another one than before, in words. */
function differences(before: Asked, now: Asked): string[] {
	const names = Object.keys(WORDS) as Array<keyof Asked>;
	return names.filter((name) => before[name] !== now[name]).map((name) => WORDS[name]);
}
