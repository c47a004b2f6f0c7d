/** Errors as n8n shows them, and as the items of a node that continues on error. */
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
import { InvalidSettingError } from '../values/invalidSettingError';
import { ExecutionCanceledError, type FailureCause, RequestError } from '../transport/requestError';

export type NodeError = NodeApiError | NodeOperationError;

/**
 * The error as one of n8n's own, with `outcome`, and `retryAfterSeconds` where known, in its context.
 * @param itemIndex the item it belongs to, if it belongs to one
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (error instanceof RequestError) {
		const { description, cause, ...context } = error.details;
		const { statusCode, retryAfterSeconds } = context;
		const httpCode = statusCode?.toString();
		// Only our own words go in: the original error would add the request's headers.
		const nodeError = new NodeApiError(
			node,
			{ message: error.message, httpCode: httpCode ?? null },
			{
				...{ message: error.message, description, httpCode, itemIndex },
				failure: failureOf(cause, retryAfterSeconds),
			},
		);
		Object.assign(nodeError.context, context);
		return withMessage(nodeError, error.message);
	}
	if (
		error instanceof InvalidSettingError ||
		error instanceof RedisError ||
		error instanceof ShutdownError
	) {
		const { message, description } = error;
		const failure = failureOf(causeOf(error));
		const nodeError = new NodeOperationError(node, message, { description, itemIndex, failure });
		nodeError.context.outcome = 'notSent';
		return withMessage(nodeError, message);
	}
	if (error instanceof ExecutionCanceledError) {
		return new NodeOperationError(node, error.message, { itemIndex });
	}
	// An unexpected error: n8n may report it as a fault of the node.
	const cause = error instanceof Error ? error : String(error);
	const nodeError = new NodeOperationError(node, cause, { itemIndex });
	// The parameters of an item are read before anything is sent for it.
	if (error instanceof ExpressionError) nodeError.context.outcome = 'notSent';
	return nodeError;
}

function causeOf(error: InvalidSettingError | RedisError | ShutdownError): FailureCause {
	if (error instanceof InvalidSettingError) {
		return error.field === 'API Key' ? 'credential-invalid' : 'configuration-invalid';
	}
	const isPermanent = error instanceof RedisError && error.isPermanent;
	return isPermanent ? 'configuration-invalid' : 'temporarily-unavailable';
}

/** What the error says to n8n itself, which lets a trigger wait as long. n8n 1.x ignores it. */
function failureOf(cause?: FailureCause, retryAfterSeconds?: number): Failure | undefined {
	if (cause === undefined) return undefined;
	const canWait = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	if (!canWait || retryAfterSeconds === undefined) return { cause };
	return { cause, retryAfterMs: retryAfterSeconds * 1000 };
}

/**
 * Puts our message back: where it holds a code such as ECONNRESET, for example in what a proxy says, n8n
 * replaces it by advice of its own, which may be to retry a request that has taken effect.
 */
function withMessage(nodeError: NodeError, message: string): NodeError {
	nodeError.message = message;
	return nodeError;
}

/**
 * The error of a stopped execution, which n8n knows by the word in its message: what failed just before it
 * was stopped must not make it look like a failed one.
 */
export function asCanceled(error: NodeError): NodeError {
	return error.message.includes('canceled')
		? error
		: withMessage(error, `The execution was canceled. Just before that: ${error.message}`);
}

/** The output of an item that failed, by n8n's contract for nodes that continue on error. */
export function errorItem(
	input: INodeExecutionData | undefined,
	error: NodeError,
	itemIndex: number,
): INodeExecutionData {
	// An `error` field in the first item would make Retry On Fail run the whole node again.
	const { error: _, ...json }: IDataObject = input?.json ?? {};
	return { json, error, pairedItem: { item: itemIndex } };
}

/** By these, n8n knows the items that leave by a node's error output. */
const ERROR_FIELDS = ['error', 'message', 'details'];

/** Whether n8n takes an item with this JSON for one that failed. */
export function isErrorJson(json: IDataObject): boolean {
	return Boolean(json.error) && Object.keys(json).every((name) => ERROR_FIELDS.includes(name));
}

/** `item 3`, `items 0–4` or `items 0–2, 7`: as n8n counts them, from 0. */
export function nameItems(indexes: number[]): string {
	const ranges: Array<{ from: number; to: number }> = [];
	for (const index of indexes) {
		const last = ranges.at(-1);
		if (last !== undefined && last.to === index - 1) last.to = index;
		else ranges.push({ from: index, to: index });
	}
	const names = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
	return `${indexes.length === 1 ? 'item' : 'items'} ${names.join(', ')}`;
}
