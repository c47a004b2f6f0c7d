// Failed requests: a send or a deletion that may have taken effect is not retried, and the error says so. Reads, and
// requests that reached no service, are retried three times. Redirects are not followed.

import { Socket } from 'node:net';

import type { INode } from 'n8n-workflow';

import { type FaultAction, type Sandbox, startSandbox } from '../../sandbox/server';
import { freePort } from '../../scripts/host/freePort';
import { errorOf, itemsOf, NODE, pinRandom, useBench } from '../support/bench';
import {
	apiRequest,
	DELETE_ENDPOINT,
	deleteMany,
	read,
	READ_ENDPOINT,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';
import { RawService } from '../support/rawService';
import { waitUntil } from '../support/waitUntil';

const bench = useBench();

const MAY_HAVE_TAKEN_EFFECT = /^The request may have taken effect: it went out, but /;
const NOT_REPEATED =
	'It was not retried, because it may have been carried out: a document may have been sent, or records deleted. Check in the service before you run it again.';

interface Case {
	name: string;
	action: FaultAction;
	/** Whether the request takes effect all the same. */
	acts: boolean;
	message: RegExp;
	httpCode: string | null;
}

/** A proxy's error about its own connection, which must not become advice to retry. */
const PROXY_ERROR = 'upstream connect error: ECONNRESET';
const CUT_OFF = /the connection was cut off$/;
const TOO_LATE = /no complete response came within 0\.5 s$/;
/** A short timeout for faults without a response. Others must not run into it on a busy machine. */
const optionsFor = (message: RegExp) => (message === TOO_LATE ? { timeout: 0.5 } : {});
const withoutResponse = (
	[
		['a hang-up before the service acts', { type: 'hangUpBeforeActing' }, false, CUT_OFF],
		['a hang-up after the service acts', { type: 'hangUpAfterActing' }, true, CUT_OFF],
		['a truncated response', { type: 'truncate' }, true, CUT_OFF],
		['a timeout after the service acts', { type: 'neverRespond', act: true }, true, TOO_LATE],
		['a timeout before the service acts', { type: 'neverRespond', act: false }, false, TOO_LATE],
		['a response that trickles in', { type: 'trickle', bytes: 1, everyMs: 200 }, true, TOO_LATE],
	] as const
).map(([name, action, acts, message]): Case => ({ name, action, acts, message, httpCode: null }));
const withStatus: Case[] = [500, 502, 503, 504, 408, 499].map((status) => ({
	name: `a ${status}`,
	action: { type: 'status', status, act: true, body: PROXY_ERROR },
	acts: true,
	message: new RegExp(`^The service answered ${status}.*: ${PROXY_ERROR}$`),
	httpCode: String(status),
}));
const cases = [...withoutResponse, ...withStatus];

describe.each([
	{ name: 'a send', parameters: send, endpoint: SEND_ENDPOINT, sendsDocument: true },
	{ name: 'a deletion', parameters: deleteMany, endpoint: DELETE_ENDPOINT, sendsDocument: false },
])('$name', ({ parameters, endpoint, sendsDocument }) => {
	test.each(cases)('is not retried after $name', async ({ action, acts, message, httpCode }) => {
		bench.sandbox.fault({ action });
		const error = errorOf(await bench.run(itemsOf(1), parameters(optionsFor(message))));
		const { journal } = bench.sandbox;
		expect(journal.count()).toBe(1);
		expect(journal.all()).toMatchObject([{ endpoint, acted: acts }]);
		expect(journal.documents()).toHaveLength(sendsDocument && acts ? 1 : 0);
		expect(error.message).toMatch(message);
		if (httpCode === null) expect(error.message).toMatch(MAY_HAVE_TAKEN_EFFECT);
		expect(error.description).toContain(NOT_REPEATED);
		expect(error.context.outcome).toBe('unknown');
		expect(error.httpCode).toBe(httpCode);
	});
});

// For a read, it does not matter whether the service acted.
test.each(cases.filter(({ acts }) => acts))(
	'a read is retried exactly three times after $name',
	async ({ action, message, httpCode }) => {
		const { journal } = bench.sandbox;
		bench.sandbox.fault({ times: 3, action });
		const result = await bench.run(itemsOf(1), read(optionsFor(message)));
		expect(result.run.status).toBe('success');
		expect(result.items(NODE)).toHaveLength(25);
		expect(journal.count(READ_ENDPOINT)).toBe(4);
		bench.sandbox.fault({ times: Infinity, action });
		const error = errorOf(await bench.run(itemsOf(1), read(optionsFor(message))));
		expect(journal.count()).toBe(4 + 4);
		expect(error.message).toMatch(message);
		expect(error.description).toContain('everal attempts failed. Retry later');
		expect(error.description).not.toContain('may have been carried out');
		expect(error.context.outcome).toBe('unknown');
		expect(error.httpCode).toBe(httpCode);
	},
);

test('a send is retried until the service is up, and goes out once', async () => {
	let latecomer: Sandbox | undefined;
	try {
		const port = await freePort();
		bench.credential.baseUrl = `http://127.0.0.1:${port}`;
		pinRandom(0.5);
		const connect = jest.spyOn(Socket.prototype, 'connect');
		const running = bench.run(itemsOf(1), send());
		await waitUntil(() => connect.mock.calls.length > 0);
		latecomer = await startSandbox({ port });
		expect((await running).run.status).toBe('success');
		expect(connect.mock.calls.length).toBeGreaterThan(1);
		expect(latecomer.journal.count()).toBe(1);
		expect(latecomer.journal.documents()).toHaveLength(1);
	} finally {
		await latecomer?.stop();
	}
});

describe('a redirect', () => {
	let elsewhere: Sandbox;
	beforeAll(async () => (elsewhere = await startSandbox()));
	afterAll(async () => await elsewhere.stop());

	const requests: Array<[string, INode['parameters']]> = [
		['a read', read()],
		['a send', send()],
		['a deletion', deleteMany()],
		['an API request', apiRequest('PUT', '/masterdata/contacts/1')],
	];
	const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
		requests.map(([name, parameters]) => ({ status, name, parameters })),
	);

	test.each(redirects)('$status to $name is not followed', async ({ status, name, parameters }) => {
		const location = `${elsewhere.baseUrl}/elsewhere?token=1`;
		bench.respond(status, { times: Infinity, headers: { location }, body: '' });
		const error = errorOf(await bench.run(itemsOf(1), parameters));
		expect(elsewhere.journal.all()).toEqual([]);
		expect(bench.sandbox.journal.count()).toBe(1);
		expect(error.message).toContain(`The service answered ${status} `);
		expect(error.description).toContain(
			`Redirects are not followed, so that the key goes to no other address. Set the base URL in the credential to where the service is now (it points to ${elsewhere.baseUrl}). If that is its address already, check the path, also for a slash at its end.`,
		);
		// Many services respond with one of these after they have acted.
		const mayHaveActed = name !== 'a read' && status <= 303;
		expect(error.description?.includes('may have been carried out')).toBe(mayHaveActed);
		expect(error).toMatchObject({
			httpCode: String(status),
			context: { outcome: mayHaveActed ? 'unknown' : 'refused' },
		});
	});

	test('to a relative location is not followed', async () => {
		bench.respond(302, { times: Infinity, headers: { location: '/elsewhere' } });
		const { description } = errorOf(await bench.run([{}], read()));
		expect(bench.sandbox.journal.count()).toBe(1);
		expect(description).toContain('Check the base URL in the credential and the path');
	});
});

test('an error status decides the outcome even if its body never ends, and its connection is closed', async () => {
	const isClosed = jest.fn();
	const service = await RawService.start((socket) => {
		socket.once('data', () => socket.write('HTTP/1.1 400 No\r\nContent-Length: 9\r\n\r\n{"'));
		socket.once('end', isClosed);
	});
	bench.credential.baseUrl = service.baseUrl;
	const result = await bench.run(itemsOf(1), send());
	expect(Math.round(result.ms / 1000)).toBe(5);
	await waitUntil(() => isClosed.mock.calls.length === 1, 10_000);
	await service.stop();
	expect(errorOf(result)).toMatchObject({ httpCode: '400', context: { outcome: 'refused' } });
});
