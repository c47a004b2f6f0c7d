/**
 * Whether a request can have reached the service: only a complete connection, with TLS and the tunnel of a proxy, can
 * have carried it. Node's HTTP client reports on diagnostics channels
 * (https://nodejs.org/api/diagnostics_channel.html#http); an AsyncLocalStorage says whose request it is.
 *
 * `start` says that the whole request was handed to its socket, connected or not. For this the body must be one Buffer:
 * parts of a stream leave earlier.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** `notBegun`: Node's HTTP client does not have the request yet. `connected`: it may have left. */
export type Progress = 'notBegun' | 'notConnected' | 'connected' | 'unknown';

const current = new AsyncLocalStorage<ConnectionWatch>();

/** Set after a response to a request that no channel reported: n8n uses another HTTP client. */
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

	async during<T>(work: () => Promise<T>): Promise<T> {
		return await current.run(this, work);
	}

	/** To be called on a response: the agent passes on a proxy's response to CONNECT as if it were the service's. */
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
		const check = () => {
			this.hasBeenConnected ||= !(socket.pending || socket.secureConnecting === true);
		};
		check();
		// With TLS, nothing is written before the second one.
		socket.once('connect', check).once('secureConnect', check);
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
