// Reads an incoming request in full, and matches its endpoint.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { EndpointDirectory } from './endpoints';

/** The values of query parameters. A repeated parameter has a list of values. */
export type Query = Record<string, string | string[]>;

export interface ReceivedRequest {
	method: string;
	/** The path as received, without the query. */
	path: string;
	/** `METHOD /path` as matched. */
	endpoint: string;
	query: Query;
	headers: Record<string, string>;
	bytes: Buffer;
	bodyText: string;
	/** The parsed body, or its text if it is not JSON; undefined without a body. */
	body: unknown;
}

function readHeaders(headers: IncomingHttpHeaders): Record<string, string> {
	const entries = Object.entries(headers).map(([name, value = '']) => [name, String(value)]);
	return Object.fromEntries(entries) as Record<string, string>;
}

function parseBody(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** The whole request; undefined if the client disconnected before it was complete. */
export async function receive(
	incoming: IncomingMessage,
	endpoints: EndpointDirectory,
): Promise<ReceivedRequest | undefined> {
	const pieces: Buffer[] = [];
	try {
		for await (const piece of incoming) pieces.push(Buffer.from(piece as Uint8Array));
	} catch {
		return undefined;
	}
	const method = incoming.method ?? 'GET';
	const [, path = '', query = ''] = /^([^?]*)\??(.*)$/.exec(incoming.url ?? '/') ?? [];
	const bytes = Buffer.concat(pieces);
	const bodyText = bytes.toString('utf8');
	return {
		method,
		path,
		endpoint: endpoints.match(method, path),
		query: parse(query) as Query,
		headers: readHeaders(incoming.headers),
		bytes,
		bodyText,
		body: parseBody(bodyText),
	};
}
