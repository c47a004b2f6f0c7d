// Matches a request to its endpoint, however its path is spelled.
//
// Servers are lenient about spelling. If the sandbox were not, a client could evade the limit of an endpoint with
// another spelling of its path, and no test would notice.
// find-my-way keeps dot segments and encoded slashes.

import { posix } from 'node:path';

/** The endpoint of a request. */
export interface MatchedEndpoint {
	/** `METHOD /path` of the known endpoint, or of an unknown one with the resolved path in lower case. */
	endpoint: string;
	/** Values of the `:name` segments of the known endpoint. */
	parameters: Record<string, string>;
}

interface KnownEndpoint {
	endpoint: string;
	method: string;
	segments: string[];
}

/** Percent-decodes once. Invalid UTF-8 sequences stay as they are. */
function percentDecode(text: string): string {
	return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
		try {
			return decodeURIComponent(run);
		} catch {
			return run;
		}
	});
}

/** The decoded segments of a path, without empty ones and with `.` and `..` resolved. */
function resolveSegments(path: string): string[] {
	const withoutOrigin = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
	const resolved = posix.normalize(`/${percentDecode(withoutOrigin)}`);
	return resolved.split('/').filter((segment) => segment !== '');
}

/** Splits `METHOD /path`. Throws if the text has another form. */
function splitEndpoint(endpoint: string): { method: string; path: string } {
	const [, method, path] = /^([A-Za-z]+) (\/.*)$/.exec(endpoint) ?? [];
	if (method === undefined || path === undefined) {
		throw new Error(`An endpoint is written as "METHOD /path", not "${endpoint}"`);
	}
	return { method: method.toUpperCase(), path };
}

function parametersOf(known: string[], given: string[]): Record<string, string> | undefined {
	if (known.length !== given.length) return undefined;
	const parameters: Record<string, string> = {};
	for (const [index, segment] of known.entries()) {
		const value = given[index] ?? '';
		if (segment.startsWith(':')) parameters[segment.slice(1)] = value;
		else if (segment.toLowerCase() !== value.toLowerCase()) return undefined;
	}
	return parameters;
}

/** The known endpoints (section 4), and the matching of requests to them. */
export class EndpointDirectory {
	readonly #known: KnownEndpoint[] = [];

	constructor(endpoints: Iterable<string>) {
		for (const endpoint of endpoints) this.#add(endpoint);
	}

	/** The endpoint of a method and a path as received, without its query. */
	match(method: string, path: string): MatchedEndpoint {
		const segments = resolveSegments(path);
		for (const known of this.#known) {
			if (known.method !== method) continue;
			const parameters = parametersOf(known.segments, segments);
			if (parameters !== undefined) return { endpoint: known.endpoint, parameters };
		}
		return { endpoint: `${method} /${segments.join('/').toLowerCase()}`, parameters: {} };
	}

	/** The normalized spelling of an endpoint given as `METHOD /path`. Throws if it has another form. */
	normalise(endpoint: string): string {
		const { method, path } = splitEndpoint(endpoint);
		return this.match(method, path).endpoint;
	}

	#add(endpoint: string): void {
		const { method, path } = splitEndpoint(endpoint);
		// Another spelling of a known endpoint is the same endpoint, under its first spelling.
		if (this.#known.some((known) => known.endpoint === this.match(method, path).endpoint)) return;
		const segments = resolveSegments(path);
		this.#known.push({ endpoint: `${method} /${segments.join('/')}`, method, segments });
	}
}
