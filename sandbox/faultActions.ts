// Plays a fault: replaces the normal response with what the client gets instead.

import {
	bytesOf,
	hugeResponse,
	jsonResponse,
	textResponse,
	type SandboxResponse,
} from './responses';
import type { Delivery } from './delivery';
import type { FaultAction } from './faultRules';
import { forever, pause } from './pause';
import { refusalResponse } from './refusal';

function scriptedResponse(action: Extract<FaultAction, { type: 'status' }>): SandboxResponse {
	const { status, body, contentType } = action;
	const response =
		typeof body === 'string'
			? textResponse(status, body)
			: jsonResponse(status, body === undefined ? { message: 'Scripted response' } : body);
	const headers = Object.entries(action.headers ?? {}).map(([name, value]): [string, string] => [
		name.toLowerCase(),
		value,
	]);
	if (contentType !== undefined) response.headers['content-type'] = contentType;
	return { ...response, headers: { ...response.headers, ...Object.fromEntries(headers) } };
}

/** Half of the response's body, or a piece of JSON if the body is too short. */
function brokenBody(response: SandboxResponse): Buffer {
	const whole = bytesOf(response);
	return whole.length > 1
		? whole.subarray(0, Math.floor(whole.length / 2))
		: Buffer.from('{"broken":');
}

/** The body in pieces of `bytes` bytes, one every `everyMs` ms. */
async function* trickle(
	response: SandboxResponse,
	bytes: number,
	everyMs: number,
	signal: AbortSignal,
): AsyncGenerator<Buffer> {
	const whole = bytesOf(response);
	for (let start = 0; start < whole.length; start += bytes) {
		yield whole.subarray(start, start + bytes);
		await pause(everyMs, signal);
	}
}

/**
 * Plays a fault on a request. `act` carries the request out and returns the normal response; it is called at most
 * once. Rejects if the signal fires while the fault waits.
 */
export async function playFault(
	action: FaultAction,
	act: () => SandboxResponse,
	rulesCleared: Promise<void>,
	signal: AbortSignal,
): Promise<Delivery> {
	switch (action.type) {
		case 'status':
			if (action.act === true) act();
			if (action.afterMs !== undefined) await pause(action.afterMs, signal);
			return scriptedResponse(action);
		case 'refuse':
			return refusalResponse(action.retryAfter, action.waitMs);
		case 'hangUpBeforeActing':
			return 'hangUp';
		case 'hangUpAfterActing':
			act();
			return 'hangUp';
		case 'delay': {
			const early = action.actFirst ? act() : undefined;
			await pause(action.ms, signal);
			return early ?? act();
		}
		case 'hold': {
			const response = act();
			await Promise.race([rulesCleared, forever(signal)]);
			return response;
		}
		case 'neverRespond':
			if (action.act) act();
			return await forever(signal);
		case 'truncate':
			return { ...act(), isTruncated: true };
		case 'brokenJson': {
			const response = act();
			return { ...response, body: brokenBody(response) };
		}
		case 'emptyBody':
			return { ...act(), body: Buffer.alloc(0) };
		case 'hugeBody':
			return { ...hugeResponse(action.megabytes), status: act().status };
		case 'trickle': {
			const response = act();
			return { ...response, body: trickle(response, action.bytes, action.everyMs, signal) };
		}
	}
}
