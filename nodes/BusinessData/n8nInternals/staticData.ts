/**
 * The static data of a workflow, one object for all its nodes. n8n saves it only when a poll returns items, and may hold
 * an old copy of the data of other triggers. So this file uses n8n's own service (1.123 and 2.41 have it); without that,
 * what a poll without items has seen is saved with the next items.
 */
import type { IDataObject, INode, IPollFunctions, Workflow } from 'n8n-workflow';

import { KeyedMutex, never, sleep } from '../async';
import { DeduplicationRow } from './deduplicationStore';
import { findService } from './services';
import { holdShutdownForItems } from './shutdown';
import { commitCursor, isOfDurableScheduler, workflowOf } from './pollContext';

interface StaticDataService {
	getStaticDataById(workflowId: string): Promise<IDataObject>;
	saveStaticDataById(workflowId: string, staticData: IDataObject): Promise<void>;
}

const MODULE = 'n8n/dist/workflows/workflow-static-data.service';
const METHODS = ['getStaticDataById', 'saveStaticDataById'] as const;

/** The same in n8n 1.123 and 2.41. */
interface PermissionChecker {
	check(workflowId: string, nodes: INode[]): Promise<void>;
}

const CHECKER_MODULE = 'n8n/dist/executions/pre-execution-checks/credentials-permission-checker';
const CHECKER = [CHECKER_MODULE, 'CredentialsPermissionChecker', ['check']] as const;

/** n8n stores data under the name of a node. A name may change, so the trigger's ID takes its place. */
const NAME_BEGINS = 'businessDataTrigger:';
const KEY_BEGINS = `node:${NAME_BEGINS}`;

/** One per workflow, because a trigger saves the data of all triggers of the workflow. */
const mutex = new KeyedMutex();
/** How often (ms), and how many times at most, to check whether n8n has saved: it does not report a failed save. */
const CHECKED_EVERY_MS = 10;
const MOST_CHECKS = 200;

/** What is stored for a trigger. */
export interface TriggerData extends IDataObject {
	/** `revision` grows whenever it is saved. */
	records?: IDataObject & { revision: number };
}

export const revisionOf = (data: TriggerData | undefined) => data?.records?.revision ?? 0;

/** n8n's `__dataChanged`: whether it saves with the next items. n8n sets false after a save, this file undefined. */
type Mark = boolean | undefined;

/**
 * The ID of a trigger, or its name in n8n 1.x, where triggers may lack an ID or share one. If a trigger shares its ID with
 * other nodes, n8n 2.x gives those a new one.
 */
function triggerIdOf(context: IPollFunctions): string {
	const { id, name, type } = context.getNode();
	const nodes = Object.values(workflowOf(context)?.nodes ?? {});
	const isUnique = nodes.filter((node) => node.id === id && node.type === type).length <= 1;
	return id && isUnique ? id : name;
}

export class StaticData {
	readonly triggerId: string;
	/** Whether it is a durable cursor of n8n 2.x, which n8n stores by ID, reads before each poll and saves after it. */
	readonly isDurable: boolean;
	/** Under which n8n stores the data of the trigger. */
	private readonly key: string;
	private readonly workflowId: string;
	/** What n8n holds for the trigger, and saves with its items. */
	private readonly data: TriggerData;
	private readonly workflow: Workflow | undefined;
	private readonly service: StaticDataService | undefined;

	/** The data before `keep`, to be restored if n8n does not save it. */
	private before: { content: TriggerData; mark: Mark } | undefined;

	/** The static data of all nodes, as last read from the database, or as n8n holds it if there is no service. */
	private all: Record<string, TriggerData> = {};

	constructor(private readonly context: IPollFunctions) {
		this.triggerId = triggerIdOf(context);
		this.key = KEY_BEGINS + this.triggerId;
		this.workflowId = context.getWorkflow().id ?? '';
		this.workflow = workflowOf(context);
		const data = context.getWorkflowStaticData('node');
		// A durable cursor does not have the mark.
		this.isDurable = this.workflow === undefined || !('__dataChanged' in data);
		this.data = this.isDurable ? data : this.held(this.key);
		this.service =
			this.isDurable || this.workflowId === ''
				? undefined
				: findService<StaticDataService>(MODULE, 'WorkflowStaticDataService', METHODS);
	}

