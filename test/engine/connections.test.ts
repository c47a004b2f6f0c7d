// Ways in which a connection fails, checked against the journal of a real server: a request is "not sent" only if it never
// reached the service. Nothing leaves after the end of the run.

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
	// The engine's first request takes longer than the timeout of the others.
	const { baseUrl } = await start((socket) => void socket.end(OK));
	const credential = credentialFor({ baseUrl, apiKey: '0'.repeat(64) });
	await bench.engine.run(workflowOf(itemsOf(1), send()), { key: credential });
});
afterAll(() => authority.dispose());
beforeEach(() => {
	pinRandom(0);
	const real = tls.createSecureContext;
	// Does what NODE_EXTRA_CA_CERTS does for a whole process.
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

/** What a row sets up: the base URL, and the requests that reached the service. */
interface Place {
	baseUrl: string;
	journal: { readonly requests: string[] };
}

const nowhere = { requests: [] };
const unreachable = async (host: string): Promise<Place> =>
	await Promise.resolve({ baseUrl: `https://${host}`, journal: nowhere });
const at = (journal: RawService, baseUrl = journal.baseUrl): Place => ({ baseUrl, journal });

/** A service behind a proxy that handles its connections in the given way. */
async function behindProxy(
	handleProxy: (socket: Socket, service: { port: number }) => void,
	handle: Handle = () => undefined,
	{ isSecure = true } = {},
): Promise<Place> {
	const service = await start(handle, isSecure ? certified : undefined);
	const proxy = await start((socket) => handleProxy(socket, service));
	const address = `http://user:secret@127.0.0.1:${proxy.port}`;
	process.env[isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY'] = address;
	// The proxy agent checks the certificate for a host name, but not for an IP address.
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

/** An address where nothing listens. */
const closed = async (): Promise<Place> => {
	const service = await RawService.start(silent);
	const { baseUrl } = service;
	await service.stop();
	return { baseUrl, journal: nowhere };
};
const plain = (handle: Handle) => async () => at(await start(handle));
const secure = (handle: Handle, options?: TlsOptions) => async () =>
	at(await start(handle, { ...certified, ...options }));
/** A server without TLS behind an https URL. */
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
		// Node.js tries the next address on an internal timer, which logical time does not wait for.
		void reallyWait(200);
		process.nextTick(
			done,
			null,
			addresses.map((address) => ({ address, family: 4 })),
		);
	};
	jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
};
/** A service or host behind the name localhost, whose first address refuses. */
const secondBehindRefusal = (find: () => Promise<Place>) => async () => {
	const { baseUrl, journal } = await find();
	const [address = ''] = /127\.0\.0\.\d/.exec(baseUrl) ?? [];
	resolved('127.0.0.2', address);
	return { baseUrl: baseUrl.replace(address, 'localhost'), journal };
};
/** A service behind two addresses, of which the first drops connection attempts. */
const secondOfTwo =
	(handle: Handle, scheme = 'http', getTls?: () => TlsOptions) =>
	async () => {
		const service = await start(handle, getTls?.());
		await swallowing('127.0.0.2', service.port);
		// The default would be half of the timeout.
		setDefaultAutoSelectFamilyAttemptTimeout(20);
		resolved('127.0.0.2', '127.0.0.1');
		return at(service, `${scheme}://localhost:${service.port}`);
	};
/** A working service behind a proxy that accepts no connection. */
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
	`the proxy responds to CONNECT with ${status}`,
	proxy(responseAndClose(`HTTP/1.1 ${status} No\n${head}\n`)),
	{ message: new RegExp(`^The request was not sent: the proxy answered ${status} `) },
];

type Outcome = 'notSent' | 'unknown' | 'refused' | 'sent';
type Row = [
	name: string,
	setUp: () => Promise<Place>,
	options?: { message?: RegExp; body?: string },
];
/** Rows with the same outcome and number of attempts. */
const rowsOf = (expected: Outcome, tries: number, rows: Row[]) =>
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
	'a 100 alone': responseAndClose('HTTP/1.1 100 Continue\n\n'),
	'a 103 alone': responseAndClose('HTTP/1.1 103 Early Hints\n\n'),
	'a protocol switch': response('HTTP/1.1 101 Switching\nUpgrade: x\n\n'),
	'half a body': responseAndClose(`${NINE_BYTES}{"id"`),
	'a body without its last byte': responseAndClose(`${NINE_BYTES}{"id":12`),
	'a body without its last chunk': responseAndClose(`${CHUNKED}2\n{}\n`),
};

