/** One run of the node: its items, its credential, its client, and what ends it. */
import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { type Account, CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { Client } from '../transport/client';
import { ExecutionCanceledError } from '../transport/requestError';
import { readGroup } from '../transport/settingValues';
import { Waits } from '../transport/waits';
import { abortController } from '../waiting';
import { asCanceled, toNodeError } from './itemErrors';

export class Run {
	readonly items: INodeExecutionData[];

	readonly client: Client;

	private readonly waits = new Waits();

	private readonly controller = abortController();

	private constructor(
		readonly context: IExecuteFunctions,
		readonly account: Account,
	) {
		this.items = context.getInputData();
		const { signal } = this.controller;
		this.client = new Client(context, account, randomUUID(), this.waits, signal);
	}

	/**
	 * Gives `work` a run and ends it: tells of long waits, and drops the requests that still wait.
	 * @throws a node error for whatever `work` throws
	 */
	static async during<T>(context: IExecuteFunctions, work: (run: Run) => Promise<T>): Promise<T> {
		const stopped = context.getExecutionCancelSignal();
		let onStop: () => void = () => undefined;
		let run: Run | undefined;
		try {
			const account = readAccount(await context.getCredentials(CREDENTIAL_TYPE));
			const started = new Run(context, account);
			run = started;
			onStop = () => started.controller.abort(new ExecutionCanceledError());
			if (stopped?.aborted) onStop();
			stopped?.addEventListener('abort', onStop);
			return await work(started);
		} catch (error) {
			const nodeError = toNodeError(context.getNode(), error);
			throw stopped?.aborted === true ? asCanceled(nodeError) : nodeError;
		} finally {
			stopped?.removeEventListener('abort', onStop);
			run?.controller.abort(new ExecutionCanceledError());
			run?.tellOfWaits();
		}
	}

	/** Whether an item's error becomes its output instead of ending the run. */
	get continuesOnError(): boolean {
		return this.context.continueOnFail();
	}

	/** Whether an agent has called the node as a tool. */
	get isTool(): boolean {
		return isTool(this.context);
	}

	/** Aborts when the execution is stopped, and at the end of the run. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Whether the execution was stopped. */
	get isCanceled(): boolean {
		return this.controller.signal.aborted;
	}

	/**
	 * The value of a parameter for an item.
	 * @param fallback for a value that is not there; its type says what the caller expects
	 */
	parameter<T>(name: string, itemIndex: number, fallback: T): T {
		return this.context.getNodeParameter(name, itemIndex, fallback) as T;
	}

	/** The Options of an item. @throws InvalidSettingError when they are no group of fields */
	options(itemIndex: number): Record<string, unknown> {
		return readGroup('Options', this.parameter<unknown>('options', itemIndex, {}));
	}

	/** Shows a hint in the output panel. */
	hint(message: string): void {
		this.context.addExecutionHints({ message, location: 'outputPane', type: 'info' });
	}

	/** Tells whoever looks while the node runs: in n8n's log, and in the browser of a run by hand. */
	tell(message: string): void {
		const { context } = this;
		const { name } = context.getNode();
		context.logger.info(`${name}: ${message}`, {
			workflowId: context.getWorkflow().id,
			executionId: context.getExecutionId(),
		});
		context.sendMessageToUI(message);
	}

	private tellOfWaits(): void {
		for (const sentence of [this.waits.describe(), this.waits.describePolicy()]) {
			if (sentence !== undefined) this.hint(sentence);
		}
		const { tracing } = this.waits;
		if (tracing !== undefined) this.context.setMetadata?.({ tracing });
	}
}

/** n8n names the tool that it makes of a node so; n8n 1.x tells it in no other way. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}
