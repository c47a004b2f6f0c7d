// Matches a request to its endpoint, however its path is spelled.
//
// Servers are lenient about spelling. If the sandbox were not, a client could evade the limit of an endpoint with
// another spelling of its path, and no test would notice.
// find-my-way keeps dot segments and encoded slashes.

import { posix } from 'node:path';

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

/** The decoded path, without empty segments and with `.` and `..` resolved. */
function resolvePath(path: string): string {
	const withoutOrigin = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
	return posix.normalize(`/${percentDecode(withoutOrigin)}`).replace(/(.)\/$/, '$1');
}

/** Splits `METHOD /path`. Throws if the text has another form. */
function splitEndpoint(endpoint: string): { method: string; path: string } {
	const [, method, path] = /^([A-Za-z]+) (\/.*)$/.exec(endpoint) ?? [];
	if (method === undefined || path === undefined) {
		throw new Error(`An endpoint is written as "METHOD /path", not "${endpoint}"`);
	}
	return { method: method.toUpperCase(), path };
}

/** The known endpoints (section 4), and the matching of requests to them. */
export class EndpointDirectory {
	/** By their spelling in lower case. */
	private readonly known = new Map<string, string>();

	constructor(endpoints: Iterable<string>) {
		for (const endpoint of endpoints) {
			const { method, path } = splitEndpoint(endpoint);
			const name = `${method} ${resolvePath(path)}`;
			// Another spelling of a known endpoint is the same endpoint, under its first spelling.
			this.known.set(name.toLowerCase(), this.known.get(name.toLowerCase()) ?? name);
		}
	}

	/**
	 * The endpoint of a method and a path as received, without its query: `METHOD /path` of the known endpoint, or of an
	 * unknown one with the resolved path in lower case.
	 */
	match(method: string, path: string): string {
		const resolved = resolvePath(path).toLowerCase();
		return this.known.get(`${method.toLowerCase()} ${resolved}`) ?? `${method} ${resolved}`;
	}

	/** The normalized spelling of an endpoint given as `METHOD /path`. Throws if it has another form. */
	normalize(endpoint: string): string {
		const { method, path } = splitEndpoint(endpoint);
		return this.match(method, path);
	}
}