const ROWS = [
	// Not sent, and retried.
	...rowsOf('notSent', 4, [
		['the connection is refused', closed],
		['the TLS handshake is closed', notSecure(closeAtOnce)],
		['the TLS handshake is reset', notSecure(reset)],
		['TLS is met with plain HTTP', notSecure(response('HTTP/1.1 400 Bad\n\n'))],
		['the proxy refuses the connection', missingProxy('HTTPS_PROXY', closed)],
		['the proxy closes the connection', proxy(responseAndClose(''))],
		...[429, 502, 503, 504].map((status) => refusalOfProxy(status)),
		['the tunnel is closed', proxy(responseAndClose(established))],
		['the plain HTTP proxy refuses the connection', missingProxy('HTTP_PROXY', closed)],
		// RFC 6761 §6.4: no such name exists anywhere.
		['the host name is unknown', async () => await unreachable('service.invalid')],
	]),
	...rowsOf('notSent', 1, [
		['the attempt is dropped', swallowed, { message: /no connection could be made within 0.5 s$/ }],
		[
			'one address refuses and the other drops the attempt',
			secondBehindRefusal(async () => await swallowed('127.0.0.3')),
		],
		['one address drops the attempt and TLS to the other hangs', secondOfTwo(silent, 'https')],
		['the TLS handshake hangs', notSecure(silent)],
		[
			'the certificate is for another address',
			async () => await secure(silent, authority.serverFor('DNS:elsewhere.example'))(),
			UNVERIFIED,
		],
		['the certificate has an unknown issuer', ofNobody, UNVERIFIED],
		['the proxy drops the connection attempt', missingProxy('HTTPS_PROXY', swallowed)],
		['the proxy never responds to CONNECT', proxy(silent)],
		...[401, 403, 407].map((status) => refusalOfProxy(status, NO_LENGTH)),
		refusalOfProxy(204),
		['the tunnel hangs', proxy(response(established))],
		['the name lookup never ends', neverFound],
	]),
	...rowsOf('unknown', 1, [
		['the service resets the connection', plain(reset)],
		['the service closes the connection at once', plain(closeAtOnce)],
		['the service half-closes the connection', plain((socket) => void socket.end())],
		[
			'the service never responds',
			plain(silent),
			{ message: /no complete response came within 0.5 s$/ },
		],
		['the service never reads', plain((socket) => void socket.pause()), { body: LARGE }],
		['the service resets the connection during the body', plain(reset), { body: LARGE }],
		['one address drops the attempt and the other never responds', secondOfTwo(silent)],
		[
			'one address drops the attempt and the other closes after TLS',
			secondOfTwo(closeAtOnce, 'https', () => certified),
		],
		...Object.entries(BROKEN_RESPONSES).map(([what, handle]): Row => {
			const message = what === 'garbage' ? /the response is not valid HTTP$/ : undefined;
			return [`the response is ${what}`, plain(handle), { message }];
		}),
		['the TLS handshake asks for a client certificate', secure(silent, MUTUAL)],
		['the connection closes after the TLS handshake', secure(closeAtOnce)],
		['no response follows the TLS handshake', secure(silent)],
		['the tunnel leads to a silent service', proxy(tunnel)],
		['the plain HTTP proxy never responds', proxy(silent, silent, PLAIN)],
	]),
	...rowsOf('refused', 1, [
		['the plain HTTP proxy asks for a password', proxy(response(NO_PASSWORD), silent, PLAIN)],
	]),
	...rowsOf('sent', 1, [
		['one address refuses and the other accepts', secondBehindRefusal(plain(response(OK)))],
		['one address drops the attempt and the other accepts', secondOfTwo(response(OK))],
		['the response is HTTP/1.0', plain(responseAndClose('HTTP/1.0 200 OK\n\n{}'))],
		['a 103 precedes the response', plain(response(`HTTP/1.1 103 Hints\n\n${OK}`))],
		['the response comes over TLS', secure(response(OK))],
		['the tunnel leads to a response', proxy(tunnel, response(OK))],
	]),
];
const OF_DELETE = /^(one address|the (attempt|connection is refused|service closes|TLS|tunnel))/;

describe.each([
	['a send', send, /./],
	['a DELETE without a body', apiRequest.bind(undefined, 'DELETE', '/contacts/1'), OF_DELETE],
])('%s', (_, parameters, rows) => {
	test.each(ROWS.filter(({ name }) => rows.test(name)))(
		'ends as $expected when $name',
		async ({ setUp, expected, tries, message = /./, body = '' }) => {
			const { baseUrl, journal } = await setUp();
			bench.credential.baseUrl = baseUrl;
			const requests = jest.spyOn(Agent.prototype as never, 'addRequest');
			// Others must not run into it on a busy machine.
			const mayHang = expected === 'unknown' || (expected === 'notSent' && tries === 1);
			const options = mayHang ? { timeout: TIMEOUT } : {};
			const result = await bench.run([{ id: 1, body }], parameters(options));
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
	/** The error of a run of two items, stopped `ms` after the first request has begun and `isTime` holds. */
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

	test('sends nothing if a dropped connection attempt succeeds later', async () => {
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
		// The operating system retries the connection after 1 s.
		await reallyWait(1_500);
		expect(hosts.map(({ requests }) => requests)).toEqual([[], [], []]);
	});

	test.each<[string, () => Promise<Place>]>([
		['TLS', notSecure(silent)],
		['a proxy', proxy(silent)],
		['a tunnel', proxy(response(established))],
	])('has sent nothing if it is stopped while %s hangs', async (_, setUp) => {
		const { baseUrl, journal } = await setUp();
		bench.credential.baseUrl = baseUrl;
		expect((await stopped(send())).context).toMatchObject(notSent);
		expect(journal.requests).toEqual([]);
	});

	test('does not cut off a request under way if it is stopped', async () => {
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

describe('the second send over a kept-alive connection', () => {
	/** Keeps connections alive, unlike n8n's own agents. */
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
		['the connection stays open', (socket) => socket.write(OK), 'sent'],
		['it is closed as the request arrives', (socket) => socket.destroy(), 'unknown'],
		['it is reset as the request arrives', (socket) => socket.resetAndDestroy(), 'unknown'],
	])('has the right outcome if %s', async (_, handleSecond, expected) => {
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
