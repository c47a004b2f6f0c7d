/** The network between n8n and the service, with its latencies and faults. */
import type { Owner, World } from '../world/world';
import type { Random } from '../world/random';
import type { Caller, ConnectionError, Exchange, ExchangeFault, Line, Reply } from './exchange';
import type { Service } from './service';

interface NetworkSettings {
	/** One-way latency (ms), mostly near the first value. */
	latencyMs: [number, number];
	/** The fault of a request that is about to go out. */
	faultOf(exchange: Exchange): ExchangeFault | undefined;
	/** Called at each step of a request. */
	onStep(step: Step, exchange: Exchange): void;
}

export type Step = 'started' | 'left' | 'counted' | 'acted' | 'responded';

export interface Address {
	method: string;
	protocol: string;
	hostname: string;
	port: string;
	path: string;
	headers: Record<string, string>;
}

const MEGABYTE = Buffer.alloc(1024 * 1024, ' ');
/** How long (ms) after a piece of a response the next one arrives. */
const NEXT_PIECE_MS = 0.05;

const FAILED_CALLS: Record<string, string> = { ENOTFOUND: 'getaddrinfo', EAI_AGAIN: 'getaddrinfo' };

export class Network {
	readonly exchanges: Exchange[] = [];
	private readonly random: Random;
	private readonly randoms = new WeakMap<Exchange, Random>();

	constructor(
		private readonly world: World,
		private readonly service: Service,
		private readonly settings: NetworkSettings,
	) {
		this.random = world.random.of('network');
	}

	open(address: Address, caller: Caller | undefined): Exchange {
		const { method, protocol, hostname, port, headers } = address;
		const url = new URL(`${protocol}//${hostname}${port === '' ? '' : `:${port}`}${address.path}`);
		const exchange: Exchange = {
			id: this.exchanges.length + 1,
			caller,
			method,
			origin: url.origin,
			path: url.pathname,
			endpoint: `${method} ${url.pathname}`,
			query: Object.fromEntries(url.searchParams),
			headers: lowerCased(headers),
			body: '',
			items: [],
			startedAt: this.world.now,
		};
		this.exchanges.push(exchange);
		exchange.fault = this.settings.faultOf(exchange);
		this.settings.onStep('started', exchange);
		return exchange;
	}

	/** How long (ms) connecting takes, and the error if it fails. */
	connecting(exchange: Exchange): { ms: number; error?: ConnectionError } {
		const { fault } = exchange;
		if (fault?.kind === 'noConnection') return { ms: Infinity };
		const ms = 2 * this.latency(exchange);
		if (fault?.kind !== 'refused') return { ms };
		const syscall = FAILED_CALLS[fault.code] ?? 'connect';
		const { hostname } = new URL(exchange.origin);
		return {
			ms,
			error: { code: fault.code, syscall, message: `${syscall} ${fault.code} ${hostname}` },
		};
	}

	/** Delivers the whole request to the service, and its response to the client. */
	deliver(exchange: Exchange, line: Line, owner: Owner): void {
		const { fault } = exchange;
		this.settings.onStep('left', exchange);
		const journey = new Journey(this.world, line, owner, () => this.latency(exchange));
		if (fault?.kind === 'lost' && fault.what === 'request') return;
		if (fault?.kind === 'cut' && fault.moment === 'beforeArrival') return journey.cutOff();
		const lateMs = fault?.kind === 'late' && fault.what === 'request' ? fault.ms : 0;
		this.world.after(lateMs + this.latency(exchange), () => this.arrive(exchange, journey));
		if (fault?.kind !== 'duplicated') return;
		const duplicate = { ...exchange, caller: undefined, isDuplicate: true };
		this.exchanges.push(duplicate);
		this.world.after(fault.afterMs + this.latency(exchange), () => {
			this.service.receive(duplicate, undefined, () => undefined);
		});
	}

	responded(exchange: Exchange): void {
		exchange.respondedAt = this.world.now;
		this.settings.onStep('responded', exchange);
	}

	private arrive(exchange: Exchange, journey: Journey): void {
		const { fault } = exchange;
		const onStep = (step: 'counted' | 'acted') => this.settings.onStep(step, exchange);
		const scripted = fault?.kind === 'status' ? fault : undefined;
		this.service.receive(exchange, scripted, onStep, (reply) => {
			if (fault === undefined) return journey.response(reply);
			if (fault.kind === 'lost') return;
			if (fault.kind === 'cut' && fault.moment !== 'duringResponse') return journey.cutOff();
			const lateMs = fault.kind === 'late' && fault.what === 'response' ? fault.ms : 0;
			const body = fault.kind === 'body' && reply.status === 200 ? fault.body : reply.body;
			this.world.after(lateMs, () => {
				if (fault.kind === 'largeBody' && reply.status === 200) {
					journey.largeResponse(reply, fault.megabytes);
				} else journey.response({ ...reply, body }, fault.kind === 'cut');
			});
		});
		if (fault?.kind === 'cut' && fault.moment === 'beforeActing') {
			this.service.forget(exchange);
			journey.cutOff();
		}
	}

	/** Random latencies, independent for each request. */
	private latency(exchange: Exchange): number {
		let random = this.randoms.get(exchange);
		if (random === undefined) this.randoms.set(exchange, (random = this.random.of(exchange.id)));
		return random.skewed(...this.settings.latencyMs);
	}
}

class Journey {
	constructor(
		private readonly world: World,
		private readonly line: Line,
		private readonly owner: Owner,
		private readonly latency: () => number,
	) {}

	cutOff(): void {
		// The error of Node.js for a connection that ends before the response; during it, the stream fails instead.
		const error = { code: 'ECONNRESET', message: 'socket hang up' };
		this.toClient(this.latency(), () => this.line.onLost(error));
	}

	response(reply: Reply, isCutOff = false): void {
		const bytes = Buffer.from(reply.body);
		const half = Math.floor(bytes.length / 2);
		this.toClient(this.latency(), () => {
			this.line.onHead(reply);
			const rest = () => (isCutOff ? this.cutOff() : this.end(bytes.subarray(half)));
			this.toClient(NEXT_PIECE_MS, () => this.line.onBody(bytes.subarray(0, half)), rest);
		});
	}

	largeResponse(reply: Reply, megabytes: number): void {
		let left = megabytes;
		const next = () => this.toClient(NEXT_PIECE_MS, () => this.line.onBody(MEGABYTE), then);
		const then = () => {
			if (!this.line.isOpen) return;
			if (--left > 0) next();
			else this.end(Buffer.alloc(0));
		};
		this.toClient(this.latency(), () => this.line.onHead(reply), next);
	}

	private end(rest: Buffer): void {
		this.toClient(NEXT_PIECE_MS, () => {
			if (rest.length > 0) this.line.onBody(rest);
			if (this.line.isOpen) this.line.onBody(undefined);
		});
	}

	/** Runs `happens` at the client after `ms`, and `then` right after it, even if the client is gone. */
	private toClient(ms: number, happens: () => void, then?: () => void): void {
		this.world.after(
			ms,
			() => {
				if (this.line.isOpen) happens();
				then?.();
			},
			this.owner,
		);
	}
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
	);
}
