/** Connections between simulated processes and simulated servers: in order, late, cut, or silent. */
import { Duplex } from 'node:stream';

import type { Resource, SimulatedProcess } from '../process/simulatedProcess';
import type { Timer } from '../process/timers';
import type { Random } from '../world/random';
import type { World } from '../world/world';

/** The server's end of a connection. */
export interface Connection {
	/** Takes what came. */
	receive(bytes: Buffer): void;
}

export interface TcpServer {
	/** Undefined when nobody listens there at the moment. */
	accept(link: Link): Connection | undefined;
}

const STEP_MS = 1e-3;

export class TcpNetwork {
	/** All connections that are open at the moment. */
	readonly links = new Set<Link>();

	private readonly random: Random;

	private connections = 0;

	private readonly servers = new Map<string, TcpServer>();

	constructor(
		readonly world: World,
		/** One way (ms): mostly near the first. */
		private readonly latencyMs: [number, number],
	) {
		this.random = world.random.of('tcp');
	}

	listen(host: string, port: number, server: TcpServer): void {
		this.servers.set(`${host}:${port}`, server);
	}

	serverAt(host: string, port: number): TcpServer | undefined {
		return this.servers.get(`${host}:${port}`);
	}

	/** Chance of its own for each connection. */
	latencies(): () => number {
		const random = this.random.of(++this.connections);
		return () => random.skewed(...this.latencyMs);
	}
}

/** Both directions of one connection. */
export class Link {
	/** Whether what is sent arrives nowhere, without anybody being told. */
	isSilent = false;

	private connection: Connection | undefined;

	/** Whether something in between has ended it: what was on its way is lost. */
	private isCut = false;

	private lastToServer = 0;

	private lastToClient = 0;

	constructor(
		private readonly network: TcpNetwork,
		readonly socket: SimulatedSocket,
		readonly process: SimulatedProcess,
		private readonly latency: () => number,
	) {
		network.links.add(this);
	}

	get isOpen(): boolean {
		return this.network.links.has(this);
	}

	open(server: TcpServer): boolean {
		this.connection = server.accept(this);
		return this.connection !== undefined;
	}

	toServer(bytes: Buffer): void {
		this.lastToServer = this.later(this.lastToServer, () => {
			if (!this.isCut && !this.isSilent) this.connection?.receive(bytes);
		});
	}

	toClient(bytes: Buffer): void {
		this.lastToClient = this.later(
			this.lastToClient,
			() => {
				if (this.isOpen && !this.isSilent) this.socket.push(bytes);
			},
			this.process,
		);
	}

	/** The server, or something in between, ends it. */
	cut(): void {
		if (!this.network.links.delete(this)) return;
		this.isCut = true;
		this.lastToClient = this.later(
			this.lastToClient,
			() => this.socket.lose({ code: 'ECONNRESET', message: 'read ECONNRESET', syscall: 'read' }),
			this.process,
		);
	}

	/** The client ends it; what it has sent before still arrives. */
	close(): void {
		this.network.links.delete(this);
	}

	/** Whether the server takes what came from the client. */
	get isTaken(): boolean {
		return !this.isCut;
	}

	private later(last: number, run: () => void, owner?: SimulatedProcess): number {
		const { world } = this.network;
		const at = Math.max(last + STEP_MS, world.now + this.latency());
		world.at(at, run, owner);
		return at;
	}
}

/** A socket as a program in a simulated process sees it. */
export class SimulatedSocket extends Duplex implements Resource {
	connecting = true;

	private link: Link | undefined;

	private idleTimer: Timer | undefined;

	constructor(
		private readonly process: SimulatedProcess,
		private readonly host: string,
		private readonly port: number,
	) {
		super({ allowHalfOpen: false });
		process.resources.add(this);
		const { tcp } = process;
		const latency = tcp.latencies();
		tcp.world.after(2 * latency(), () => this.connect(tcp, latency), process);
	}

	cutOff(): void {
		this.link?.close();
	}

	lose({ message, ...details }: { code: string; message: string; syscall: string }): void {
		this.destroy(Object.assign(new this.process.realm.global.Error(message), details));
	}

	setTimeout(ms: number, onTimeout?: () => void): this {
		this.process.timers.clear(this.idleTimer);
		this.idleTimer = undefined;
		if (ms > 0) {
			this.idleTimer = this.process.timers.set(() => onTimeout?.(), ms, [], false).unref();
		}
		return this;
	}

	setNoDelay(): this {
		return this;
	}

	setKeepAlive(): this {
		return this;
	}

	ref(): this {
		return this;
	}

	unref(): this {
		return this;
	}

	override _read(): void {
		// Bytes come when they come.
	}

	override _write(bytes: Buffer, _: string, done: () => void): void {
		if (this.connecting) this.once('connect', () => this._write(bytes, _, done));
		else {
			this.idleTimer?.refresh();
			this.link?.toServer(bytes);
			done();
		}
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.process.timers.clear(this.idleTimer);
		this.process.resources.delete(this);
		this.link?.close();
		done(error);
	}

	private connect(tcp: TcpNetwork, latency: () => number): void {
		if (this.destroyed) return;
		const { host, port } = this;
		const server = tcp.serverAt(host, port);
		if (server === undefined) {
			const message = `getaddrinfo ENOTFOUND ${host}`;
			return this.lose({ code: 'ENOTFOUND', syscall: 'getaddrinfo', message });
		}
		this.link = new Link(tcp, this, this.process, latency);
		if (!this.link.open(server)) {
			this.link.close();
			const message = `connect ECONNREFUSED ${host}:${port}`;
			return this.lose({ code: 'ECONNREFUSED', syscall: 'connect', message });
		}
		this.connecting = false;
		this.emit('connect');
		this.emit('ready');
	}
}
