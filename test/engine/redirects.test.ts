// Redirects are not followed: the address that one points to receives no request, and so no key.

import type { INode } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { errorOf, itemsOf, useBench } from '../support/bench';
import { apiRequest, deleteMany, read, send } from '../support/parameters';

const bench = useBench();

let elsewhere: Sandbox;
beforeAll(async () => (elsewhere = await startSandbox()));
afterAll(async () => await elsewhere.stop());

const redirect = (status: number, location: string) =>
	bench.sandbox.fault({
		times: Infinity,
		action: { type: 'status', status, headers: { location }, body: '' },
	});

const requests: Array<[string, INode['parameters']]> = [
	['a read', read()],
	['a send', send()],
	['a deletion', deleteMany()],
	['an API request', apiRequest('PUT', '/masterdata/contacts/1')],
];
const cases = [301, 302, 303, 307, 308].flatMap((status) =>
	requests.map(([name, parameters]) => ({ status, name, parameters })),
);

test.each(cases)('a $status to $name goes nowhere', async ({ status, name, parameters }) => {
	redirect(status, `${elsewhere.baseUrl}/elsewhere?token=1`);
	const error = errorOf(await bench.run(itemsOf(1), parameters));
	expect(elsewhere.journal.all()).toEqual([]);
	expect(bench.sandbox.journal.count()).toBe(1);
	expect(error.message).toContain(`The service answered ${status} `);
	expect(error.description).toContain(
		`Redirects are not followed, so that the key goes to no other address. Set the base URL in the credential to where the service is now (it points to ${elsewhere.baseUrl}).`,
	);
	// Many services respond with what they have carried out with one of these.
	const mayHaveActed = name !== 'a read' && status <= 303;
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
