/**
 * Executions of a node as n8n's engine runs them, with Retry On Fail, the stop signal and error handling. Modelled on
 * n8n-core's `workflow-execute.js` and `get-input-connection-data.js`.
 */
import { setMaxListeners } from 'node:events';

import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

import type { Host } from './host';
import { evaluate, type ExpressionData, resolveParameter, valueAt } from './parameters';
import { NODE_TYPE, type SavedNode, TOOL_TYPE } from './workflow';

export type Ending =
	| { status: 'success'; items: INodeExecutionData[] }
	| { status: 'error'; error: ShownError }
	| { status: 'canceled' }
	| { status: 'tool'; responses: ToolResponse[] };

export interface ShownError {
	message: string;
	description?: string | null;
	context?: Record<string, unknown>;
}

export type ToolResponse = { response: unknown } | { error: ShownError };

export interface Start {
	id: string;
	node: SavedNode;
	items: IDataObject[];
	/** The loaded copy of the package that runs it. */
	copy: number;
	/** Each item is a concurrent call of the node as a tool. With `mcp`, there is no stop signal. */
	tool?: 'agent' | 'mcp';
}

export class Execution {
	/** When (ms of the world's time) each run of the node began and ended. */
	readonly runs: Array<{ from: number; to?: number }> = [];

	readonly hints: unknown[] = [];
	ending: Ending | undefined;
	stoppedAt: number | undefined;
	/** When (ms since 1970, by the clock of its process) n8n continues after the node. */
	private parkedUntil: number | undefined;
	private unpark: () => void = () => undefined;
	private readonly controller = new AbortController();

	constructor(
		private readonly host: Host,
		readonly start: Start,
		private readonly onEnd: (execution: Execution) => void,
	) {
		setMaxListeners(Infinity, this.controller.signal);
	}

	get isOver(): boolean {
		return this.ending !== undefined;
	}

	get wasParked(): boolean {
		return this.parkedUntil !== undefined;
	}

