// Redirects are not followed: the address that one points to receives no request, and so no key.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { apiRequest, deleteMany, read, send } from '../support/parameters';

const bench = useBench();

let elsewhere: Server;
let origin: string;
/** What the other server received. */
const received: string[] = [];

beforeAll(async () => {
	elsewhere = createServer((request, response) => {
		received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
		response.end('{}');
	});
	await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
	origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => await new Promise((resolve) => elsewhere.close(resolve)));

const redirect = (status: number, location: string) =>
	bench.sandbox.fault({
		times: Infinity,
		action: { type: 'status', status, headers: { location }, body: '' },
	});

const requests = [
	{ name: 'a read', parameters: read(), isRead: true },
	{ name: 'a send', parameters: send(), isRead: false },
	{ name: 'a deletion', parameters: deleteMany(), isRead: false },
	{
		name: 'an API request',
		parameters: apiRequest('PUT', '/masterdata/contacts/1'),
		isRead: false,
	},
];
const cases = [301, 302, 303, 307, 308].flatMap((status) =>
	requests.map((request) => ({ status, ...request })),
);

test.each(cases)('a $status to $name goes nowhere', async ({ status, parameters, isRead }) => {
	redirect(status, `${origin}/elsewhere?token=1`);
	const error = errorOf(await bench.run(itemsOf(1), parameters));
	expect(received).toEqual([]);
	const journal = bench.sandbox.journal.all();
	expect(journal.map(({ method, path }) => `${method} ${path}`)).toHaveLength(1);
	expect(error.message).toContain(`The service answered ${status} `);
	expect(error.description).toContain('Redirects are not followed');
	expect(error.description).toContain(`where the service is now (it points to ${origin})`);
	// Many services respond with what they have carried out with one of these.
	const mayHaveActed = !isRead && status <= 303;
	expect(error.description?.includes('may have been carried out')).toBe(mayHaveActed);
	expect(error).toMatchObject({
		httpCode: String(status),
		context: { outcome: mayHaveActed ? 'unknown' : 'refused' },
	});
});

test.each(['/elsewhere', 'https://', ''])(
	'a location without an address is not followed either: %j',
	async (location) => {
		redirect(302, location);
		const error = errorOf(await bench.run([{}], read()));
		expect(bench.sandbox.journal.count()).toBe(1);
		expect(error.description).toContain('to where the service is now.');
	},
);

test('a redirect of one item leaves the others alone', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 302, headers: { location: origin } } });
	const result = await bench.run(itemsOf(3), send(), { onError: 'continueErrorOutput' });
	expect(result.items(NODE, 0)).toHaveLength(2);
	expect(result.items(NODE, 1)).toHaveLength(1);
	expect(received).toEqual([]);
});
