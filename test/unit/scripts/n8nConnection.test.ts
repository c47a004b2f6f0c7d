// n8n says 503 while it has lost its database: the connection to its REST interface waits for it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { N8nConnection, N8nResponseError } from '../../../scripts/host/n8nConnection';

const WITHOUT_DATABASE = { code: 503, message: 'Database is not ready!' };

/** Starts a server with these responses, one after the other, and sends one request. */
async function send(...responses: object[]): Promise<unknown> {
	const server = createServer((_, response) => {
		const body = responses.shift() ?? {};
		response.statusCode = 'code' in body ? 503 : 200;
		response.end(JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		const { port } = server.address() as AddressInfo;
		return await new N8nConnection(`http://127.0.0.1:${port}`).request('GET', '/rest/workflows');
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

test('a request waits until n8n has its database again', async () => {
	expect(await send(WITHOUT_DATABASE, WITHOUT_DATABASE, { data: 'workflows' })).toBe('workflows');
});

test('another error is none to wait for', async () => {
	const other = { code: 503, message: 'n8n is starting up' };
	await expect(send(other, { data: 'workflows' })).rejects.toThrow(N8nResponseError);
});