	/** The latest data of the trigger: as this process holds it, or as another process has saved it since. */
	async newest(): Promise<TriggerData> {
		const all =
			(await this.service?.getStaticDataById(this.workflowId)) ?? this.workflow?.staticData;
		this.all = (all ?? {}) as Record<string, TriggerData>;
		const own = this.all[this.key];
		return own !== undefined && revisionOf(own) > revisionOf(this.data) ? own : this.data;
	}

	/**
	 * Call before a poll emits items. If the workflow has moved away from the credential, n8n lets it poll, but then refuses
	 * the execution and loses the items. And of its two writes, n8n may fail to save this data but record the execution, so
	 * that the next poll would emit the items again. To see whether writes succeed, this deletes a row that never exists.
	 * @throws n8n's error if it would refuse the execution, or those of its database if it takes no writes
	 */
	async requireEmittable(): Promise<void> {
		const node = this.context.getNode();
		await findService<PermissionChecker>(...CHECKER)?.check(this.workflowId, [node]);
		if (this.service === undefined) return;
		await DeduplicationRow.of(this.workflowId, 'businessData:writable')?.clear();
	}

	/** Runs the task while neither n8n nor another trigger of the workflow reads or saves the data. */
	async runExclusive<Result>(task: () => Promise<Result>): Promise<Result> {
		if (this.service === undefined) return await task();
		return await new Promise<Result>((resolve, reject) => {
			const work = async () => {
				resolve(await task());
				await this.untilSavedByN8n();
			};
			mutex.runExclusive(this.workflowId, work).catch(reject);
		});
	}

	/**
	 * Keeps the content. Call right after `newest`.
	 * @param hasItems whether the poll emits items: with them, n8n saves everything that it holds
	 */
	async keep(content: TriggerData, hasItems: boolean): Promise<void> {
		const { service, workflowId, key, data } = this;
		if (hasItems) {
			holdShutdownForItems();
			this.updateOthers();
			if (service !== undefined) this.before = { content: { ...data }, mark: this.mark };
			return this.hold(content);
		}
		if (service === undefined) {
			this.hold(content);
			return await commitCursor(this.context);
		}
		// Another node's save may have set this data back to an older state.
		if (revisionOf(this.all[key]) === revisionOf(content)) return;
		this.withoutMark(() => this.hold(content));
		await service.saveStaticDataById(workflowId, { ...this.all, [key]: data });
	}

	/** Updates what n8n holds for the other triggers, because it saves that too. */
	private updateOthers(): void {
		for (const [key, saved] of Object.entries(this.all)) {
			if (!key.startsWith(KEY_BEGINS) || key === this.key) continue;
			const held = this.held(key);
			if (revisionOf(saved) > revisionOf(held)) this.withoutMark(() => Object.assign(held, saved));
		}
	}

	/** What n8n holds for a trigger of the workflow. */
	private held(key: string): TriggerData {
		const node = { name: key.slice('node:'.length) } as INode;
		return this.workflow?.getStaticData('node', node) ?? {};
	}

	private hold(content: TriggerData): void {
		if (content === this.data) return;
		delete this.data.records;
		Object.assign(this.data, content);
	}

	private async untilSavedByN8n(): Promise<void> {
		if (this.before === undefined) return;
		await sleep(CHECKED_EVERY_MS, never);
		// By now n8n has begun to save, or has discarded the items because the trigger was edited meanwhile. Then the next
		// poll finds the events again. The durable scheduler is slower, but its polls share nothing with other nodes.
		if (this.mark === true && !isOfDurableScheduler(this.context)) this.mark = undefined;
		for (let checks = 1; checks < MOST_CHECKS; checks++) {
			if (this.mark === false) return;
			await sleep(CHECKED_EVERY_MS, never);
		}
		this.hold(this.before.content);
		this.mark = this.before.mark;
	}

	/** Changes what n8n holds without setting the mark, which would make n8n save old data of other nodes too. */
	private withoutMark(change: () => void): void {
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
