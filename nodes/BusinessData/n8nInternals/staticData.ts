/**
 * Where n8n keeps what a trigger remembers: the static data of the workflow, one object for all nodes. n8n saves it
 * when a poll returns items, but not when it returns none; and a trigger that was added or edited later holds its own
 * copy of the others' data. So this file calls n8n's service that saves it, where n8n has it (1.123 and 2.41 do).
 * Elsewhere, what a poll without items has seen is saved with the next items.
 */
import type { IDataObject, INode, IPollFunctions, Workflow } from 'n8n-workflow';

import { KeyedMutex, never, sleep } from '../async';
import { findService } from './services';
import { isOfDurableScheduler, workflowOf } from './workflow';

/** The part of n8n's WorkflowStaticDataService that is used. */
interface StaticDataService {
	getStaticDataById(workflowId: string): Promise<IDataObject>;
	saveStaticDataById(workflowId: string, staticData: IDataObject): Promise<void>;
}

const MODULE = 'n8n/dist/workflows/workflow-static-data.service';
const METHODS = ['getStaticDataById', 'saveStaticDataById'] as const;
/** n8n keeps data by the name of the node, which may change, so the trigger's ID stands in for a name. */
const NAME_BEGINS = 'businessDataTrigger:';
const KEY_BEGINS = `node:${NAME_BEGINS}`;

/** By workflow: a trigger saves the data of all triggers of the workflow. */
const mutex = new KeyedMutex();
/** How often (ms), and how many times at most, to check whether n8n has saved: a failed save is not reported. */
const LOOK_MS = 10;
const MOST_LOOKS = 200;

/**
 * `__dataChanged`: whether n8n saves the static data of the workflow with the next items. n8n sets it to false after a
 * save; undefined, which n8n takes for false, is set here.
 */
type Mark = boolean | undefined;

/** The ID of a trigger. n8n 1.x also takes nodes without one, or with the same one, which have their name. */
export function triggerIdOf(context: IPollFunctions): string {
	const { id, name } = context.getNode();
	const nodes = Object.values(workflowOf(context)?.nodes ?? {});
	const isUnique = nodes.filter((node) => node.id === id).length <= 1;
	return id && isUnique ? id : name;
}

export class StaticData {
	readonly triggerId: string;

	/** What n8n holds for the trigger. */
	readonly data: Readonly<IDataObject>;

	private readonly workflow: Workflow | undefined;

	private readonly service: StaticDataService | undefined;

	/** The data before `leaveToN8n`, to be restored if n8n does not save. */
	private before: { content: IDataObject; mark: Mark } | undefined;

	/** The static data of all nodes, as last read from the database. */
	private all: IDataObject = {};

	constructor(private readonly context: IPollFunctions) {
		this.triggerId = triggerIdOf(context);
		this.workflow = workflowOf(context);
		const data = context.getWorkflowStaticData('node');
		// Without this mark it is a durable cursor of n8n 2.x, which n8n keeps by ID, and saves after each poll.
		const isDurable = this.workflow === undefined || !('__dataChanged' in data);
		this.data = isDurable ? data : this.held(this.triggerId);
		this.service = isDurable
			? undefined
			: findService<StaticDataService>(MODULE, 'WorkflowStaticDataService', METHODS);
	}

	/** The IDs of all triggers that the workflow may have, as far as n8n says; also their names, see `triggerIdOf`. */
	get nodeIds(): Set<string> {
		const nodes = Object.values(this.workflow?.nodes ?? {});
		return new Set(nodes.flatMap(({ id, name }) => [id, name]));
	}

	/**
	 * The saved data of each trigger by its ID, also what another process has saved; without n8n's service, what n8n
	 * holds.
	 */
	async saved(): Promise<Map<string, IDataObject>> {
		const { id } = this.context.getWorkflow();
		const isSaved = this.service !== undefined && id !== undefined;
		this.all = isSaved
			? await this.service.getStaticDataById(id)
			: (this.workflow?.staticData ?? {});
		const own = Object.entries(this.all).filter(([key]) => key.startsWith(KEY_BEGINS));
		return new Map(own.map(([key, data]) => [key.slice(KEY_BEGINS.length), data as IDataObject]));
	}

	/** Runs the task while neither n8n nor another trigger of the workflow reads or saves the data. */
	async runExclusive<Result>(task: () => Promise<Result>): Promise<Result> {
		const { id } = this.context.getWorkflow();
		if (this.service === undefined || id === undefined) return await task();
		return await new Promise<Result>((resolve, reject) => {
			const work = async () => {
				resolve(await task());
				await this.untilSavedByN8n();
			};
			mutex.runExclusive(id, never, work).catch(reject);
		});
	}

	/** Leaves the content for n8n to save with the items of the poll. */
	leaveToN8n(content: Readonly<IDataObject>): void {
		if (this.service !== undefined) {
			this.before = { content: { ...this.data }, mark: this.mark };
		}
		this.hold(content);
	}

	/** What n8n holds for a trigger of the workflow, and saves with the items of this trigger. */
	held(triggerId: string): IDataObject {
		const node = { name: NAME_BEGINS + triggerId } as INode;
		return this.workflow?.getStaticData('node', node) ?? {};
	}

	/** Replaces what n8n holds for another trigger. */
	holdFor(triggerId: string, content: IDataObject): void {
		this.unnoticed(() => Object.assign(this.held(triggerId), content));
	}

	/** Drops the data of a trigger; the saved data goes with the next save. */
	forget(triggerId: string): void {
		delete this.all[KEY_BEGINS + triggerId];
		this.unnoticed(() => delete this.workflow?.staticData[KEY_BEGINS + triggerId]);
	}

	/** Saves the content although the poll returns no items. To be called right after `saved`. */
	async save(content: Readonly<IDataObject>): Promise<void> {
		const { id } = this.context.getWorkflow();
		if (this.service === undefined || id === undefined) {
			this.hold(content);
			return;
		}
		this.unnoticed(() => this.hold(content));
		const own = { [KEY_BEGINS + this.triggerId]: this.data };
		await this.service.saveStaticDataById(id, { ...this.all, ...own });
	}

	private async untilSavedByN8n(): Promise<void> {
		if (this.before === undefined) return;
		await sleep(LOOK_MS, never);
		// By now n8n has begun to save, or has discarded the items because the trigger was edited meanwhile. Then the
		// content must not be saved with another node's items: the next poll finds the events again. The durable
		// scheduler asks n8n's database before it emits, and its polls share nothing with other nodes.
		if (this.mark === true && !isOfDurableScheduler(this.context)) this.mark = undefined;
		for (let looks = 1; looks < MOST_LOOKS; looks++) {
			if (this.mark === false) return;
			await sleep(LOOK_MS, never);
		}
		this.hold(this.before.content);
		this.mark = this.before.mark;
	}

	private hold(content: Readonly<IDataObject>): void {
		const data: IDataObject = this.data;
		if (content === data) return;
		for (const name of Object.keys(data)) if (!Object.hasOwn(content, name)) delete data[name];
		Object.assign(data, content);
	}

	/** Changes what n8n holds without marking it as changed: n8n would also save outdated data of other nodes. */
	private unnoticed(change: () => void): void {
		const { mark } = this;
		change();
		this.mark = mark;
	}

	private get mark(): Mark {
		return this.workflow?.staticData.__dataChanged as Mark;
	}

	private set mark(mark: Mark) {
		if (this.workflow !== undefined) this.workflow.staticData.__dataChanged = mark;
	}
}
