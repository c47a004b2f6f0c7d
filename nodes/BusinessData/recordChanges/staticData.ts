/**
 * Where n8n keeps what a trigger remembers: the static data of the workflow, that of all nodes in one piece.
 * n8n saves it when a poll gives out items, and not when it gives out none. And where a trigger was added or
 * edited later, each holds a copy of its own of what the others remember. So the service that saves it is asked
 * for directly, where this n8n has it (1.123 and 2.41 do); elsewhere, what a poll without items has seen is
 * saved with the next items.
 */
import type { IDataObject, INode, IPollFunctions, Workflow } from 'n8n-workflow';

import { findService } from './n8nService';

/** The part of n8n's WorkflowStaticDataService that is used. */
interface StaticDataService {
	getStaticDataById(workflowId: string): Promise<IDataObject>;
	saveStaticDataById(workflowId: string, staticData: IDataObject): Promise<void>;
}

const MODULE = 'n8n/dist/workflows/workflow-static-data.service';
const METHODS = ['getStaticDataById', 'saveStaticDataById'] as const;
const KEY_BEGINS = 'node:';

export class StaticData {
	/** What n8n holds for the node. Assigning to it marks it as changed. */
	readonly data: IDataObject;

	private readonly service: StaticDataService | undefined;

	/** Of all nodes, as it was saved when that was last looked at. */
	private all: IDataObject = {};

	constructor(private readonly context: IPollFunctions) {
		this.data = context.getWorkflowStaticData('node');
		// Without this mark it is a durable cursor of n8n 2.x, which n8n saves after each poll.
		const isSavedByItems = '__dataChanged' in this.data;
		this.service = isSavedByItems
			? findService<StaticDataService>(MODULE, 'WorkflowStaticDataService', METHODS)
			: undefined;
	}

	/** The node's name. */
	get name(): string {
		return this.context.getNode().name;
	}

	/**
	 * What is saved for each node, by its name: also by another process, or for another trigger or start of the
	 * workflow. Empty where that is not known.
	 */
	async saved(): Promise<Map<string, IDataObject>> {
		const { id } = this.context.getWorkflow();
		if (this.service === undefined || id === undefined) return new Map();
		this.all = await this.service.getStaticDataById(id);
		const ofNodes = Object.entries(this.all).filter(([key]) => key.startsWith(KEY_BEGINS));
		return new Map(
			ofNodes.map(([key, data]) => [key.slice(KEY_BEGINS.length), data as IDataObject]),
		);
	}

	/** What n8n holds here for another node of the workflow, and saves with the items of this one. */
	ofNode(name: string): IDataObject {
		const { workflow } = this.context as unknown as { workflow: Workflow };
		return workflow.getStaticData('node', { name } as INode);
	}

	/** Saves that of this node, although the poll gives out no items; right behind `saved`. */
	async save(): Promise<void> {
		const { id } = this.context.getWorkflow();
		if (id === undefined) return;
		const own = { [KEY_BEGINS + this.name]: this.data };
		await this.service?.saveStaticDataById(id, { ...this.all, ...own });
	}
}
