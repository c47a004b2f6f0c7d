// The steps of one request: it is received, delayed, counted, checked, carried out and responded to.

import type { ServerResponse, IncomingMessage } from 'node:http';
import { errorResponse, type SandboxResponse } from './responses';
import type { KeyRegistry } from './authentication';
import { deliver, type Delivery } from './delivery';
import { playFault } from './faultActions';
import type { FaultBook } from './faults';
import type { ContactStore, PaymentStore } from './inventions/records';
import { actOn } from './inventions/routes';
import type { Journal, JournalEntry } from './journal';
import type { LimitCounters } from './limits';
import type { ResolvedOptions } from './options';
import { pause } from './pause';
import { PROFILES } from './profiles';
import { serveProfile } from './profiles/serve';
import { refusalResponse } from './refusal';
import { receive, type ReceivedRequest } from './request';

/** The state that all requests of a sandbox share. */
export interface SandboxState {
	options: ResolvedOptions;
	keys: KeyRegistry;
	limits: LimitCounters;
	faults: FaultBook;
	journal: Journal;
	contacts: ContactStore;
	payments: PaymentStore;
	/** Numbers from 0 (inclusive) to 1 (exclusive). */
	random: () => number;
	/** Time in ms since the sandbox started. */
	elapsedMs: () => number;
}

/**
 * Counts a request and checks its key (sections 5 and 7) and the limits (section 8). Returns the response if the
 * request is rejected.
 */
function judge(
	state: SandboxState,
	request: ReceivedRequest,
	entry: JournalEntry,
): SandboxResponse | undefined {
	const { keys, limits, options } = state;
	const { endpoint, headers, query } = request;
	const { knownKey, rejectedBecause } = keys.check(headers['x-api-key'], query, endpoint);
	if (rejectedBecause !== undefined || knownKey === undefined) {
		if (knownKey !== undefined) limits.count(knownKey, endpoint, entry.atMs);
		entry.reason = rejectedBecause;
		return errorResponse(401, 'Unauthorized');
	}
	const verdict = limits.admit(knownKey, endpoint, entry.atMs);
	if (verdict.exceeded.length === 0) return undefined;
	entry.reason = verdict.exceeded.join(', ');
	return refusalResponse(options.retryAfter, verdict.retryAfterMs);
}

async function decide(
	state: SandboxState,
	request: ReceivedRequest,
	entry: JournalEntry,
	signal: AbortSignal,
): Promise<Delivery> {
	const rejection = judge(state, request, entry);
	if (rejection !== undefined) return rejection;
	const act = (): SandboxResponse => {
		entry.acted = true;
		const recordDocument = () => state.journal.recordDocument(entry);
		const { contacts, payments, options } = state;
		const context = { request, contacts, payments, recordDocument };
		const profile = PROFILES[options.profile];
		const response = profile === undefined ? undefined : serveProfile(profile, context);
		return response ?? actOn(context, options.endpoints);
	};
	const fault = state.faults.next(request);
	if (fault === undefined) return act();
	entry.scripted = true;
	return await playFault(fault, act, state.faults.cleared, signal);
}

/**
 * Serves one request. Rejects if the client disconnects or the signal fires; then the connection cannot be used any
 * more.
 */
export async function serve(
	state: SandboxState,
	incoming: IncomingMessage,
	response: ServerResponse,
	signal: AbortSignal,
): Promise<void> {
	const { endpoints, latency } = state.options;
	const request = await receive(incoming, endpoints);
	if (request === undefined) return;
	const latencyMs = latency.minMs + state.random() * (latency.maxMs - latency.minMs);
	// The service counts at some time between the sending and the response. It also counts a request whose client has
	// already disconnected, because it has received it.
	await pause(latencyMs / 2, signal);
	const entry = state.journal.record(request, state.elapsedMs());
	const delivery = await decide(state, request, entry, signal);
	if (delivery !== 'hangUp') entry.status = delivery.status;
	await pause(latencyMs / 2, signal);
	await deliver(delivery, response);
}
