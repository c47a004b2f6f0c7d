// The connection of a signed-in user to n8n's REST API.
import { setTimeout as sleep } from 'node:timers/promises';

const SECONDS_FOR_A_REQUEST = 180;
/** n8n's message while it has lost its database. It reconnects by itself. */
const NO_DATABASE = 'Database is not ready!';
const SECONDS_WITHOUT_DATABASE = 180;
const SECONDS_BETWEEN_ATTEMPTS = 0.5;

/** An error response of n8n. */
export class N8nResponseError extends Error {
	constructor(
		request: string,
		readonly status: number,
		response: string,
	) {
		super(`n8n responded to ${request} with ${status}: ${response.slice(0, 500)}`);
	}
}

/** Requests to an n8n with its cookie. Every method throws an `N8nResponseError` on an error response. */
export class N8nConnection {
	#cookie = '';

	/** @param url The address of n8n, e.g. `http://127.0.0.1:5678`. */
	constructor(private readonly url: string) {}

	/** The `data` of the response. */
	async request<Result>(method: string, path: string, body?: unknown): Promise<Result> {
		return ((await this.send(method, path, body)) as { data: Result }).data;
	}

	/** The whole response, which must be JSON. Waits while n8n has lost its database. */
	async send(method: string, path: string, body?: unknown): Promise<unknown> {
		const deadline = performance.now() + SECONDS_WITHOUT_DATABASE * 1000;
		for (;;) {
			try {
				return await this.attempt(method, path, body);
			} catch (error) {
				const isWithoutDatabase = error instanceof Error && error.message.includes(NO_DATABASE);
				if (!isWithoutDatabase || performance.now() > deadline) throw error;
				await sleep(SECONDS_BETWEEN_ATTEMPTS * 1000);
			}
		}
	}

	private async attempt(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				// n8n closes idle connections, which a busy machine may notice too late.
				connection: 'close',
				...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(SECONDS_FOR_A_REQUEST * 1000),
		});
		const text = await response.text();
		if (!response.ok) throw new N8nResponseError(`${method} ${path}`, response.status, text);
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.#cookie = cookies.join('; ');
		return JSON.parse(text) as unknown;
	}
}
