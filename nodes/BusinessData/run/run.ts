/** One run of the node: its items, its credential, its client, and what ends it. */
import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { ShutdownError, shutdownSignal } from '../n8nInternals/shutdown';
import { type Account, CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { Client } from '../transport/client';
import { holdsExpression, readMarked } from '../values/unresolvedValues';
import { ExecutionCanceledError, isCanceled } from '../transport/requestError';
import { readGroup } from '../values/settingValues';
import { RunWaitTime } from '../transport/waitTime';
import { abortController, onAbort } from '../async';
import { asCanceled, toNodeError } from './itemErrors';

/** How long (ms) work on items may hold the event loop, which n8n needs for everything else. */
const LONGEST_HOLD_MS = 10;

export class Run {
	readonly items: INodeExecutionData[];

	readonly client: Client;

	/** Whether an agent has called the node as a tool. */
	readonly isTool: boolean;

	/** The progress of the items so far, in sentences; set by the operation. */
	describeProgress: () => string[] = () => [];

	private readonly waitTime = new RunWaitTime();

	private readonly controller = abortController();

	private readonly stopListening: Array<() => void>;

	/** The values of parameters without an expression, which are the same for all items. */
	private readonly constants = new Map<string, unknown>();

	/** The last value of each other parameter, with its item: several options of an item are read together. */
	private readonly latest = new Map<string, { itemIndex: number; value: unknown }>();

	/** The parameters as they are saved. */
	private readonly written: INode['parameters'];

	private readonly hinted = new Set<string>();

	private lastYieldAt = performance.now();

	private yielded: Promise<unknown> | undefined;

	private constructor(
		readonly context: IExecuteFunctions,
		readonly account: Account,
	) {
		this.items = context.getInputData();
		this.isTool = isTool(context);
		this.written = context.getNode().parameters;
		const { signal } = this.controller;
		this.client = new Client(context, account, randomUUID(), this.waitTime, signal);
		const abort = (reason: Error) => this.controller.abort(reason);
		this.stopListening = [
			onAbort(context.getExecutionCancelSignal(), () => abort(new ExecutionCanceledError())),
			onAbort(shutdownSignal(), abort),
		];
	}

	/**
	 * Gives `work` a run and ends it: reports long waits, and drops the requests that still wait.
	 * @throws a node error for whatever `work` throws
	 */
	static async during<T>(context: IExecuteFunctions, work: (run: Run) => Promise<T>): Promise<T> {
		let run: Run | undefined;
		try {
			run = new Run(context, readAccount(await context.getCredentials(CREDENTIAL_TYPE)));
			return await work(run);
		} catch (error) {
			const nodeError = toNodeError(context.getNode(), error);
			if (run?.client.hasAttempted !== true) nodeError.context.outcome ??= 'notSent';
			throw isCanceled(context) ? asCanceled(nodeError) : nodeError;
		} finally {
			run?.end();
		}
	}

	/** Whether an item's error becomes its output instead of ending the run. */
	get continuesOnError(): boolean {
		return this.context.continueOnFail();
	}

	/** Whether items that failed leave by an output of their own. */
	get hasErrorOutput(): boolean {
		return this.context.getNode().onError === 'continueErrorOutput';
	}

	/** Aborts when the execution is stopped or n8n shuts down, and at the end of the run. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Whether the execution was stopped, so that n8n takes no notice of what the node puts out. */
	get isCanceled(): boolean {
		return isCanceled(this.context);
	}

	/** Whether a person runs the workflow in the editor. */
	get isManual(): boolean {
		return this.context.getMode() === 'manual';
	}

	/**
	 * The value of a parameter for an item, for a reader of `settingValues`.
	 * @param fallback for a parameter that is not there
	 */
	parameter(name: string, itemIndex: number, fallback?: unknown): unknown {
		if (this.constants.has(name)) return this.constants.get(name);
		const latest = this.latest.get(name);
		if (latest?.itemIndex === itemIndex) return latest.value;
		const { [name]: written } = this.written;
		const read = () => this.context.getNodeParameter(name, itemIndex, fallback);
		const value = readMarked(this.context, name, written, read, itemIndex);
		if (this.isComputed(name)) this.latest.set(name, { itemIndex, value });
		else this.constants.set(name, value);
		return value;
	}

	/** Whether an expression makes the parameter or a part of it, so that n8n has to read it for each item. */
	isComputed(name: string): boolean {
		const { [name]: written } = this.written;
		return written === undefined || holdsExpression(written);
	}

	/** Yields to the event loop when this run has held it for long. To be called between items. */
	async yieldToEventLoop(): Promise<void> {
		if (performance.now() - this.lastYieldAt < LONGEST_HOLD_MS) return;
		// All work of the run goes on together: one after the other, it would hold the event loop all the same.
		this.yielded ??= new Promise((resolve) => setImmediate(resolve));
		await this.yielded;
		if (this.yielded === undefined) return;
		this.yielded = undefined;
		this.lastYieldAt = performance.now();
	}

	/** The Options of an item. @throws InvalidSettingError when they are no group of fields */
	options(itemIndex: number): Record<string, unknown> {
		return readGroup('Options', this.parameter('options', itemIndex, {}));
	}

	/** Shows a hint in the output panel, each only once. */
	hint(message: string): void {
		if (this.hinted.has(message)) return;
		this.hinted.add(message);
		this.context.addExecutionHints({ message, location: 'outputPane', type: 'info' });
	}

	/** Shown while the node runs: in n8n's log, and in the browser of a run by hand. */
	report(message: string): void {
		const { context } = this;
		const { name } = context.getNode();
		context.logger.info(`${name}: ${message}`, {
			workflowId: context.getWorkflow().id,
			executionId: context.getExecutionId(),
		});
		context.sendMessageToUI(message);
	}

	private end(): void {
		for (const stop of this.stopListening) stop();
		if (this.signal.aborted) this.logInterruption();
		this.controller.abort(new ExecutionCanceledError());
		this.hintAtWaits();
	}

	/** n8n keeps no error of an execution that was stopped, so its log says how far the run had come. */
	private logInterruption(): void {
		const { context, signal } = this;
		const executionId = context.getExecutionId();
		const event =
			signal.reason instanceof ShutdownError
				? 'was interrupted, because n8n is shutting down'
				: 'was stopped';
		const sentences = [
			`${context.getNode().name}: execution ${executionId} ${event}.`,
			...this.describeProgress(),
		];
		const details = { workflowId: context.getWorkflow().id, executionId };
		context.logger.warn(sentences.join(' '), details);
	}

	private hintAtWaits(): void {
		const waited = this.waitTime.describe();
		for (const sentence of [
			...(waited === undefined ? [] : [waited]),
			...this.client.warnings.sentences,
		]) {
			this.hint(sentence);
		}
		const { tracing } = this.waitTime;
		if (tracing !== undefined) this.context.setMetadata?.({ tracing });
	}
}

/** n8n names the tool that it makes of a node so; n8n 1.x tells it in no other way. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}
