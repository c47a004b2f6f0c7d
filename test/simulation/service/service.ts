/**
 * The service: it counts, refuses, acts and responds. It knows nothing of n8n, and counts all requests with a key: from
 * n8n, from another client, or duplicated by a proxy.
 */
import { LimitCounters, type LimitTable } from '../../../sandbox/limits';
import { WORLD_BEGINS_AT } from '../world/history';
import type { Random } from '../world/random';
import type { World } from '../world/world';
import type { Exchange, ExchangeFault, Reply } from './exchange';

export interface ServiceSettings {
	limits: LimitTable;
	windows: 'sliding' | 'fixed';
	/** The offset (ms) of its fixed windows. */
	phaseMs: number;
	countsRefused: boolean;
	/** The form of Retry-After in a 429. */
	retryAfter: 'none' | 'seconds' | 'date';
	/** How long (ms) it takes to act, mostly near the first value. */
	actingMs: [number, number];
}

type Scripted = ExchangeFault & { kind: 'status' };

const CONTACTS = [1, 2, 3].map((number) => ({ id: `c${number}`, name: `Contact ${number}` }));

export interface Action {
	item: string;
	/** `METHOD /path`. */
	endpoint: string;
	exchange: Exchange;
}

export class Service {
	/** All completed actions, in order. */
	readonly actions: Action[] = [];
	private readonly counters: LimitCounters;
	private readonly random: Random;
	private readonly keys = new Map<string, string>();
	private readonly forgotten = new Set<Exchange>();

	constructor(
		private readonly world: World,
		private readonly settings: ServiceSettings,
	) {
		this.random = world.random.of('service');
		const { limits, windows: windowMode, phaseMs, countsRefused: countRefused } = settings;
		this.counters = new LimitCounters({ limits, windowMode, phaseMs, countRefused, timeScale: 1 });
	}

	addKey(key: string, origin: string): void {
		this.keys.set(key, origin);
	}

	otherClientRequest(key: string, endpoint: string): void {
		this.counters.admit(key, endpoint, this.world.now);
	}

	/** Receives a request. `response` is called with the reply, if there is one. */
	receive(
		exchange: Exchange,
		scripted: Scripted | undefined,
		onStep: (step: 'counted' | 'acted') => void,
		response: (reply: Reply) => void = () => undefined,
	): void {
		const { endpoint } = exchange;
		const key = exchange.headers['x-api-key'] ?? '';
		const decide = (reply: Reply) => {
			exchange.status = reply.status;
			response(reply);
		};
		exchange.countedAt = this.world.now;
		const { exceeded, retryAfterMs } = this.counters.admit(key, endpoint, this.world.now);
		onStep('counted');
		if (this.keys.get(key) !== exchange.origin) return decide(jsonReply(401, { message: 'no' }));
		if (exceeded.length > 0) return decide(this.refusal(exchange, retryAfterMs));
		const acts = scripted === undefined || scripted.acts;
		const [least, most] = this.settings.actingMs;
		this.world.after(this.random.of(exchange.id).skewed(least, most), () => {
			if (this.forgotten.has(exchange)) return;
			const reply = acts ? this.act(endpoint, exchange) : undefined;
			if (acts) onStep('acted');
			if (scripted === undefined) return decide(reply as Reply);
			decide(this.scriptedReply(exchange, scripted, reply));
		});
	}

	forget(exchange: Exchange): void {
		this.forgotten.add(exchange);
	}

	private act(endpoint: string, exchange: Exchange): Reply {
		const at = this.world.now;
		if (exchange.method === 'GET') {
			if (exchange.path !== '/masterdata/getContacts') {
				return jsonReply(200, { item: exchange.items[0] ?? null, at: Math.round(at) });
			}
			return jsonReply(200, { contacts: CONTACTS });
		}
		exchange.actedAt = at;
		for (const item of exchange.items) this.actions.push({ item, endpoint, exchange });
		if (/delete/i.test(exchange.path)) return jsonReply(200, { deleted: exchange.items.length });
		return jsonReply(200, { document: exchange.items[0] ?? null, status: 'sent' });
	}

	private scriptedReply(exchange: Exchange, scripted: Scripted, acted: Reply | undefined): Reply {
		const { status, headers = {} } = scripted;
		if (headers['retry-after'] !== undefined) {
			exchange.retryAfterMs = Number(headers['retry-after']) * 1000;
		}
		const body =
			status < 300
				? (acted?.body ?? '')
				: JSON.stringify({ message: `response ${status} to ${exchange.headers['x-api-key']}` });
		return { status, headers: { 'content-type': 'application/json', ...headers }, body };
	}

	private refusal(exchange: Exchange, waitMs: number): Reply {
		const reply = jsonReply(429, { message: 'Too many requests' });
		const { retryAfter } = this.settings;
		if (retryAfter === 'none') return reply;
		const seconds = Math.ceil(waitMs / 1000);
		exchange.retryAfterMs = seconds * 1000;
		const now = WORLD_BEGINS_AT + this.world.now;
		reply.headers.date = new Date(now).toUTCString();
		reply.headers['retry-after'] =
			retryAfter === 'seconds' ? String(seconds) : new Date(now + seconds * 1000).toUTCString();
		return reply;
	}
}

function jsonReply(status: number, value: unknown): Reply {
	return {
		status,
		headers: { 'content-type': 'application/json; charset=utf-8' },
		body: JSON.stringify(value),
	};
}
