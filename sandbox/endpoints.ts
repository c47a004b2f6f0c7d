// Matches a request to its endpoint, however its path is spelled.
//
// Servers are lenient about spelling. If the sandbox were not, a client could evade the limit of an endpoint with
// another spelling of its path, and no test would notice.
// find-my-way keeps dot segments and encoded slashes.

import { posix } from 'node:path';

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

/** Whether the segments are those of the known endpoint, in which `:name` stands for any. */
function areLike(known: string[], given: string[]): boolean {
	return (
		known.length === given.length &&
		known.every(
			(segment, index) =>
				segment.startsWith(':') || segment.toLowerCase() === given[index]?.toLowerCase(),
		)
	);
}

/** The known endpoints (section 4), and the matching of requests to them. */
export class EndpointDirectory {
	private readonly known: KnownEndpoint[] = [];

	constructor(endpoints: Iterable<string>) {
		for (const endpoint of endpoints) this.add(endpoint);
	}

	/**
	 * The endpoint of a method and a path as received, without its query: `METHOD /path` of the known endpoint, or of an
	 * unknown one with the resolved path in lower case.
	 */
	match(method: string, path: string): string {
		const segments = resolveSegments(path);
		const found = this.known.find(
			(known) => known.method === method && areLike(known.segments, segments),
		);
		return found?.endpoint ?? `${method} /${segments.join('/').toLowerCase()}`;
	}

	/** The normalized spelling of an endpoint given as `METHOD /path`. Throws if it has another form. */
	normalise(endpoint: string): string {
		const { method, path } = splitEndpoint(endpoint);
		return this.match(method, path);
	}

	private add(endpoint: string): void {
		const { method, path } = splitEndpoint(endpoint);
		// Another spelling of a known endpoint is the same endpoint, under its first spelling.
		if (this.known.some((known) => known.endpoint === this.match(method, path))) return;
		const segments = resolveSegments(path);
		this.known.push({ endpoint: `${method} /${segments.join('/')}`, method, segments });
	}
}
