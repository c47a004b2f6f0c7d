/** Turns errors into n8n's own, and into the items of a node that continues on error. */
import {
	ExpressionError,
	type Failure,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { ShutdownError } from '../n8nInternals/shutdown';
import { RedisError } from '../redis';
import {
	ExecutionCanceledError,
	RequestError,
	type RequestErrorDetails,
} from '../transport/requestError';
import { redisError } from '../transport/errorTexts';
import { InvalidSettingError } from '../values/invalidSettingError';
import { messageOf, pluralize } from '../values/text';

export type NodeError = NodeApiError | NodeOperationError;

/**
 * The error as one of n8n's own, with `outcome`, and `retryAfterSeconds` if known, in its context.
 * @param itemIndex index of the item that the error belongs to, if any
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	const message = messageOf(error);
	const details = detailsOf(error);
	if (details === undefined) {
		// Given the error itself, n8n may report it as a bug of the node.
		const isUnexpected = error instanceof Error && !(error instanceof ExecutionCanceledError);
		const nodeError = new NodeOperationError(node, isUnexpected ? error : message, { itemIndex });
		// The parameters of an item are evaluated before anything is sent for it.
		if (error instanceof ExpressionError) nodeError.context.outcome = 'notSent';
		return nodeError;
	}
	const { description, cause: _, ...context } = details;
	const options = { message, description, itemIndex, failure: failureOf(details) };
	const httpCode = details.statusCode?.toString();
	// Without the original error, which would add the request's headers.
	const nodeError =
		error instanceof RequestError
			? new NodeApiError(node, { message, httpCode: httpCode ?? null }, { ...options, httpCode })
			: new NodeOperationError(node, message, options);
	Object.assign(nodeError.context, context);
	// For a code such as ECONNRESET, n8n puts its own message, which may advise to repeat what has taken effect.
	nodeError.message = message;
	return nodeError;
}

/** The details of an expected error. */
function detailsOf(error: unknown): RequestErrorDetails | undefined {
	if (error instanceof RequestError) return error.details;
	if (error instanceof RedisError) return redisError(error).details;
	const outcome = 'notSent';
	if (error instanceof ShutdownError) {
		return { outcome, cause: 'temporarily-unavailable', description: error.description };
	}
	if (!(error instanceof InvalidSettingError)) return undefined;
	const isKey = error.field === 'API Key';
	const cause = isKey ? 'credential-invalid' : 'configuration-invalid';
	return { outcome, cause, description: error.description };
}

/** What n8n 2.x needs to delay the next poll of a trigger. */
function failureOf({ cause, retryAfterSeconds }: RequestErrorDetails): Failure | undefined {
	if (cause === undefined) return undefined;
	const canWait = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	if (!canWait || retryAfterSeconds === undefined) return { cause };
	return { cause, retryAfterMs: retryAfterSeconds * 1000 };
}

/** The output for a failed item if the node continues on error. */
export function errorItem(
	input: INodeExecutionData | undefined,
	error: NodeError,
	itemIndex: number,
): INodeExecutionData {
	// An `error` field in the first item would make Retry On Fail run the whole node again.
	const { error: _, ...json }: IDataObject = input?.json ?? {};
	return { json, error, pairedItem: { item: itemIndex } };
}

/** n8n treats an item with only these fields as failed. */
const ERROR_FIELDS = ['error', 'message', 'details'];

export function isErrorJson(json: IDataObject): boolean {
	return Boolean(json.error) && Object.keys(json).every((name) => ERROR_FIELDS.includes(name));
}

/** `item 3`, `items 0–4` or `items 0–2, 7`, counted from 0 as in n8n. */
export function nameItems(indexes: number[]): string {
	return `${indexes.length === 1 ? 'item' : 'items'} ${rangesOf(indexes)}`;
}

/** `1 item (3)` or `4 items (0–2, 7)`. */
export function countItems(indexes: number[]): string {
	const sorted = [...indexes].sort((a, b) => a - b);
	return `${pluralize(indexes.length, 'item')} (${rangesOf(sorted)})`;
}

/** A message with more would be unreadable; the lists in the error's context are complete. */
const MOST_RANGES = 20;

function rangesOf(indexes: number[]): string {
	const ranges: Array<{ from: number; to: number }> = [];
	for (const index of indexes) {
		const last = ranges.at(-1);
		if (last !== undefined && last.to === index - 1) last.to = index;
		else ranges.push({ from: index, to: index });
	}
	const shown = ranges.slice(0, MOST_RANGES);
	const shownCount = shown.reduce((count, { from, to }) => count + to - from + 1, 0);
	const texts = shown.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
	const more = indexes.length - shownCount;
	return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
