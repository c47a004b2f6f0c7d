// A local server that replaces the bookkeeping service and enforces its interface document exactly. Starts and stops
// it, and gives tests access to it.

import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { KeyRegistry, type KeyState } from './authentication';
import { CONTROL_PREFIX, serveControl } from './control';
import { serve, type SandboxState } from './exchange';
import { checkFaultRule, type FaultRule } from './faultRules';
import { FaultBook } from './faults';
import {
	type ContactStore,
	inventContacts,
	inventPayments,
	type PaymentStore,
} from './inventions/records';
import { Journal } from './journal';
import { LimitCounters } from './limits';
import { resolveOptions, type SandboxOptions } from './options';
import { seededRandom } from './random';

export type { FaultAction, FaultRule } from './faultRules';
export { MARKER_HEADER } from './faults';
export type { JournalEntry } from './journal';
export type { WindowMode } from './limits';
export type { SandboxOptions } from './options';

/** A running sandbox. */
export interface Sandbox {
	/** `http://127.0.0.1:PORT` */
	readonly baseUrl: string;
	/** The key for tests: the first active one. */
	readonly apiKey: string;
	/** All requests, in the order of counting. */
	readonly journal: Journal;
	/** The contacts that `getContacts` lists. */
	readonly contacts: ContactStore;
	/** The payments that `getPayments` lists. */
	readonly payments: PaymentStore;
	/** Adds a fault rule. Throws if it is malformed. */
	fault(rule: FaultRule): void;
	/** Removes all fault rules, and releases held requests. */
	clearFaults(): void;
	/** Sets the state of a key with immediate effect (section 5, rule 5). Creates an unknown key. */
	setKeyState(key: string, state: KeyState): void;
	/** Imitates the service of a profile from now on. */
	imitate(profile: string): void;
	/** Counts requests that another client makes now with `apiKey`. */
	consume(endpoint: string, count: number): void;
	/** Resets journal, windows, faults, keys and records. Drops requests without a response. */
	reset(): void;
	/** Closes the server, all connections and all timers. */
	stop(): Promise<void>;
}

function createState(options: SandboxOptions): SandboxState {
	const resolved = resolveOptions(options);
	const { endpoints } = resolved;
	const startedAtMs = performance.now();
	return {
		options: resolved,
		keys: new KeyRegistry(resolved.apiKeys, endpoints),
		limits: new LimitCounters(resolved),
		faults: new FaultBook(endpoints),
		journal: new Journal(endpoints),
		contacts: inventContacts(resolved.contactCount),
		payments: inventPayments(),
		random: seededRandom(resolved.latency.seed ?? Math.random() * 2 ** 32),
		elapsedMs: () => performance.now() - startedAtMs,
	};
}

/** Counts requests of another client, which are subject to the limits like all others (section 8). */
function consume(state: SandboxState, endpoint: string, count: number): void {
	const name = state.options.endpoints.normalize(endpoint);
	const [method = '', path = ''] = name.split(' ', 2);
	const request = { method, path, endpoint: name, query: {}, headers: {} };
	for (let made = 0; made < count; made += 1) {
		const entry = state.journal.record(
			{ ...request, bytes: Buffer.alloc(0), bodyText: '', body: undefined },
			state.elapsedMs(),
			true,
		);
		const { exceeded } = state.limits.admit(state.keys.mainKey, name, entry.atMs);
		entry.status = exceeded.length === 0 ? 200 : 429;
		if (exceeded.length > 0) entry.reason = exceeded.join(', ');
	}
}

/** Ends the waits of all requests at once, for a reset or a stop. */
class Waiting {
	private controller = this.fresh();

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	end(): void {
		this.controller.abort();
		this.controller = this.fresh();
	}

	private fresh(): AbortController {
		const controller = new AbortController();
		// Many listeners are no leak here: there is one per waiting request.
		setMaxListeners(0, controller.signal);
		return controller;
	}
}

async function listen(server: Server, port: number): Promise<string> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a sandbox on 127.0.0.1. Rejects if an option is invalid or the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const state = createState(options);
	const waiting = new Waiting();
	const sockets = new Set<Socket>();

	const reset = (): void => {
		waiting.end();
		const { journal, limits, keys, contacts, payments } = state;
		for (const part of [journal, limits, keys, contacts, payments]) part.reset();
		state.faults.clear();
	};
	const route = (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
		const isControl = (incoming.url ?? '').startsWith(CONTROL_PREFIX);
		if (isControl) return serveControl({ state, reset }, incoming, response);
		return serve(state, incoming, response, waiting.signal);
	};
	const server = createServer((incoming, response) => {
		// A rejection means that the client is gone or the wait was ended, so that no response is possible.
		route(incoming, response).catch(() => response.destroy());
	});
	// Closing an idle connection at the moment the client uses it again would look like a fault without a
	// rule.
	server.keepAliveTimeout = 0;
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});

	return {
		baseUrl: await listen(server, state.options.port),
		apiKey: state.keys.mainKey,
		journal: state.journal,
		contacts: state.contacts,
		payments: state.payments,
		fault: (rule) => state.faults.add(checkFaultRule(rule)),
		clearFaults: () => state.faults.clear(),
		setKeyState: (key, keyState) => state.keys.setState(key, keyState),
		imitate: (profile) => (state.options.profile = profile),
		consume: (endpoint, count) => consume(state, endpoint, count),
		reset,
		stop: async () => {
			waiting.end();
			const closed = new Promise((resolve) => server.close(resolve));
			for (const socket of sockets) socket.destroy();
			await closed;
		},
	};
}
