// Parses the result of an execution from n8n's REST API, which serializes it with flatted.

/** The result of a node in an execution, over all its runs. */
export interface NodeResult {
	name: string;
	/** n8n's status: `success`, `error` … */
	status: string;
	/** The items of all outputs and runs, in order. */
	items: unknown[];
	milliseconds: number;
	error?: string;
}

/** The result of an execution. */
export interface ExecutionResult {
	id: string;
	/** n8n's status: `success`, `error`, `canceled`, `crashed` … */
	status: string;
	/** In the order of their first runs. */
	nodes: NodeResult[];
	/** The error that ended the execution, if it failed. */
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
 * Parses an execution.
 *
 * @param execution The response of `GET /rest/executions/:id`.
 * @throws If it has another shape.
 */
export async function readExecution(execution: {
	id: string;
	status: string;
	data: string;
}): Promise<ExecutionResult> {
	// Its types have no CommonJS build.
	const { parse } = await import('flatted');
	// n8n 1.x may have saved only the end so far.
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
