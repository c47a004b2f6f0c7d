// Plays a fault: replaces the normal response with what the client gets instead.

import { hugeResponse, jsonResponse, textResponse, type SandboxResponse } from './responses';
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
	const isHalvable = Buffer.isBuffer(response.body) && response.body.length > 1;
	if (!isHalvable) return Buffer.from('{"broken":');
	return (response.body as Buffer).subarray(0, Math.floor((response.body as Buffer).length / 2));
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
			return { kind: 'complete', prepared: scriptedResponse(action) };
		case 'refuse':
			return { kind: 'complete', prepared: refusalResponse(action.retryAfter, action.waitMs) };
		case 'hangUpBeforeActing':
			return { kind: 'hangUp' };
		case 'hangUpAfterActing':
			act();
			return { kind: 'hangUp' };
		case 'delay': {
			const early = action.actFirst ? act() : undefined;
			await pause(action.ms, signal);
			return { kind: 'complete', prepared: early ?? act() };
		}
		case 'hold': {
			const prepared = act();
			await Promise.race([rulesCleared, forever(signal)]);
			return { kind: 'complete', prepared };
		}
		case 'neverAnswer':
			if (action.act) act();
			return await forever(signal);
		case 'truncate':
			return { kind: 'truncated', prepared: act() };
		case 'brokenJson': {
			const response = act();
			return { kind: 'complete', prepared: { ...response, body: brokenBody(response) } };
		}
		case 'emptyBody':
			return { kind: 'complete', prepared: { ...act(), body: Buffer.alloc(0) } };
		case 'hugeBody':
			return {
				kind: 'complete',
				prepared: { ...hugeResponse(action.megabytes), status: act().status },
			};
		case 'trickle':
			return { kind: 'trickled', prepared: act(), bytes: action.bytes, everyMs: action.everyMs };
	}
}
