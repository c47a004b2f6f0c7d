// The sandbox's own invention: endpoints to try out how a client handles all kinds of responses. No real service has
// them.

import { jsonResponse, textResponse } from '../responses';
import type { Endpoint } from './endpoint';

const LOG_IN_PAGE = `<!doctype html>
<html><head><title>Log in</title></head><body><form method="post"><input name="user"></form></body></html>
`;

// The bytes after the first line are not valid text in any encoding, so that a client that treats the file as text
// visibly corrupts it.
const FILE_CONTENT = Buffer.concat([
	Buffer.from('%PDF-1.4\n'),
	Buffer.from([0xe2, 0xe3, 0xcf, 0xd3, 0x0a, 0x00, 0xff, 0xfe, 0x80]),
	Buffer.from('\n%%EOF\n'),
]);

const echo: Endpoint = ({ request }) => {
	const { method, path, query, headers, body } = request;
	// No response may contain the key (section 5, rule 9).
	const otherHeaders = Object.entries(headers).filter(([name]) => name !== 'x-api-key');
	return jsonResponse(200, {
		method,
		path,
		query,
		headers: Object.fromEntries(otherHeaders),
		body,
	});
};

/** Endpoints to try out responses. Like all others, they need a key and count against the limits. */
export const TRYOUT_ENDPOINTS: Record<string, Endpoint> = {
	'GET /sandbox/html': () => textResponse(200, LOG_IN_PAGE, 'text/html'),
	'GET /sandbox/empty': () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }),
	'GET /sandbox/no-content': () => ({ status: 204, headers: {}, body: Buffer.alloc(0) }),
	'GET /sandbox/file': () => ({
		status: 200,
		headers: {
			'content-type': 'application/pdf',
			'content-disposition': 'attachment; filename="sandbox.pdf"',
		},
		body: FILE_CONTENT,
	}),
	'GET /sandbox/array': () => jsonResponse(200, [{ id: 1 }, { id: 2 }, { id: 3 }]),
	'GET /sandbox/echo': echo,
	'POST /sandbox/echo': echo,
};
