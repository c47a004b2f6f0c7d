/**
 * What previous attempts of the same node run have sent. n8n's Retry On Fail runs the whole node again with
 * all its items; what was sent by then, or may have been sent, is not sent again.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { RequestError } from '../transport/requestError';
import { isTool } from '../run/run';

/** What came of an item that did not fail. */
export interface ItemResult {
	output: INodeExecutionData[];
	/** Whether nothing was sent, because its Send Once Key was used before. */
	isSkipped?: boolean;
}

type Ending = ItemResult | { error: RequestError };

/**
 * By the input of the run, an object that all attempts of a run share and no other tool call has: n8n counts every
 * attempt of an agent's tool as another run, and a tool behind an MCP trigger has nothing else that stays the same.
 */
const endingsByInput = new WeakMap<object, Map<string, Map<number, Ending>>>();

export class PreviousAttempts {
	private constructor(private readonly endings: Map<number, Ending> | undefined) {}

	/** Remembers nothing unless the node retries on failure. */
	static of(context: IExecuteFunctions): PreviousAttempts {
		const node = context.getNode();
		const input = context.getInputData()[0]?.json;
		if (node.retryOnFail !== true || input === undefined) return new PreviousAttempts(undefined);
		const ofInput = endingsByInput.get(input) ?? new Map<string, Map<number, Ending>>();
		endingsByInput.set(input, ofInput);
		const name = nameOfRun(context);
		const endings = ofInput.get(name) ?? new Map<number, Ending>();
		ofInput.set(name, endings);
		return new PreviousAttempts(endings);
	}

	/** What became of an item in a previous attempt; undefined where it certainly did not go out. */
	endingOf(itemIndex: number): 'sent' | 'skipped' | 'perhapsSent' | undefined {
		const ending = this.endings?.get(itemIndex);
		if (ending === undefined) return undefined;
		if ('error' in ending) return 'perhapsSent';
		return ending.isSkipped === true ? 'skipped' : 'sent';
	}

	/**
	 * The result of a previous attempt, or that of `send`.
	 * @throws what `send` throws, or what it threw in a previous attempt if it may have taken effect
	 */
	async resultOf(itemIndex: number, send: () => Promise<ItemResult>): Promise<ItemResult> {
		const previous = this.endings?.get(itemIndex);
		if (previous !== undefined && 'error' in previous) throw previous.error;
		if (previous !== undefined) return previous;
		try {
			const result = await send();
			this.endings?.set(itemIndex, result);
			return result;
		} catch (error) {
			if (mayHaveActed(error)) this.endings?.set(itemIndex, { error });
			throw error;
		}
	}
}

/** Whether a request may have taken effect. With an unknown outcome, only a read is temporarily unavailable. */
function mayHaveActed(error: unknown): error is RequestError {
	if (!(error instanceof RequestError)) return false;
	const { outcome, cause } = error.details;
	return outcome === 'unknown' && cause !== 'temporarily-unavailable';
}

/** Distinguishes runs that may get the same items: of other nodes, in loops, of sub-workflows. */
function nameOfRun(context: IExecuteFunctions): string {
	const { id: nodeId } = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	const runIndex = isTool(context) ? 0 : context.evaluateExpression('{{ $runIndex }}', 0);
	return JSON.stringify([context.getExecutionId(), workflowId, nodeId, runIndex]);
}
