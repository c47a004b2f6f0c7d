// Answers a request as the service of a profile would.

import type { Answer } from '../answers';
import type { EndpointContext } from '../inventions/endpoint';
import type { Profile, Reply } from './profile';

/** The profile's answer; undefined where it leaves the request to the sandbox. */
export function serveProfile(
	{ list, change }: Profile,
	{ request, contacts, recordDocument }: EndpointContext,
): Answer | undefined {
	const { endpoint, query, headers, path } = request;
	if (endpoint === 'GET /masterdata/getContacts' && list !== undefined) {
		const rows = contacts.list().map(({ id, name }) => ({ id, name }));
		const last = (value: string | string[]) => [value].flat().at(-1) ?? '';
		const names = Object.entries(query).map(([name, value]) => [name, last(value)]);
		const address = `http://${headers.host ?? 'localhost'}${path}`;
		return answerOf(
			list({ rows, query: Object.fromEntries(names) as Record<string, string>, address }),
		);
	}
	if (request.method === 'GET' || request.method === 'HEAD' || change === undefined)
		return undefined;
	const answer = answerOf(change);
	if (answer.status < 300 && endpoint.includes('/send')) recordDocument();
	return answer;
}

function answerOf({ status = 200, headers, body }: Reply): Answer {
	const isRaw = Buffer.isBuffer(body) || (typeof body === 'string' && headers !== undefined);
	return {
		status,
		headers: { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers },
		body: Buffer.isBuffer(body)
			? body
			: Buffer.from(body === undefined ? '' : isRaw ? (body as string) : JSON.stringify(body)),
	};
}
