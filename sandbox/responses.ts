// An HTTP response before it is sent, and the usual ways to make one.
//
// The interface document shows no response body, so every body here is the sandbox's own invention.

/** A response that is ready to be sent. A streamed body is made piece by piece while it is sent. */
export interface SandboxResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer | Iterable<Buffer>;
}

/** A response with a text body. */
export function textResponse(
	status: number,
	text: string,
	contentType = 'text/plain',
): SandboxResponse {
	return {
		status,
		headers: { 'content-type': `${contentType}; charset=utf-8` },
		body: Buffer.from(text),
	};
}

/** A response with a JSON body. */
export function jsonResponse(status: number, value: unknown): SandboxResponse {
	return {
		status,
		headers: { 'content-type': 'application/json; charset=utf-8' },
		body: Buffer.from(JSON.stringify(value)),
	};
}

/**
 * An error response. The text must never contain anything from the request: that could be the key,
 * which belongs in no response (section 5, rule 9).
 */
export function errorResponse(status: number, message: string): SandboxResponse {
	return jsonResponse(status, { message });
}

const MEGABYTE = 1024 * 1024;

/** The largest size of a huge response, in megabytes. */
export const MAXIMUM_MEGABYTES = 1024;

function* jsonStringOf(megabytes: number): Generator<Buffer> {
	const piece = Buffer.alloc(MEGABYTE / 16, 'x');
	yield Buffer.from('"');
	for (let sent = 0; sent < megabytes * 16; sent += 1) yield piece;
	yield Buffer.from('"');
}

/** A response whose body is one JSON string of so many megabytes, never held in memory as a whole. */
export function hugeResponse(megabytes: number): SandboxResponse {
	return {
		status: 200,
		headers: { 'content-type': 'application/json; charset=utf-8' },
		body: jsonStringOf(megabytes),
	};
}
