/**
 * What earlier tries of the same node run have sent. n8n's Retry On Fail runs the whole node again with
 * all its items; what was sent by then, or may have been sent, is not sent again.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { RequestError } from '../transport/requestError';

type Ending = { output: INodeExecutionData[] } | { error: RequestError };

/**
 * By the signal that stops the execution, because it is the one object that all tries of an execution
 * share and nothing else keeps: when the execution has ended, this memory goes with it.
 */
const endingsByExecution = new WeakMap<AbortSignal, Map<string, Map<number, Ending>>>();

export class EarlierTries {
	private constructor(private readonly endings: Map<number, Ending> | undefined) {}

	/** Remembers nothing unless the node retries on failure. */
	static of(context: IExecuteFunctions): EarlierTries {
		const execution = context.getExecutionCancelSignal();
		const node = context.getNode();
		if (execution === undefined || node.retryOnFail !== true) return new EarlierTries(undefined);
		const runIndex = JSON.stringify(context.evaluateExpression('{{ $runIndex }}', 0));
		const name = `${node.name}\n${runIndex}`;
		const ofExecution = endingsByExecution.get(execution) ?? new Map<string, Map<number, Ending>>();
		endingsByExecution.set(execution, ofExecution);
		const endings = ofExecution.get(name) ?? new Map<number, Ending>();
		ofExecution.set(name, endings);
		return new EarlierTries(endings);
	}

	/** Whether an earlier try has sent the item, or may have sent it. */
	hasSent(itemIndex: number): boolean {
		return this.endings?.has(itemIndex) === true;
	}

	/**
	 * The output of an earlier try, or that of `send`.
	 * @throws what `send` throws, or what it threw in an earlier try if it may have taken effect
	 */
	async resultOf(
		itemIndex: number,
		send: () => Promise<INodeExecutionData[]>,
	): Promise<INodeExecutionData[]> {
		const earlier = this.endings?.get(itemIndex);
		if (earlier !== undefined && 'error' in earlier) throw earlier.error;
		if (earlier !== undefined) return earlier.output;
		try {
			const output = await send();
			this.endings?.set(itemIndex, { output });
			return output;
		} catch (error) {
			const mayHaveActed = error instanceof RequestError && error.details.outcome === 'unknown';
			if (mayHaveActed) this.endings?.set(itemIndex, { error });
			throw error;
		}
	}
}
