// Every way in which a connection fails. Beside each, the journal of a real server: what never reached the
// service is not sent, and only that. Nothing leaves after the end of the run.

import dns from 'node:dns';
import { Agent, type ClientRequest } from 'node:http';
import { connect, setDefaultAutoSelectFamilyAttemptTimeout, type Socket } from 'node:net';
import tls, { type TlsOptions } from 'node:tls';

import type { INode } from 'n8n-workflow';

import { errorOf, itemsOf, NODE, pinRandom, type ShownError, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { readRun } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { reallyWait } from '../support/logicalTime';
import { apiRequest, send } from '../support/parameters';
import { PrivateAuthority } from '../support/privateAuthority';
import { type Handle, RawService } from '../support/rawService';
import { credentialFor } from '../support/scaledLimits';
import { SwallowingHost } from '../support/swallowingHost';
import { waitUntil } from '../support/waitUntil';

const bench = useBench();
useDeduplicator();

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
/** Seconds. */
const TIMEOUT = 0.5;
/** Larger than what the buffers of two sockets hold. */
const LARGE = 'x'.repeat(16 * 1024 * 1024);

let authority: PrivateAuthority;
let certified: TlsOptions;
const running: Array<{ stop(): Promise<void> }> = [];

beforeAll(async () => {
	authority = new PrivateAuthority();
	certified = authority.serverFor('IP:127.0.0.1,DNS:localhost');
	// The engine's first request takes longer than the others may.
	const { baseUrl } = await start((socket) => void socket.end(OK));
	const credential = credentialFor({ baseUrl, apiKey: '0'.repeat(64) });
	await bench.engine.run(workflowOf(itemsOf(1), send()), { key: credential });
});
afterAll(() => authority.dispose());
beforeEach(() => {
	pinRandom(0);
	const real = tls.createSecureContext;
	// As NODE_EXTRA_CA_CERTS does for a whole process.
	jest
		.spyOn(tls, 'createSecureContext')
		.mockImplementation((options) => real({ ...options, ca: authority.certificate }));
});
afterEach(async () => {
	setDefaultAutoSelectFamilyAttemptTimeout(250);
	delete process.env.HTTP_PROXY;
	delete process.env.HTTPS_PROXY;
	await Promise.all(running.splice(0).map(async (one) => await one.stop()));
});

async function start(handle: Handle, options?: TlsOptions): Promise<RawService> {
	const service = await RawService.start(handle, options);
	running.push(service);
	return service;
}

async function swallowing(address?: string, port?: number): Promise<SwallowingHost> {
	const host = await SwallowingHost.start(address, port);
	running.push(host);
	return host;
}

/** What a row sets up: where the base URL leads, and what has reached the service there. */
interface Place {
	baseUrl: string;
	journal: { readonly requests: string[] };
}

const nowhere = { requests: [] };
const unreachable = async (host: string): Promise<Place> =>
	await Promise.resolve({ baseUrl: `https://${host}`, journal: nowhere });
const at = (journal: RawService, baseUrl = journal.baseUrl): Place => ({ baseUrl, journal });

/** A service in front of which there is a proxy, given by how it handles its connections. */
async function behindProxy(
	handleProxy: (socket: Socket, service: { port: number }) => void,
	handle: Handle = () => undefined,
	{ isSecure = true } = {},
): Promise<Place> {
	const service = await start(handle, isSecure ? certified : undefined);
	const proxy = await start((socket) => handleProxy(socket, service));
	const address = `http://user:secret@127.0.0.1:${proxy.port}`;
	process.env[isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY'] = address;
	// By the name: of an address, the agent for proxies does not check the certificate.
	return at(service, service.baseUrl.replace('127.0.0.1', 'localhost'));
}

const response = (text: string) => (socket: Socket) =>
	void socket.once('data', () => socket.write(text.replace(/\r?\n/g, '\r\n')));
const responseAndClose = (text: string) => (socket: Socket) =>
	void socket.once('data', () => socket.end(text.replace(/\n/g, '\r\n')));
const established = 'HTTP/1.1 200 Connection established\n\n';
const tunnel = (socket: Socket, { port }: { port: number }) => {
	socket.once('data', () => {
		const inside = connect(port, '127.0.0.1').on('error', () => undefined);
		socket.write(established.replace(/\n/g, '\r\n'));
		socket.pipe(inside).pipe(socket);
	});
};
const silent = () => undefined;
const reset = (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy());
const closeAtOnce = (socket: Socket) => void socket.destroy();

/** An address of which nobody listens. */
const closed = async (): Promise<Place> => {
	const service = await RawService.start(silent);
	const { baseUrl } = service;
	await service.stop();
	return { baseUrl, journal: nowhere };
};
const plain = (handle: Handle) => async () => at(await start(handle));
const secure = (handle: Handle, options?: TlsOptions) => async () =>
	at(await start(handle, { ...certified, ...options }));
/** A server without TLS where TLS is due. */
const notSecure = (handle: Handle) => async () => {
	const service = await start(handle);
	return at(service, service.baseUrl.replace('http:', 'https:'));
};
const ofNobody = async () => {
	jest.spyOn(tls, 'createSecureContext').mockRestore();
	return at(await start(silent, certified));
};
const swallowed = async (address?: string): Promise<Place> => {
	const host = await swallowing(address);
	return { baseUrl: `http://${address ?? '127.0.0.1'}:${host.port}`, journal: host };
};
const neverFound = async () => {
	jest.spyOn(dns, 'lookup').mockImplementation(() => undefined);
	return await unreachable('service.example');
};
const resolved = (...addresses: string[]) => {
	type Done = (error: Error | null, addresses: dns.LookupAddress[]) => void;
	const lookup = (_: string, __: unknown, done: Done) => {
		// Node.js tries the next address by a timer of its own, which logical time does not wait for.
		void reallyWait(200);
		process.nextTick(
			done,
			null,
			addresses.map((address) => ({ address, family: 4 })),
		);
	};
	jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
};
/** A service or a host behind the name localhost, which has another address that refuses. */
const secondBehindRefusal = (find: () => Promise<Place>) => async () => {
	const { baseUrl, journal } = await find();
	const [address = ''] = /127\.0\.0\.\d/.exec(baseUrl) ?? [];
	resolved('127.0.0.2', address);
	return { baseUrl: baseUrl.replace(address, 'localhost'), journal };
};
/** A service behind two addresses, of which the first swallows. */
const secondOfTwo =
	(handle: Handle, scheme = 'http', getTls?: () => TlsOptions) =>
	async () => {
		const service = await start(handle, getTls?.());
		await swallowing('127.0.0.2', service.port);
		// By default, half of the timeout.
		setDefaultAutoSelectFamilyAttemptTimeout(20);
		resolved('127.0.0.2', '127.0.0.1');
		return at(service, `${scheme}://localhost:${service.port}`);
	};
/** A proxy that is there in the environment only. */
const missingProxy = (variable: 'HTTP_PROXY' | 'HTTPS_PROXY', find: () => Promise<Place>) => {
	return async () => {
		process.env[variable] = (await find()).baseUrl;
		return at(await start(silent, variable === 'HTTPS_PROXY' ? certified : undefined));
	};
};
const proxy =
	(...how: Parameters<typeof behindProxy>) =>
	async () =>
		await behindProxy(...how);
const refusalOfProxy = (status: number, head = ''): Row => [
	`a proxy that responds CONNECT by ${status}`,
	proxy(responseAndClose(`HTTP/1.1 ${status} No\n${head}\n`)),
	{ message: new RegExp(`^The request was not sent: the proxy answered ${status} `) },
];

type Outcome = 'notSent' | 'unknown' | 'refused' | 'sent';
type Row = [
	name: string,
	setUp: () => Promise<Place>,
	options?: { message?: RegExp; body?: string },
];
/** What ends alike, after so many tries. */
const rowsOf = (expected: Outcome, tries: number, ...rows: Row[]) =>
	rows.map(([name, setUp, options]) => ({ name, setUp, expected, tries, ...options }));

const NO_LENGTH = 'Content-Length: 0\n';
const NO_PASSWORD = `HTTP/1.1 407 No\n${NO_LENGTH}\n`;
const PLAIN = { isSecure: false };
const MUTUAL = { requestCert: true, rejectUnauthorized: true };
const UNVERIFIED = { message: /certificate could not be verified$/ };
const NINE_BYTES = 'HTTP/1.1 200 OK\nContent-Length: 9\n\n';
const CHUNKED = 'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n';
const BROKEN_RESPONSES: Record<string, Handle> = {
	garbage: response('nonsense\n\n'),
	nothing: responseAndClose(''),
	'half a header': responseAndClose('HTTP/1.1 200 OK\nContent-'),
	'a 100': responseAndClose('HTTP/1.1 100 Continue\n\n'),
	'a 103': responseAndClose('HTTP/1.1 103 Early Hints\n\n'),
	'a switch of protocols': response('HTTP/1.1 101 Switching\nUpgrade: x\n\n'),
	'half a body': responseAndClose(`${NINE_BYTES}{"id"`),
	'all but a byte': responseAndClose(`${NINE_BYTES}{"id":12`),
	'all but the last chunk': responseAndClose(`${CHUNKED}2\n{}\n`),
};

const ROWS = [
	// It was not sent, and waiting may help.
	...rowsOf(
		...(['notSent', 4] as const),
		['refused', closed],
		['TLS that is closed', notSecure(closeAtOnce)],
		['TLS that is reset', notSecure(reset)],
		['TLS answered by HTTP', notSecure(response('HTTP/1.1 400 Bad\n\n'))],
		['a proxy that is gone', missingProxy('HTTPS_PROXY', closed)],
		['a proxy that closes', proxy(responseAndClose(''))],
		...[429, 502, 503, 504].map((status) => refusalOfProxy(status)),
		['a tunnel that closes', proxy(responseAndClose(established))],
		['a plain proxy that is gone', missingProxy('HTTP_PROXY', closed)],
		// RFC 6761 §6.4: no such name exists anywhere.
		['a name that is not known', async () => await unreachable('service.invalid')],
	),
	...rowsOf(
		...(['notSent', 1] as const),
		['swallowed', swallowed, { message: /no connection could be made within 0.5 s$/ }],
		[
			'refused by one address, swallowed by the other',
			secondBehindRefusal(async () => await swallowed('127.0.0.3')),
		],
		['swallowed by one address, no response to TLS by another', secondOfTwo(silent, 'https')],
		['TLS that is without a response', notSecure(silent)],
		[
			'TLS by a certificate for another address',
			async () => await secure(silent, authority.serverFor('DNS:elsewhere.example'))(),
			UNVERIFIED,
		],
		['TLS by a certificate of nobody', ofNobody, UNVERIFIED],
		['a proxy that swallows', missingProxy('HTTPS_PROXY', swallowed)],
		['a proxy that never responds CONNECT', proxy(silent)],
		...[401, 403, 407].map((status) => refusalOfProxy(status, NO_LENGTH)),
		refusalOfProxy(204),
		['a tunnel that hangs', proxy(response(established))],
		['a name that is never found', neverFound],
	),
	...rowsOf(
		...(['unknown', 1] as const),
		['reset', plain(reset)],
		['closed at once', plain(closeAtOnce)],
		['half closed', plain((socket) => void socket.end())],
		['without a response', plain(silent), { message: /no complete response came within 0.5 s$/ }],
		['never read', plain((socket) => void socket.pause()), { body: LARGE }],
		['reset in the middle of the body', plain(reset), { body: LARGE }],
		['swallowed by one address, without a response by another', secondOfTwo(silent)],
		[
			'swallowed by one address, TLS, then closed by another',
			secondOfTwo(closeAtOnce, 'https', () => certified),
		],
		...Object.entries(BROKEN_RESPONSES).map(([what, handle]): Row => {
			const message = what === 'garbage' ? /the response is not valid HTTP$/ : undefined;
			return [`answered by ${what}`, plain(handle), { message }];
		}),
		['TLS that asks for a client certificate', secure(silent, MUTUAL)],
		['TLS, then closed', secure(closeAtOnce)],
		['TLS, then without a response', secure(silent)],
		['a tunnel to silence', proxy(tunnel)],
		['a plain proxy that never responds', proxy(silent, silent, PLAIN)],
	),
	...rowsOf(...(['refused', 1] as const), [
		'a plain proxy that wants a password',
		proxy(response(NO_PASSWORD), silent, PLAIN),
	]),
	...rowsOf(
		...(['sent', 1] as const),
		['refused by one address, accepted by another', secondBehindRefusal(plain(response(OK)))],
		['swallowed by one address, accepted by another', secondOfTwo(response(OK))],
		['answered in HTTP/1.0', plain(responseAndClose('HTTP/1.0 200 OK\n\n{}'))],
		['answered after a 103', plain(response(`HTTP/1.1 103 Hints\n\n${OK}`))],
		['TLS, then answered', secure(response(OK))],
		['a tunnel to a response', proxy(tunnel, response(OK))],
	),
];
const OF_DELETE = /^(refused|swallowed|closed at once|TLS that|a tunnel)/;

describe.each([
	['a send', send({ timeout: TIMEOUT }), /./],
	['a DELETE without a body', apiRequest('DELETE', '/contacts/1', { timeout: TIMEOUT }), OF_DELETE],
])('%s', (_, parameters, rows) => {
	test.each(ROWS.filter(({ name }) => rows.test(name)))(
		'$name',
		async ({ setUp, expected, tries, message = /./, body = '' }) => {
			const { baseUrl, journal } = await setUp();
			bench.credential.baseUrl = baseUrl;
			const requests = jest.spyOn(Agent.prototype as never, 'addRequest');
			const result = await bench.run([{ id: 1, body }], parameters);
			expect(requests).toHaveBeenCalledTimes(tries);
			if (expected === 'sent') {
				expect(result.run.status).toBe('success');
				expect(journal.requests).toHaveLength(1);
				return;
			}
			const error = errorOf(result);
			expect(error.context.outcome).toBe(expected);
			expect(error.message).toMatch(message);
			if (expected === 'notSent') expect(journal.requests).toEqual([]);
		},
	);
});

describe('a run that ends', () => {
	/** The error of a run of two items that is stopped `ms` after the first has begun, or as soon as `isTime`. */
	async function stopped(
		parameters: INode['parameters'],
		{ ms = 100, isTime = (): boolean => true } = {},
	): Promise<ShownError> {
		const requests = jest.spyOn(Agent.prototype as never, 'addRequest');
		const execution = bench.start(itemsOf(2), parameters);
		await waitUntil(() => requests.mock.calls.length === 1 && isTime());
		requests.mockRestore();
		await new Promise((resolve) => setTimeout(resolve, ms));
		execution.cancel();
		const result = readRun(await execution);
		expect(result.run.status).toBe('canceled');
		return result.task(NODE).error as unknown as ShownError;
	}
	const notSent = { perhapsSentItems: [], failedItems: [0], notTriedItems: [1] };

	test('with a swallowed connection sends nothing later', async () => {
		const hosts: SwallowingHost[] = [];
		for (const run of [
			async () => (await stopped(send({ timeout: 60 }))).context,
			async () => (await stopped(send({ timeout: TIMEOUT }))).context,
			async () => errorOf(await bench.run(itemsOf(2), send({ timeout: TIMEOUT }))).context,
		]) {
			const host = await swallowing();
			bench.credential.baseUrl = `http://127.0.0.1:${host.port}`;
			expect(await run()).toMatchObject(notSent);
			host.wakeUp();
			hosts.push(host);
		}
		// The system asks again for a connection after 1 s.
		await reallyWait(1_500);
		expect(hosts.map(({ requests }) => requests)).toEqual([[], [], []]);
	});

	test.each<[string, () => Promise<Place>]>([
		['TLS', notSecure(silent)],
		['a proxy', proxy(silent)],
		['a tunnel', proxy(response(established))],
	])('while %s keeps it waiting, because it is stopped, has sent nothing', async (_, setUp) => {
		const { baseUrl, journal } = await setUp();
		bench.credential.baseUrl = baseUrl;
		expect((await stopped(send())).context).toMatchObject(notSent);
		expect(journal.requests).toEqual([]);
	});

	test('because it is stopped sees through to its end what has left', async () => {
		let isCutOff: boolean | undefined;
		const service = await start((socket) => {
			setTimeout(() => {
				isCutOff = socket.readableEnded;
				socket.end(OK);
			}, 300);
		});
		bench.credential.baseUrl = service.baseUrl;
		const isTime = () => service.requests.length === 1;
		const error = await stopped(send(), { ms: 0, isTime });
		expect(error.context).toMatchObject({ perhapsSentItems: [0], notTriedItems: [1] });
		await waitUntil(() => isCutOff !== undefined);
		expect(isCutOff).toBe(false);
	});
});

describe('a connection that is kept open', () => {
	/** Keeps connections, as n8n's own agents do not. */
	function keepConnections(): Agent {
		type Add = (request: ClientRequest, options: object) => void;
		const prototype = Agent.prototype as unknown as { addRequest: Add };
		const add = prototype.addRequest;
		const keeping = new Agent({ keepAlive: true });
		jest.spyOn(prototype, 'addRequest').mockImplementation((request, options) => {
			request.shouldKeepAlive = true;
			add.call(keeping, request, options);
		});
		return keeping;
	}

	test.each<[string, (socket: Socket) => void, Outcome]>([
		['stays open', (socket) => socket.write(OK), 'sent'],
		['is closed as the request arrives', (socket) => socket.destroy(), 'unknown'],
		['is reset as the request arrives', (socket) => socket.resetAndDestroy(), 'unknown'],
	])('and %s', async (_, handleSecond, expected) => {
		const agent = keepConnections();
		const service = await start((socket) => {
			socket.once('data', () => {
				socket.write(OK);
				socket.once('data', () => handleSecond(socket));
			});
		});
		bench.credential.baseUrl = service.baseUrl;
		const result = await bench.run(itemsOf(2), send());
		agent.destroy();
		expect(service.connections).toHaveLength(1);
		expect(service.requests).toHaveLength(2);
		expect(result.run.status === 'success' ? 'sent' : errorOf(result).context.outcome).toBe(
			expected,
		);
	});
});
