/**
 * How n8n 1.123 and 2.41 save the memory of a trigger: one text per workflow in the database, read when the workflow is
 * activated. After emitting the items of a poll, n8n saves what it holds and does not wait for the write. An execution
 * whose nodes have changed their static data saves, at its end, all that it read at its start.
 */
import type { IDataObject } from 'n8n-workflow';

import type { Engine } from './engine';
import { after } from './logicalTime';
import { MEMORY } from './triggerBench';

type Trigger = ReturnType<Engine['trigger']>;

/** How a save goes wrong: it lands late or twice, or it fails before it lands, after it, or long before. */
export type Save = 'late' | 'veryLate' | 'twice' | 'fails' | 'replyLost' | 'landsAfterError';

const LATE_MS = 3_000;
/** Longer than the interval of polls. */
const VERY_LATE_MS = 90_000;

/** The memory of a trigger, with the number of its save. */
export interface Remembered {
	text: string;
	revision: number;
}

function rememberedOf(staticData: IDataObject): Remembered {
	const { records } = (staticData[MEMORY] ?? {}) as { records?: { revision?: number } };
	return { text: JSON.stringify(records) ?? '', revision: records?.revision ?? 0 };
}

/** A process of n8n, from its start to its end. */
export class N8nProcess {
	isAlive = true;
	trigger: Trigger;
	/** How the next save of its poll goes wrong. */
	save: Save | undefined;
	/** What it held and what was saved, at the start and at the end of its poll. */
	seen: Remembered[] = [];

	constructor(
		private readonly n8n: SavingN8n,
		private readonly publish: (staticData: IDataObject) => Trigger,
	) {
		this.trigger = publish(n8n.read());
	}

	get id(): string {
		return String(this.trigger.workflow.id);
	}

	get held(): Remembered {
		return rememberedOf(this.trigger.workflow.staticData);
	}

	/** Replaces the workflow by a new version. */
	republish(): void {
		const { id } = this;
		this.trigger = this.publish(this.n8n.read());
		this.trigger.workflow.id = id;
	}

	/** Saves what it holds, as n8n does after a node of the workflow has emitted items; a failure is only logged. */
	async saveHeld({ workflow: { staticData } } = this.trigger): Promise<void> {
		if (!this.isAlive || staticData.__dataChanged !== true) return;
		const isSaved = await this.n8n.write(this, staticData).then(
			() => true,
			() => false,
		);
		if (isSaved) staticData.__dataChanged = false;
	}
}

export class SavingN8n {
	readonly processes: N8nProcess[] = [];
	private text = '{}';

	/** Called with the memory that a poll without items saves. */
	onSave: (process: N8nProcess, remembered: Remembered) => void = () => undefined;

	get saved(): Remembered {
		return rememberedOf(this.read());
	}

	read(): IDataObject {
		return JSON.parse(this.text) as IDataObject;
	}

	/** The service that saves, with the interface of n8n's. */
	readonly service = {
		getStaticDataById: async (id: string) => {
			await after(1);
			const process = this.processOf(id);
			process.seen = [...process.seen.slice(-2), process.held, this.saved];
			return this.read();
		},
		saveStaticDataById: async (id: string, staticData: IDataObject) => {
			const process = this.processOf(id);
			this.onSave(process, rememberedOf(staticData));
			await this.write(process, staticData);
		},
	};

	start(publish: (staticData: IDataObject) => Trigger): N8nProcess {
		const process = new N8nProcess(this, publish);
		this.processes.push(process);
		return process;
	}

	async write(process: N8nProcess, staticData: IDataObject): Promise<void> {
		const text = JSON.stringify(staticData);
		const { save } = process;
		process.save = undefined;
		const land = () => {
			// A save of a process that has ended is lost.
			if (process.isAlive) this.text = text;
		};
		if (save === 'late' || save === 'veryLate') {
			await after(save === 'late' ? LATE_MS : VERY_LATE_MS);
		}
		if (save === 'landsAfterError' || save === 'twice') setTimeout(land, VERY_LATE_MS);
		if (save !== 'fails' && save !== 'landsAfterError') land();
		if (save === 'fails' || save === 'landsAfterError' || save === 'replyLost') {
			throw new Error('the database is away');
		}
	}

	/** Begins an execution in which a node changes its static data. Returns a function that ends it. */
	execute(): () => void {
		const began = this.read();
		return () => (this.text = JSON.stringify({ ...began, 'node:Code': { ended: Date.now() } }));
	}

	private processOf(id: string): N8nProcess {
		const process = this.processes.find((one) => one.id === id);
		if (process === undefined) throw new Error(`No process has the workflow ${id}`);
		return process;
	}
}
