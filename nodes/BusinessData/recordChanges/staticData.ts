/**
 * Where n8n keeps what a trigger remembers: the static data of the workflow. n8n saves it when a poll gives
 * out items, and not when it gives out none. So the service that saves it is asked for directly, where this
 * n8n has it (1.123 and 2.41 do); elsewhere, what a poll without items has seen is saved with the next items.
 */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { findService } from './n8nService';

/** The part of n8n's WorkflowStaticDataService that is used. */
interface StaticDataService {
	/** Saves the static data of all nodes of a workflow, if it was changed. */
	saveStaticData(workflow: unknown): Promise<void>;
	getStaticDataById(workflowId: string): Promise<Record<string, unknown>>;
}

const MODULE = 'n8n/dist/workflows/workflow-static-data.service';
const METHODS = ['saveStaticData', 'getStaticDataById'] as const;

export class StaticData {
	/** What n8n holds for the node. Assigning to it marks it as changed. */
	readonly data: IDataObject;

	private readonly service: StaticDataService | undefined;

	constructor(private readonly context: IPollFunctions) {
		this.data = context.getWorkflowStaticData('node');
		// Without this mark it is a durable cursor of n8n 2.x, which n8n saves after each poll.
		const isSavedByItems = '__dataChanged' in this.data;
		this.service = isSavedByItems
			? findService<StaticDataService>(MODULE, 'WorkflowStaticDataService', METHODS)
			: undefined;
	}

	/** What another process, or another start of the workflow, has saved; undefined where that is not known. */
	async saved(): Promise<IDataObject | undefined> {
		const { id } = this.context.getWorkflow();
		if (id === undefined) return undefined;
		const data = await this.service?.getStaticDataById(id);
		return data?.[`node:${this.context.getNode().name}`] as IDataObject | undefined;
	}

	/** Saves it although the poll gives out no items. */
	async save(): Promise<void> {
		await this.service?.saveStaticData((this.context as { workflow?: unknown }).workflow);
	}
}