	/** Presses the stop button: for the user, the execution ends at once; the running node gets the signal. */
	stop(): void {
		if (this.ending !== undefined) return;
		this.stoppedAt = this.host.process.world.now;
		this.controller.abort();
		this.unpark();
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	async run(): Promise<void> {
		const { tool, copy } = this.start;
		const nodeType = this.host.nodeType(copy);
		const ending = tool === undefined ? await this.runNode(nodeType) : await this.runTool(nodeType);
		if (this.parkedUntil !== undefined) {
			const stopped = new Promise<void>((resolve) => (this.unpark = resolve));
			await Promise.race([this.wait(this.parkedUntil - this.host.process.clock.wall()), stopped]);
		}
		this.ending = this.stoppedAt === undefined ? ending : { status: 'canceled' };
		this.onEnd(this);
	}

	private async runNode(nodeType: INodeType): Promise<Ending> {
		const { node, items } = this.start;
		const input = this.copy(items.map((json, item) => ({ json, pairedItem: { item } })));
		const [maxTries, waitMs] = retryOf(node);
		let error: ShownError | undefined;
		for (let tryIndex = 0; tryIndex < maxTries; tryIndex++) {
			try {
				if (tryIndex !== 0) await this.wait(waitMs);
				let output = await this.runOnce(nodeType, input, 0);
				// n8n treats a first item with a field `error` as a failure.
				while (isFailure(output) && tryIndex !== maxTries - 1) {
					await this.wait(waitMs);
					output = await this.runOnce(nodeType, input, 0);
					tryIndex++;
				}
				return { status: 'success', items: shown(output) };
			} catch (thrown) {
				error = thrown as ShownError;
			}
		}
		if (node.onError === undefined || node.onError === 'stopWorkflow') {
			return { status: 'error', error: error as ShownError };
		}
		return { status: 'success', items: input };
	}

	/** Every item is a separate call, and n8n counts each attempt of each call as another run. */
	private async runTool(nodeType: INodeType): Promise<Ending> {
		const { tool } = this.start;
		let runIndex = 0;
		const call = async (parameters: IDataObject): Promise<ToolResponse> => {
			const [maxTries, waitMs] = retryOf(this.start.node);
			for (let tryIndex = 0; ; tryIndex++) {
				const own = runIndex++;
				if (this.signalOfTool?.aborted === true) return { response: 'Execution was cancelled' };
				if (tryIndex !== 0) await this.wait(waitMs);
				try {
					// Each attempt has a new item with the same arguments.
					const input = this.copy<INodeExecutionData[]>([{ json: {} }]);
					for (const item of input) item.json = parameters;
					return { response: shown(await this.runOnce(nodeType, input, own)) };
				} catch (error) {
					const isStopped = this.stoppedAt !== undefined && tool !== 'mcp';
					if (tryIndex >= maxTries - 1 || isStopped) {
						return { error: error as ShownError };
					}
				}
			}
		};
		const responses = await Promise.all(this.copy(this.start.items).map(call));
		return { status: 'tool', responses };
	}

	private get signalOfTool(): AbortSignal | undefined {
		return this.start.tool === 'mcp' ? undefined : this.signal;
	}

	private async runOnce(
		nodeType: INodeType,
		input: INodeExecutionData[],
		runIndex: number,
	): Promise<INodeExecutionData[][]> {
		const { now } = this.host.process.world;
		const run: Execution['runs'][number] = { from: now };
		this.runs.push(run);
		try {
			const context = this.context(input, runIndex, this.runs.length);
			return (await nodeType.execute?.call(context as never)) as INodeExecutionData[][];
		} finally {
			run.to = this.host.process.world.now;
		}
	}

	private context(input: INodeExecutionData[], runIndex: number, run: number) {
		const { node, id, tool } = this.start;
		const dataOf = (itemIndex: number): ExpressionData => {
			const json = input[itemIndex]?.json ?? {};
			return { json, fromAi: json, runIndex };
		};
		return {
			...this.host.common(node, tool === undefined ? NODE_TYPE : TOOL_TYPE),
			helpers: this.host.helpers(id, run),
			getInputData: () => input,
			getMode: () => 'trigger',
			getExecutionId: () => id,
			getTimezone: () => 'UTC',
			sendMessageToUI: () => undefined,
			getExecutionCancelSignal: () => (tool === undefined ? this.signal : this.signalOfTool),
			getNodeParameter: (name: string, itemIndex: number, fallback?: unknown) => {
				const value = valueAt(node.parameters, name);
				return value === undefined ? fallback : this.resolve(value, dataOf(itemIndex));
			},
			evaluateExpression: (expression: string, itemIndex = 0) =>
				evaluate(expression, dataOf(itemIndex)),
			continueOnFail: () =>
				node.onError === 'continueRegularOutput' || node.onError === 'continueErrorOutput',
			isToolExecution: () => tool !== undefined,
			putExecutionToWait: async (until: Date) => {
				this.parkedUntil = until.getTime();
				await Promise.resolve();
			},
			addExecutionHints: (...hints: unknown[]) => this.hints.push(...hints),
		};
	}

	private resolve(value: unknown, data: ExpressionData): unknown {
		const resolved = resolveParameter(value, data);
		return typeof resolved === 'object' && resolved !== null ? this.copy(resolved) : resolved;
	}

	private async wait(ms: number): Promise<void> {
		const { process } = this.host;
		if (ms > 0) await process.world.sleep(ms, process);
	}

	private copy<T>(value: T): T {
		return this.host.process.realm.copy(value);
	}
}

function retryOf({ retryOnFail, maxTries, waitBetweenTries }: SavedNode): [number, number] {
	if (retryOnFail !== true) return [1, 0];
	return [
		Math.min(5, Math.max(2, maxTries ?? 3)),
		Math.min(5000, Math.max(0, waitBetweenTries ?? 1000)),
	];
}

function isFailure(output: INodeExecutionData[][]): boolean {
	const error = output[0]?.[0]?.json.error;
	return error !== undefined && error !== null && error !== false;
}

function shown(output: INodeExecutionData[][]): INodeExecutionData[] {
	return output
		.flat()
		.map((item) =>
			item.error === undefined ? item : { ...item, json: { error: item.error.message } },
		);
}
