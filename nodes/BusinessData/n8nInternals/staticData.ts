/**
 * Where n8n keeps what a trigger remembers: the static data of the workflow, that of all nodes in one piece.
 * n8n saves it when a poll gives out items, and not when it gives out none. And where a trigger was added or
 * edited later, each holds a copy of its own of what the others remember. So the service that saves it is asked
 * for directly, where this n8n has it (1.123 and 2.41 do); elsewhere, what a poll without items has seen is
 * saved with the next items.
 */
import type { IDataObject, INode, IPollFunctions, Workflow } from 'n8n-workflow';

import { abortController, sleep, KeyedMutex } from '../async';
import { findService } from './services';
import { workflowOf } from './workflow';

/** The part of n8n's WorkflowStaticDataService that is used. */
interface StaticDataService {
	getStaticDataById(workflowId: string): Promise<IDataObject>;
	saveStaticDataById(workflowId: string, staticData: IDataObject): Promise<void>;
}

const MODULE = 'n8n/dist/workflows/workflow-static-data.service';
const METHODS = ['getStaticDataById', 'saveStaticDataById'] as const;
/** n8n keeps data by a node's name, which may change. So what is kept by ID has a name of its own. */
const NAME_BEGINS = 'businessDataTrigger:';
const KEY_BEGINS = `node:${NAME_BEGINS}`;

/** By workflow: each of its triggers saves what it has read of the others. */
const mutex = new KeyedMutex();
/** A turn comes soon, so nobody gives up waiting. */
const never = abortController().signal;
/** Every so many ms it is looked whether n8n has saved it, and so often at the most: nothing tells when it fails. */
const LOOK_MS = 10;
const MOST_LOOKS = 200;

/**
 * Whether n8n saves what it holds for all nodes of the workflow as soon as one gives out items. It says false
 * when that is saved; undefined, which it takes for false, is ours.
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

	/** What n8n held before it was given something to save. */
	private before: { content: IDataObject; mark: Mark } | undefined;

	/** Of all nodes, as it was saved when that was last looked at. */
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
	 * What is saved for each trigger, by its ID: also by another process, or for another start of the workflow.
	 * Where that is not known, it is what n8n holds.
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

	/** Runs the task while neither another trigger of the workflow reads and saves, nor n8n for it. */
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

	/** n8n saves this for the trigger when the poll is over, with its items. */
	leaveToN8n(content: Readonly<IDataObject>): void {
		if (this.service !== undefined) {
			this.before = { content: { ...this.data }, mark: this.mark };
		}
		this.hold(content);
	}

	/** What n8n holds here for a trigger of the workflow, and saves with the items of this one. */
	held(triggerId: string): IDataObject {
		const node = { name: NAME_BEGINS + triggerId } as INode;
		return this.workflow?.getStaticData('node', node) ?? {};
	}

	/** Lets n8n hold this for another trigger. */
	holdFor(triggerId: string, content: IDataObject): void {
		this.unnoticed(() => Object.assign(this.held(triggerId), content));
	}

	/** Drops what is kept for a trigger; what is saved of it, with the next save. */
	forget(triggerId: string): void {
		delete this.all[KEY_BEGINS + triggerId];
		this.unnoticed(() => delete this.workflow?.staticData[KEY_BEGINS + triggerId]);
	}

	/** Saves this for the trigger, although the poll gives out no items; right behind `saved`. */
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
		// By now n8n has begun to save it, or has thrown the items away, as it does where the trigger was edited
		// meanwhile. Then it must not be saved with the items of another node, and must be found again.
		if (this.mark === true) this.mark = undefined;
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

	/**
	 * Changes what n8n holds without its mark: n8n would save what it holds for other nodes as well, which may be old.
	 */
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
