/**
 * Node's `http` and `https` for the HTTP client in a simulated process, on the simulated network. Every request has its
 * own connection, as with n8n's agents.
 */
import { EventEmitter } from 'node:events';
import * as nodeHttp from 'node:http';
import * as nodeHttps from 'node:https';
import { Readable, Writable } from 'node:stream';

import { publisher } from '../process/channels';
import type { Resource, SimulatedProcess } from '../process/simulatedProcess';
import type { Timer } from '../process/timers';
import {
	type Caller,
	type ConnectionError,
	describe,
	type Exchange,
	type Line,
	type Reply,
} from './exchange';
import type { Address } from './network';

interface RequestOptions extends Address {
	/** The caller, in place of n8n's agent. */
	agent?: Caller;
}

export function httpModules(process: () => SimulatedProcess): Record<string, unknown> {
	const request = (options: RequestOptions, onResponse: (response: Response) => void) =>
		new ClientRequest(process(), options, onResponse);
	return { http: { ...nodeHttp, request }, https: { ...nodeHttps, request } };
}

class ClientRequest extends Writable implements Line, Resource {
	readonly method: string;

	/** The members that axios and the package use. */
	readonly socket = Object.assign(new EventEmitter(), {
		pending: true,
		setKeepAlive: () => undefined,
	});

	private readonly publish: (name: string, message: unknown) => void;

	private readonly pieces: Buffer[] = [];
	private readonly exchange: Exchange;
	private isConnected = false;
	private isWritten = false;
	private response: Response | undefined;
	private idleTimer: Timer | undefined;

	constructor(
		private readonly process: SimulatedProcess,
		options: RequestOptions,
		private readonly onResponse: (response: Response) => void,
	) {
		super({ autoDestroy: false });
		this.method = options.method;
		this.publish = publisher(process);
		this.publish('http.client.request.created', { request: this });
		this.exchange = process.network.open(options, options.agent);
		process.resources.add(this);
		process.world.after(0.01, () => this.connect(), process);
	}

	setTimeout(ms: number, onTimeout?: () => void): this {
		this.process.timers.clear(this.idleTimer);
		this.idleTimer = undefined;
		// As in Node: it keeps nothing alive, and is reset by every received piece.
		if (ms > 0) {
			this.idleTimer = this.process.timers.set(() => onTimeout?.(), ms, [], false).unref();
		}
		return this;
	}

	get isOpen(): boolean {
		return !this.destroyed && this.process.isAlive;
	}

	cutOff(): void {
		this.exchange.lostAt ??= this.process.world.now;
	}

	override _write(piece: Buffer, _: string, done: () => void): void {
		this.pieces.push(piece);
		done();
	}

	override _final(done: () => void): void {
		this.isWritten = true;
		describe(this.exchange, Buffer.concat(this.pieces).toString());
		this.transmit();
		done();
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.process.timers.clear(this.idleTimer);
		this.process.resources.delete(this);
		if (this.exchange.bodyAt === undefined) this.exchange.lostAt ??= this.process.world.now;
		this.response?.breakOff();
		const hasNoResponse = this.response === undefined && error === null;
		done(hasNoResponse ? this.errorOf({ code: 'ECONNRESET', message: 'socket hang up' }) : error);
	}

	onHead({ status, headers }: Reply): void {
		this.idleTimer?.refresh();
		this.process.network.responded(this.exchange);
		this.response = new Response(status, headers, this);
		this.onResponse(this.response);
	}

	onBody(piece: Buffer | undefined): void {
		this.idleTimer?.refresh();
		this.exchange.bodyBytes = (this.exchange.bodyBytes ?? 0) + (piece?.length ?? 0);
		this.response?.push(piece ?? null);
		if (piece !== undefined || this.response === undefined) return;
		this.response.isAtEnd = true;
		this.exchange.bodyAt = this.process.world.now;
		this.destroy();
	}

	onLost(error: ConnectionError): void {
		this.destroy(this.response === undefined ? this.errorOf(error) : undefined);
	}

	private connect(): void {
		if (!this.isOpen) return;
		this.emit('socket', this.socket);
		// By now, axios has written the whole request.
		this.publish('http.client.request.start', { request: this });
		const { ms, error } = this.process.network.connecting(this.exchange);
		if (ms === Infinity) return;
		this.process.world.after(
			ms,
			() => {
				if (!this.isOpen) return;
				if (error !== undefined) return this.onLost(error);
				this.isConnected = true;
				this.socket.pending = false;
				this.socket.emit('connect');
				this.transmit();
			},
			this.process,
		);
	}

	private transmit(): void {
		if (!this.isConnected || !this.isWritten || !this.isOpen) return;
		if (this.exchange.leftAt !== undefined) return;
		this.exchange.leftAt = this.process.world.now;
		this.process.network.deliver(this.exchange, this, this.process);
	}

	private errorOf({ message, ...details }: ConnectionError): Error {
		return Object.assign(new this.process.realm.global.Error(message), details);
	}
}

class Response extends Readable {
	isAtEnd = false;
	readonly statusMessage: string;

	constructor(
		readonly statusCode: number,
		readonly headers: Record<string, string>,
		readonly req: ClientRequest,
	) {
		super();
		this.statusMessage = nodeHttp.STATUS_CODES[statusCode] ?? '';
	}

	override _read(): void {
		// The network pushes the pieces.
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		if (!this.req.destroyed) this.req.destroy();
		// Without a listener, Node.js emits no error here.
		process.nextTick(() => done(this.listenerCount('error') === 0 ? null : error));
	}

	/** Called when the connection ends. The reader gets an error unless the body is complete. */
	breakOff(): void {
		if (this.readableEnded || this.destroyed || this.isAtEnd) return;
		this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
	}
}
