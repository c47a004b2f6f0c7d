// HTTP responses before they are sent, and functions that create them.
//
// The interface document shows no response body, so every body here is the sandbox's own invention.

/** A response that is ready to be sent. An iterable body is generated piece by piece while it is sent. */
export interface SandboxResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer | Iterable<Buffer> | AsyncIterable<Buffer>;
	/** Whether the connection ends after half of the body. */
	isTruncated?: boolean;
}

/** The body of a response; a text instead of one that is generated. */
export const bytesOf = ({ body }: SandboxResponse): Buffer =>
	Buffer.isBuffer(body) ? body : Buffer.from('"xxxx"');

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
 * An error response. The text must not contain anything from the request, because that could be the key, which no
 * response may contain (section 5, rule 9).
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

/** A response whose body is a JSON string of this size, which is never in memory as a whole. */
export function hugeResponse(megabytes: number): SandboxResponse {
	return {
		status: 200,
		headers: { 'content-type': 'application/json; charset=utf-8' },
		body: jsonStringOf(megabytes),
	};
}
