// Errors of n8n's own. Before the request: its words are kept, nothing went out and nothing is retried. Behind a
// response: nobody may take the request for "not sent", or send it again.

import { Agent } from 'node:http';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { ExpressionError } from 'n8n-workflow';

import { errorOf, itemsOf, NO_LIMITS, useBench } from '../support/bench';
import { CredentialsHelper } from '../support/credentialsHelper';
import { useDeduplicator } from '../support/deduplicator';
import { apiRequest, deleteMany, ONCE, read, RETRY_ON_FAIL, send } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();
const WORDS = 'the vault is sealed';

const operations = [
	{ name: 'a read', parameters: read() },
	{ name: 'a send', parameters: send() },
	{ name: 'a deletion', parameters: deleteMany() },
	{ name: 'a GET', parameters: apiRequest('GET', '/contacts') },
	{ name: 'a DELETE without a body', parameters: apiRequest('DELETE', '/contacts/1') },
];
const steps = ['preAuthentication', 'authenticate', 'getDecrypted'] as const;
const errors = [
	new Error(WORDS),
	new ExpressionError(WORDS),
	// As if it were of the connection to the service.
	Object.assign(new Error(WORDS), { code: 'ECONNRESET' }),
	Object.assign(new Error(WORDS), { code: 'ECONNREFUSED', syscall: 'connect' }),
];
const cases = steps.flatMap((step) =>
	errors.map((error) => ({ step, error, name: `${error.name} ${JSON.stringify(error)}` })),
);

describe.each(operations)('$name', ({ parameters }) => {
	test.each(cases)('$step: $name', async ({ step, error }) => {
		const failing = jest.spyOn(CredentialsHelper.prototype, step).mockRejectedValue(error);
		const requests = jest.spyOn(Agent.prototype as never, 'addRequest');
		const shown = errorOf(await bench.run([{ id: 1 }], parameters));
		expect(shown.message).toContain(WORDS);
		expect(shown.context.outcome).toBe('notSent');
		expect(failing).toHaveBeenCalledTimes(1);
		expect(requests).not.toHaveBeenCalled();
	});
});

test.each(steps.slice(0, 2))('a poll of the trigger: %s', async (step) => {
	const failing = jest.spyOn(CredentialsHelper.prototype, step).mockRejectedValue(new Error(WORDS));
	const { poll } = bench.engine.trigger({ events: ['contactCreated'] }, { key: bench.credential });
	await expect(poll()).rejects.toMatchObject({
		message: `The request was not sent: n8n could not make the request: ${WORDS}`,
	});
	expect(failing).toHaveBeenCalledTimes(1);
});

describe('a full disk behind the response', () => {
	const echo = (options = {}) => ({
		...apiRequest('POST', '/sandbox/echo', { responseFormat: 'file', ...options }),
		dataMode: 'autoMapInputData',
	});
	const FULL = 'ENOSPC: no space left on device, write';
	const acted = () => bench.sandbox.journal.all().filter((entry) => entry.acted);
	beforeEach(() => {
		jest.spyOn(Container.get(BinaryDataService), 'store').mockRejectedValue(new Error(FULL));
	});

	test.each([{}, RETRY_ON_FAIL])('with %j: the request is perhaps sent, once', async (settings) => {
		const error = errorOf(await bench.run(itemsOf(3), echo(), settings));
		expect(acted().map(({ body }) => body)).toEqual([{ id: 0 }]);
		expect(error.message).toContain('The service has accepted the request, but');
		expect(error.message).toContain(FULL);
		const context = { outcome: 'unknown', perhapsSentItems: [0], notTriedItems: [1, 2] };
		expect(error.context).toMatchObject(context);
	});

	test('with a Send Once Key, the document is not sent by a re-run', async () => {
		const parameters = echo(ONCE);
		expect(errorOf(await bench.run(itemsOf(1), parameters)).context.outcome).toBe('unknown');
		expect((await bench.run(itemsOf(1), parameters)).run.status).toBe('success');
		expect(acted()).toHaveLength(1);
	});
});
