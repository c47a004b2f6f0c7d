// An error of n8n's own, before it makes the request: its words are kept, nothing went out and nothing is retried.

import { Agent } from 'node:http';

import { ExpressionError } from 'n8n-workflow';

import { errorOf, useBench } from '../support/bench';
import { CredentialsHelper } from '../support/credentialsHelper';
import { apiRequest, deleteMany, read, send } from '../support/parameters';

const bench = useBench();
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
