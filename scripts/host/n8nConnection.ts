// One logged-in user's connection to n8n's REST interface.

const SECONDS_FOR_A_REQUEST = 60;

/** An answer of n8n that says that something went wrong. */
export class N8nAnswerError extends Error {
	constructor(
		request: string,
		readonly status: number,
		answer: string,
	) {
		super(`n8n answered ${request} with ${status}: ${answer.slice(0, 500)}`);
	}
}

/** Requests to one n8n with the cookie that it gave out. Every method throws an `N8nAnswerError` when n8n refuses. */
export class N8nConnection {
	#cookie = '';

	/** @param url Where n8n is reached, e.g. `http://127.0.0.1:5678`. */
	constructor(private readonly url: string) {}

	/** The `data` of the answer. */
	async request<Result>(method: string, path: string, body?: unknown): Promise<Result> {
		return ((await this.send(method, path, body)) as { data: Result }).data;
	}

	/** The whole answer, which has to be JSON. */
	async send(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(SECONDS_FOR_A_REQUEST * 1000),
		});
		const text = await response.text();
		if (!response.ok) throw new N8nAnswerError(`${method} ${path}`, response.status, text);
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.#cookie = cookies.join('; ');
		return JSON.parse(text) as unknown;
	}
}
