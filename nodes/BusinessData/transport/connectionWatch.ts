/**
 * Whether a part of a request can have reached the service, by its connection: only a complete one, with TLS and the
 * tunnel of a proxy, can have carried it. Node publishes on diagnostics channels what its HTTP client does
 * (https://nodejs.org/api/diagnostics_channel.html#http); an AsyncLocalStorage says whose request it is, through n8n's
 * helper and axios.
 *
 * The channel `start` says that the whole request was handed to its socket, connected or not. That holds as long as the
 * body is one Buffer: parts of a stream leave before.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How far a request has come: n8n has not handed it to Node's HTTP client; it has no connection; it has one, so that it
 * may have left; or it cannot be known.
 */
export type Progress = 'notBegun' | 'notConnected' | 'connected' | 'unknown';

const current = new AsyncLocalStorage<ConnectionWatch>();

/** Set when a response arrives for a request that no channel reported: n8n uses another HTTP client. */
let isBlind = false;

export class ConnectionWatch {
	private hasBegun = false;
	private hasBeenConnected = false;

	get progress(): Progress {
		if (this.hasBegun) return this.hasBeenConnected ? 'connected' : 'notConnected';
		return isBlind ? 'unknown' : 'notBegun';
	}

	get mayHaveLeft(): boolean {
		return this.progress === 'connected' || this.progress === 'unknown';
	}

	/** Watches the request that `work` makes. */
	async during<T>(work: () => Promise<T>): Promise<T> {
		return await current.run(this, work);
	}

	/**
	 * To be called with the response. Returns whether it comes from a proxy that has made no connection to the service:
	 * the agent passes on the response to CONNECT as if it were the service's.
	 */
	isProxyResponse(): boolean {
		isBlind ||= !this.hasBegun;
		return !this.mayHaveLeft;
	}

	begin(): void {
		this.hasBegun = true;
	}

	/** The request is written to this socket as soon as it is connected. */
	handTo(socket: Socket & { secureConnecting?: boolean }): void {
		this.begin();
		const look = () => {
			this.hasBeenConnected ||= !(socket.pending || socket.secureConnecting === true);
		};
		look();
		// With TLS, nothing is written before the second one.
		socket.once('connect', look).once('secureConnect', look);
	}
}

// `created` came with Node 22.12; the response of a proxy and an early failure are without a `start`.
for (const name of ['request.created', 'request.error', 'response.finish']) {
	subscribe(`http.client.${name}`, () => current.getStore()?.begin());
}
subscribe('http.client.request.start', (message) => {
	const { socket, method } = (message as { request: ClientRequest }).request;
	// An agent may ask its proxy for the connection by a request of its own.
	if (socket !== null && method !== 'CONNECT') current.getStore()?.handTo(socket);
});
