/** A copy of a list that is kept by the trigger's events alone, and reports false events. */
import { isDeepStrictEqual } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

type Records = ReadonlyMap<string, object>;

export class EventCopy {
	readonly records: Map<string, object>;
	/** Events that had not happened, or were emitted before. */
	readonly falseEvents: string[] = [];

	/** @param known by ID, the records that the trigger knows without having emitted them */
	constructor(known: Records = new Map()) {
		this.records = new Map(known);
	}

	/**
	 * @param events of the trigger, for contacts or other records
	 * @param current the service's records at that moment; IDs are never reused
	 */
	play(events: IDataObject[], current: Records): void {
		for (const { event, contact, record } of events) {
			const content = (contact ?? record) as { id: string | number };
			const id = String(content.id);
			const change = (event as string).replace(/^(contact|record)/, '');
			const known = this.records.get(id);
			const isFalse =
				change === 'Created'
					? known !== undefined
					: change === 'Updated'
						? known === undefined || isDeepStrictEqual(known, content)
						: known === undefined || current.has(id);
			if (isFalse) this.falseEvents.push(`${change} ${id}`);
			if (change === 'Deleted') this.records.delete(id);
			else this.records.set(id, content);
		}
	}

	/** The records that the copy lacks, and those that it has left over. */
	differencesFrom(current: Records): { missing: string[]; left: string[] } {
		const shown = (records: Records) =>
			[...records.values()].map((one) => JSON.stringify(one)).sort();
		const has = shown(this.records);
		const should = shown(current);
		return {
			missing: should.filter((one) => !has.includes(one)),
			left: has.filter((one) => !should.includes(one)),
		};
	}
}
