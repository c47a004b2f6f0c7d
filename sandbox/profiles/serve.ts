// Responds to a request like the service of a profile.

import type { SandboxResponse } from '../responses';
import type { EndpointContext } from '../inventions/endpoint';
import type { Profile, Reply } from './profile';

/** The profile's response; undefined if it leaves the request to the sandbox. */
export function serveProfile(
	{ list, change }: Profile,
	{ request, contacts, recordDocument }: EndpointContext,
): SandboxResponse | undefined {
	const { endpoint, query, headers, path } = request;
	if (endpoint === 'GET /masterdata/getContacts' && list !== undefined) {
		const rows = contacts.list().map(({ id, name }) => ({ id, name }));
		const last = (value: string | string[]) => [value].flat().at(-1) ?? '';
		const names = Object.entries(query).map(([name, value]) => [name, last(value)]);
		const address = `http://${headers.host ?? 'localhost'}${path}`;
		return responseOf(
			list({ rows, query: Object.fromEntries(names) as Record<string, string>, address }),
		);
	}
	if (request.method === 'GET' || request.method === 'HEAD' || change === undefined)
		return undefined;
	const response = responseOf(change);
	if (response.status < 300 && endpoint.includes('/send')) recordDocument();
	return response;
}

function responseOf({ status = 200, headers, body }: Reply): SandboxResponse {
	const isRaw = Buffer.isBuffer(body) || (typeof body === 'string' && headers !== undefined);
	return {
		status,
		headers: { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers },
		body: Buffer.isBuffer(body)
			? body
			: Buffer.from(body === undefined ? '' : isRaw ? (body as string) : JSON.stringify(body)),
	};
}
