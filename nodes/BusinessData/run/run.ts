/** One run of the node, with its items, its credential and its client, and what ends it. */
import { isDeepStrictEqual } from 'node:util';

import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { abortController, onAbort, yieldWhenBusy } from '../async';
import { mayDifferByItem } from '../n8nInternals/credentialExpressions';
import { holdShutdownFor, ShutdownError, shutdownSignal } from '../n8nInternals/shutdown';
import { type Account, CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { Client } from '../transport/client';
import { ExecutionCanceledError, isCanceled } from '../transport/requestError';
import { InvalidSettingError } from '../values/invalidSettingError';
import { readGroup } from '../values/settingValues';
import { pluralize } from '../values/text';
import { holdsExpression, readMarked } from '../values/unresolvedValues';
import { countItems, nameItems, toNodeError } from './itemErrors';
import { attemptsOf, isToolCall } from './previousAttempts';

/** n8n shows all hints one below the other, and each item may read a list of its own. */
const MOST_LIST_HINTS = 5;

export class Run {
	readonly items: INodeExecutionData[];
	readonly client: Client;
	readonly isTool: boolean;

	/** The progress so far, in sentences; set by the operation. */
	describeProgress: () => string[] = () => [];

	/** Call it between items. */
	readonly yieldToEventLoop = yieldWhenBusy();

	private readonly controller = abortController();
	/** Aborts when the execution is stopped or n8n shuts down, and at the end of the run. */
	readonly signal = this.controller.signal;

	private readonly stopListening: Array<() => void>;

	private readonly savedParameters: INode['parameters'];
	/** The last value of each parameter, with its item unless the value is the same for all. */
	private readonly values = new Map<string, { itemIndex?: number; value: unknown }>();
	/** By message, the items that a hint concerns. */
	private readonly hints = new Map<string, Set<number>>();
	private readonly listHints = new Set<string>();

	private constructor(
		readonly context: IExecuteFunctions,
		readonly account: Account,
	) {
		this.items = context.getInputData();
		this.isTool = isToolCall(context);
		this.savedParameters = context.getNode().parameters;
		this.client = new Client(context, account, this.signal);
		const abort = (reason: Error) => this.controller.abort(reason);
		this.stopListening = [
			onAbort(context.getExecutionCancelSignal(), () => abort(new ExecutionCanceledError())),
			onAbort(shutdownSignal(), abort),
		];
	}

	/** Runs `work`, and ends the run. @throws a node error for anything that `work` throws */
	static async during<T>(context: IExecuteFunctions, work: (run: Run) => Promise<T>): Promise<T> {
		let run: Run | undefined;
		try {
			run = new Run(context, readAccount(await readCredential(context)));
			const working = work(run);
			holdShutdownFor(working);
			return await working;
		} catch (error) {
			const nodeError = toNodeError(context.getNode(), error);
			if (run?.client.hasAttempted !== true) {
				nodeError.context.outcome ??= 'notSent';
				attemptsOf(context).addResultsTo?.(nodeError);
			}
			// n8n recognizes a stopped execution by this word.
			if (isCanceled(context) && !nodeError.message.includes('canceled')) {
				nodeError.message = `The execution was canceled. Just before that: ${nodeError.message}`;
			}
			throw nodeError;
		} finally {
			run?.end();
		}
	}

	/** Whether an item's error becomes its output instead of ending the run. */
	get continuesOnError(): boolean {
		// n8n ignores the output of a stopped execution, and shows an agent only the JSON of an item.
		return !this.isTool && this.context.continueOnFail() && !isCanceled(this.context);
	}

	/**
	 * The value of a parameter for an item, to be read by a function of `settingValues`.
	 * @param fallback value of a parameter that is missing
	 */
	parameter(name: string, itemIndex: number, fallback?: unknown): unknown {
		const known = this.values.get(name);
		if (known !== undefined && (known.itemIndex ?? itemIndex) === itemIndex) return known.value;
		const read = () => this.context.getNodeParameter(name, itemIndex, fallback);
		const value = readMarked(this.context, name, this.savedParameters[name], read, itemIndex);
		this.values.set(name, this.isComputed(name) ? { itemIndex, value } : { value });
		return value;
	}

	/** Whether the parameter is or contains an expression. */
	isComputed(name: string): boolean {
		const saved = this.savedParameters[name];
		return saved === undefined || holdsExpression(saved);
	}

	/** The Options of an item. @throws InvalidSettingError if they are not a group of fields */
	options(itemIndex: number): Record<string, unknown> {
		return readGroup('Options', this.parameter('options', itemIndex, {}));
	}

	/**
	 * Shows a hint in the output panel, each message once.
	 * @param items that it concerns, named before the message, which then begins in lower case; empty for the whole run
	 */
	hint(message: string, items: number[] = []): void {
		const concerned = this.hints.get(message) ?? new Set();
		for (const item of items) concerned.add(item);
		this.hints.set(message, concerned);
	}

	/** Shows a hint about a list that was read. Beyond the first five, only how many more there are. */
	hintAtList(message: string): void {
		this.listHints.add(message);
	}

	/** Shows a message while the node runs, in n8n's log and in the browser of a manual run. */
	report(message: string): void {
		this.log('info', message);
		this.context.sendMessageToUI(message);
	}

	private log(level: 'info' | 'warn', message: string): void {
		const { context } = this;
		context.logger[level](`${context.getNode().name}: ${message}`, {
			workflowId: context.getWorkflow().id,
			executionId: context.getExecutionId(),
		});
	}

	private end(): void {
		const { context, signal } = this;
		const { waitTime, warnings } = this.client;
		for (const stop of this.stopListening) stop();
		// n8n stores no error for a stopped execution, so its log says how far the run has come.
		if (signal.aborted) {
			const isShutdown = signal.reason instanceof ShutdownError;
			const event = isShutdown ? 'interrupted, because n8n is shutting down' : 'stopped';
			const sentence = `execution ${context.getExecutionId()} was ${event}.`;
			this.log('warn', [sentence, ...this.describeProgress()].join(' '));
		}
		this.controller.abort(new ExecutionCanceledError());
		const waited = waitTime.describe();
		const ofLists = [...this.listHints].slice(0, MOST_LIST_HINTS);
		const left = this.listHints.size - ofLists.length;
		if (left > 0) ofLists.push(`Not shown: ${pluralize(left, 'more hint')}.`);
		const ofItems = [...this.hints].map(([message, items]) =>
			items.size === 0 ? message : `${countItems([...items])}: ${message}`,
		);
		const hints = [...ofItems, ...ofLists, ...(waited ? [waited] : []), ...warnings.sentences];
		for (const message of hints) {
			context.addExecutionHints({ message, location: 'outputPane', type: 'info' });
		}
		const { tracing } = waitTime;
		if (tracing !== undefined) context.setMetadata?.({ tracing });
	}
}

/**
 * The credential, which must be the same for all items: an expression in it may differ by item, and what is sent with the
 * wrong one reaches another business.
 * @throws InvalidSettingError
 */
async function readCredential(context: IExecuteFunctions) {
	const readFor = async (index: number) => await context.getCredentials(CREDENTIAL_TYPE, index);
	const first = await readFor(0);
	const { length } = context.getInputData();
	if (length < 2 || !(await mayDifferByItem(context, CREDENTIAL_TYPE))) return first;
	for (let index = 1; index < length; index++) {
		if (isDeepStrictEqual(await readFor(index), first)) continue;
		throw new InvalidSettingError(
			'Credential',
			`is not the same for ${nameItems([0, index])}`,
			'All items of a run go out with one credential: put the node into a loop with a batch for each key.',
		);
	}
	return first;
}
