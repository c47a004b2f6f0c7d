// Plays a fault: turns the right answer into what the client will see instead.

import { hugeAnswer, jsonAnswer, textAnswer, type Answer } from './answers';
import type { Delivery } from './delivery';
import type { FaultAction } from './faultRules';
import { forever, pause } from './pause';
import { refusalAnswer } from './refusal';

function scriptedAnswer(action: Extract<FaultAction, { type: 'status' }>): Answer {
	const { status, body, contentType } = action;
	const answer =
		typeof body === 'string'
			? textAnswer(status, body)
			: jsonAnswer(status, body === undefined ? { message: 'Scripted answer' } : body);
	const headers = Object.entries(action.headers ?? {}).map(([name, value]): [string, string] => [
		name.toLowerCase(),
		value,
	]);
	if (contentType !== undefined) answer.headers['content-type'] = contentType;
	return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(headers) } };
}

/** Half of the answer's body, or a piece of JSON when there is no body to halve. */
function brokenBody(answer: Answer): Buffer {
	const isHalvable = Buffer.isBuffer(answer.body) && answer.body.length > 1;
	if (!isHalvable) return Buffer.from('{"broken":');
	return (answer.body as Buffer).subarray(0, Math.floor((answer.body as Buffer).length / 2));
}

/**
 * Plays a fault on a request. `act` lets the request take effect and gives the right answer; it is
 * called once or not at all. Rejects when the signal fires while the fault waits.
 */
export async function playFault(
	action: FaultAction,
	act: () => Answer,
	signal: AbortSignal,
): Promise<Delivery> {
	switch (action.type) {
		case 'status':
			if (action.act === true) act();
			if (action.afterMs !== undefined) await pause(action.afterMs, signal);
			return { kind: 'complete', answer: scriptedAnswer(action) };
		case 'refuse':
			return { kind: 'complete', answer: refusalAnswer(action.retryAfter, action.waitMs) };
		case 'hangUpBeforeActing':
			return { kind: 'hangUp' };
		case 'hangUpAfterActing':
			act();
			return { kind: 'hangUp' };
		case 'delay': {
			const early = action.actFirst ? act() : undefined;
			await pause(action.ms, signal);
			return { kind: 'complete', answer: early ?? act() };
		}
		case 'neverAnswer':
			if (action.act) act();
			return await forever(signal);
		case 'truncate':
			return { kind: 'truncated', answer: act() };
		case 'brokenJson': {
			const answer = act();
			return { kind: 'complete', answer: { ...answer, body: brokenBody(answer) } };
		}
		case 'emptyBody':
			return { kind: 'complete', answer: { ...act(), body: Buffer.alloc(0) } };
		case 'hugeBody':
			return {
				kind: 'complete',
				answer: { ...hugeAnswer(action.megabytes), status: act().status },
			};
		case 'trickle':
			return { kind: 'trickled', answer: act(), bytes: action.bytes, everyMs: action.everyMs };
	}
}
