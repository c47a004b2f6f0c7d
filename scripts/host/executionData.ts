// Reads the result of an execution as n8n's REST interface gives it, packed by flatted.

/** What one node of an execution did, over all of its runs. */
export interface NodeResult {
	name: string;
	/** n8n's word for it: `success`, `error` … */
	status: string;
	/** All items it gave out, over all outputs and runs, in order. */
	items: unknown[];
	/** How long it took, in milliseconds. */
	milliseconds: number;
	/** What went wrong, if something did. */
	error?: string;
}

/** The result of an execution. */
export interface ExecutionResult {
	id: string;
	/** n8n's word for it: `success`, `error`, `canceled`, `crashed` … */
	status: string;
	/** In the order in which they first ran. */
	nodes: NodeResult[];
	/** What ended the execution, if it failed. */
	error?: string;
}

interface NodeError {
	message?: string;
	description?: string | null;
}

interface NodeRun {
	startTime: number;
	executionIndex?: number;
	executionTime: number;
	executionStatus?: string;
	error?: NodeError;
	data?: Record<string, ({ json: unknown }[] | null)[] | undefined>;
}

interface RunExecutionData {
	resultData?: { error?: NodeError; runData?: Record<string, NodeRun[]> };
}

function describe(error: NodeError | undefined): string | undefined {
	if (error === undefined) return undefined;
	return [error.message, error.description].filter(Boolean).join(' – ') || 'unknown error';
}

function readNode(name: string, runs: NodeRun[]): NodeResult {
	const outputs = runs.flatMap((run) =>
		Object.values(run.data ?? {}).flatMap((list) => list ?? []),
	);
	const failed = runs.find((run) => run.error !== undefined);
	return {
		name,
		status: (failed ?? runs.at(-1))?.executionStatus ?? 'unknown',
		items: outputs.flatMap((items) => items ?? []).map((item) => item.json),
		milliseconds: runs.reduce((sum, run) => sum + run.executionTime, 0),
		error: describe(failed?.error),
	};
}

/**
 * Reads an execution.
 *
 * @param execution What `GET /rest/executions/:id` returns.
 * @throws When it has another shape.
 */
export async function readExecution(execution: {
	id: string;
	status: string;
	data: string;
}): Promise<ExecutionResult> {
	// Its types have no CommonJS form.
	const { parse } = await import('flatted');
	// n8n 1.x may have saved nothing yet but the end.
	const { resultData } = (parse(execution.data) ?? {}) as RunExecutionData;
	const order = ([run]: NodeRun[]): number => run?.executionIndex ?? run?.startTime ?? 0;
	return {
		id: execution.id,
		status: execution.status,
		nodes: Object.entries(resultData?.runData ?? {})
			.sort(([, left], [, right]) => order(left) - order(right))
			.map(([name, runs]) => readNode(name, runs)),
		error: describe(resultData?.error),
	};
}
