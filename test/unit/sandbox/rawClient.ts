// Sends requests exactly as they are written. The usual clients tidy up paths before they send them,
// which would hide what the tests of path variants are about.

import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { Sandbox } from '../../../sandbox/server';

/** What came back. */
export interface RawResponse {
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
}

/** What is sent besides method and path. */
export interface RawOptions {
	/** Default: the sandbox's key; null sends none. */
	key?: string | null;
	headers?: OutgoingHttpHeaders;
	/** Text is sent as it is, anything else as JSON. */
	body?: unknown;
	signal?: AbortSignal;
}

/** Sends `METHOD /path` and waits for the whole response; rejects when the connection is lost. */
export function send(
	sandbox: Sandbox,
	endpoint: string,
	{ key = sandbox.apiKey, headers = {}, body, signal }: RawOptions = {},
): Promise<RawResponse> {
	const [method, path] = endpoint.split(' ', 2);
	const { hostname, port } = new URL(sandbox.baseUrl);
	const payload: string | undefined = typeof body === 'string' ? body : JSON.stringify(body);
	return new Promise((resolve, reject) => {
		const outgoing = request({
			hostname,
			port,
			method,
			path,
			agent: false,
			signal,
			headers: {
				...(key === null ? {} : { 'x-api-key': key }),
				// Node itself states no length for a body on GET or DELETE, and the body would be taken for
				// the next request.
				...(payload === undefined
					? {}
					: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
				...headers,
			},
		});
		outgoing.on('error', reject);
		outgoing.on('response', (response) => {
			const pieces: Buffer[] = [];
			response.on('data', (piece: Buffer) => pieces.push(piece));
			response.on('error', reject);
			response.on('end', () => {
				const text = Buffer.concat(pieces).toString('utf8');
				resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
			});
		});
		outgoing.end(payload);
	});
}

/** Sends the same request several times, one after the other, and returns the statuses. */
export async function sendTimes(
	times: number,
	sandbox: Sandbox,
	endpoint: string,
	options: RawOptions = {},
): Promise<number[]> {
	const statuses: number[] = [];
	for (let sent = 0; sent < times; sent += 1) {
		statuses.push((await send(sandbox, endpoint, options)).status);
	}
	return statuses;
}

/** The body of a response as JSON. */
export function json<Value>(response: RawResponse): Value {
	return JSON.parse(response.text) as Value;
}
