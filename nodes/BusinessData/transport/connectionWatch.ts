/**
 * Tells whether a request can have reached the service. Only a complete connection, including TLS and the tunnel of a
 * proxy, can have carried it. Node's HTTP client reports on diagnostics channels
 * (https://nodejs.org/api/diagnostics_channel.html#http), and an AsyncLocalStorage says whose request it is.
 *
 * `start` means that the whole request was handed to its socket, connected or not. For this, the body must be one Buffer,
 * because the parts of a stream leave earlier.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** `notBegun`: Node's HTTP client does not have the request yet. `connected`: the request may have left. */
export type Progress = 'notBegun' | 'notConnected' | 'connected' | 'unknown';

const current = new AsyncLocalStorage<ConnectionWatch>();

/** True after a response to a request that no channel reported, so that n8n must be using another HTTP client. */
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

	/** Call on a response, because the agent passes on a proxy's response to CONNECT as if it came from the service. */
	isProxyResponse(): boolean {
		isBlind ||= !this.hasBegun;
		return !this.mayHaveLeft;
	}

	begin(): void {
		this.hasBegun = true;
	}

	/** Called when the request was handed to this socket, which sends it as soon as it is connected. */
	handTo(socket: Socket & { secureConnecting?: boolean }): void {
		this.begin();
		const check = () => {
			this.hasBeenConnected ||= !(socket.pending || socket.secureConnecting === true);
		};
		check();
		// With TLS, nothing is sent before the second event.
		socket.once('connect', check).once('secureConnect', check);
	}
}

// Node has `created` from 22.12 on. A response of a proxy, or an early failure, has no `start`.
for (const name of ['request.created', 'request.error', 'response.finish']) {
	subscribe(`http.client.${name}`, () => current.getStore()?.begin());
}
subscribe('http.client.request.start', (message) => {
	const { socket, method } = (message as { request: ClientRequest }).request;
	// An agent may use a request of its own to ask its proxy for the connection.
	if (socket !== null && method !== 'CONNECT') current.getStore()?.handTo(socket);
});
