// Says which endpoint a request means, however its path is spelled.
//
// Servers are lenient about spelling. If the sandbox were not, a client could slip past the limit of
// an endpoint with a variant of its path, and no test would notice.
// find-my-way keeps dot segments and encoded slashes.

import { posix } from 'node:path';

/** An endpoint that a request was matched to. */
export interface MatchedEndpoint {
	/** `METHOD /path` as the endpoint is known; of an unknown one the resolved path in lower case. */
	endpoint: string;
	/** Values of the `:name` segments of the known endpoint. */
	parameters: Record<string, string>;
}

interface KnownEndpoint {
	endpoint: string;
	method: string;
	segments: string[];
}

/** Percent-decodes once; sequences that are no UTF-8 stay as they are instead of failing. */
function percentDecode(text: string): string {
	return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
		try {
			return decodeURIComponent(run);
		} catch {
			return run;
		}
	});
}

/** The segments of a path after decoding, without empty ones, with `.` and `..` resolved. */
function resolveSegments(path: string): string[] {
	const withoutOrigin = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
	const resolved = posix.normalize(`/${percentDecode(withoutOrigin)}`);
	return resolved.split('/').filter((segment) => segment !== '');
}

/** Splits `METHOD /path` in two. Throws when the text has another form. */
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

/** The endpoints the sandbox knows by name (section 4), and the matching of requests to them. */
export class EndpointDirectory {
	readonly #known: KnownEndpoint[] = [];

	constructor(endpoints: Iterable<string>) {
		for (const endpoint of endpoints) this.#add(endpoint);
	}

	/** The endpoint meant by a method and a path as received (without its query). */
	match(method: string, path: string): MatchedEndpoint {
		const segments = resolveSegments(path);
		for (const known of this.#known) {
			if (known.method !== method) continue;
			const parameters = parametersOf(known.segments, segments);
			if (parameters !== undefined) return { endpoint: known.endpoint, parameters };
		}
		return { endpoint: `${method} /${segments.join('/').toLowerCase()}`, parameters: {} };
	}

	/** The one spelling of an endpoint given as `METHOD /path`. Throws when it has another form. */
	normalise(endpoint: string): string {
		const { method, path } = splitEndpoint(endpoint);
		return this.match(method, path).endpoint;
	}

	#add(endpoint: string): void {
		const { method, path } = splitEndpoint(endpoint);
		// A second spelling of an endpoint is the same endpoint: the first spelling names it.
		if (this.#known.some((known) => known.endpoint === this.match(method, path).endpoint)) return;
		const segments = resolveSegments(path);
		this.#known.push({ endpoint: `${method} /${segments.join('/')}`, method, segments });
	}
}
