// Errors thrown by n8n itself. Before the request: the message is kept, and nothing is sent or retried. After a response:
// the request does not count as "not sent" and is not sent again.

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
	// Looks like a failed connection to the service.
	Object.assign(new Error(WORDS), { code: 'ECONNRESET' }),
	Object.assign(new Error(WORDS), { code: 'ECONNREFUSED', syscall: 'connect' }),
];
const cases = steps.flatMap((step) =>
	errors.map((error) => ({ step, error, name: 'code' in error ? error.code : error.name })),
);

describe.each(operations)('$name', ({ parameters }) => {
	test.each(cases)('is not sent if $step throws $name', async ({ step, error }) => {
		const failing = jest.spyOn(CredentialsHelper.prototype, step).mockRejectedValue(error);
		const requests = jest.spyOn(Agent.prototype as never, 'addRequest');
		const shown = errorOf(await bench.run([{ id: 1 }], parameters));
		expect(shown.message).toContain(WORDS);
		expect(shown.context.outcome).toBe('notSent');
		expect(failing).toHaveBeenCalledTimes(1);
		expect(requests).not.toHaveBeenCalled();
	});
});

test.each(steps.slice(0, 2))('a poll fails without a retry if %s throws', async (step) => {
	const failing = jest.spyOn(CredentialsHelper.prototype, step).mockRejectedValue(new Error(WORDS));
	const { poll } = bench.engine.trigger({ events: ['contactCreated'] }, { key: bench.credential });
	await expect(poll()).rejects.toMatchObject({
		message: `The request was not sent: n8n could not make the request: ${WORDS}`,
	});
	expect(failing).toHaveBeenCalledTimes(1);
});

describe('a full disk when the response is stored', () => {
	const echo = (options = {}) => ({
		...apiRequest('POST', '/sandbox/echo', { responseFormat: 'file', ...options }),
		dataMode: 'autoMapInputData',
	});
	const FULL = 'ENOSPC: no space left on device, write';
	const acted = () => bench.sandbox.journal.all().filter((entry) => entry.acted);
	beforeEach(() => {
		jest.spyOn(Container.get(BinaryDataService), 'store').mockRejectedValue(new Error(FULL));
	});

	test.each([{}, RETRY_ON_FAIL])('leaves one request perhaps sent: %j', async (settings) => {
		const error = errorOf(await bench.run(itemsOf(3), echo(), settings));
		expect(acted().map(({ body }) => body)).toEqual([{ id: 0 }]);
		expect(error.message).toContain('The service has accepted the request, but');
		expect(error.message).toContain(FULL);
		const context = { outcome: 'unknown', perhapsSentItems: [0], notTriedItems: [1, 2] };
		expect(error.context).toMatchObject(context);
	});

	test('keeps the Send Once Key, so that a re-run does not send the document', async () => {
		const parameters = echo(ONCE);
		expect(errorOf(await bench.run(itemsOf(1), parameters)).context.outcome).toBe('unknown');
		expect((await bench.run(itemsOf(1), parameters)).run.status).toBe('success');
		expect(acted()).toHaveLength(1);
	});
});
