// Starting, stopping, latency, connections, and the command line.

import { Agent } from 'node:http';
import { connect } from 'node:net';
import { readCommandLine } from '../../../sandbox/commandLine';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/server';
import { send, sendTimes } from './rawClient';
import { waitUntil } from '../../support/waitUntil';

const CONTACTS = 'GET /masterdata/getContacts';

const running: Sandbox[] = [];
async function start(options?: SandboxOptions): Promise<Sandbox> {
	const sandbox = await startSandbox(options);
	running.push(sandbox);
	return sandbox;
}
afterEach(() => Promise.all(running.splice(0).map((sandbox) => sandbox.stop())));

const untilCounted = (sandbox: Sandbox, count: number): Promise<void> =>
	waitUntil(() => sandbox.journal.count() === count);

describe('starting', () => {
	it('listens on the loopback address, on the port it was given or on a free one', async () => {
		const one = await start();
		expect(one.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
		const port = Number(new URL(one.baseUrl).port);
		await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
		await one.stop();
		expect((await start({ port })).baseUrl).toBe(one.baseUrl);
	});

	it.each<[SandboxOptions, string]>([
		[{ port: 70_000 }, 'port'],
		[{ windowMode: 'rolling' as 'sliding' }, 'windowMode'],
		[{ timeScale: 0 }, 'timeScale'],
		[{ contactCount: -1 }, 'contactCount'],
		[{ latency: { minMs: 5, maxMs: 1 } }, 'latency'],
		[{ retryAfter: 'hours' as 'date' }, 'retryAfter'],
		[{ apiKeys: {} }, 'apiKeys'],
		[{ limits: { general: [{ max: 0, windowSeconds: 1 }], endpoints: {} } }, 'general limit: max'],
		[
			{ limits: { general: [], endpoints: { sendTxn: { max: 1, windowSeconds: 1 } } } },
			'METHOD /path',
		],
	])('is refused with %j', async (options, message) => {
		await expect(startSandbox(options)).rejects.toThrow(message);
	});

	it('runs several sandboxes that know nothing of each other', async () => {
		const [one, other] = await Promise.all([start({ contactCount: 3 }), start()]);
		await sendTimes(11, one, CONTACTS);
		expect(one.contacts.list()).toHaveLength(3);
		expect(other.journal.count()).toBe(0);
		expect((await send(other, CONTACTS)).status).toBe(200);
	});
});

describe('stopping', () => {
	it('ends requests that would never be answered', async () => {
		const sandbox = await start({ latency: { minMs: 0, maxMs: 0 } });
		sandbox.fault({ action: { type: 'neverAnswer', act: true } });
		sandbox.fault({ action: { type: 'delay', ms: 3_600_000, actFirst: true } });
		sandbox.fault({ action: { type: 'trickle', bytes: 1, everyMs: 60_000 } });
		const answers = Array.from({ length: 3 }, () => send(sandbox, CONTACTS));
		const settled = Promise.allSettled(answers);
		await untilCounted(sandbox, 3);
		await sandbox.stop();
		const outcomes = (await settled).map(({ status }) => status);
		expect(outcomes).toEqual(['rejected', 'rejected', 'rejected']);
		await expect(send(sandbox, CONTACTS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	});

	it('ends requests in the middle of their latency, and connections that say nothing', async () => {
		const sandbox = await start({ latency: { minMs: 3_600_000, maxMs: 3_600_000 } });
		const { hostname, port } = new URL(sandbox.baseUrl);
		const silent = connect(Number(port), hostname);
		const closed = new Promise((resolve) => silent.once('close', resolve));
		await new Promise((resolve) => silent.once('connect', resolve));
		const answer = expect(send(sandbox, CONTACTS)).rejects.toThrow();
		await new Promise((resolve) => setTimeout(resolve, 20));
		await sandbox.stop();
		await Promise.all([answer, closed]);
		expect(sandbox.journal.all()).toEqual([]);
	});

	it('may be done twice', async () => {
		const sandbox = await start();
		await sandbox.stop();
		await expect(sandbox.stop()).resolves.toBeUndefined();
	});
});

describe('connections', () => {
	it('are kept alive for clients that want it', async () => {
		const sandbox = await start();
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		let connections = 0;
		const createConnection = agent.createConnection.bind(agent);
		agent.createConnection = (...parameters) => {
			connections += 1;
			return createConnection(...parameters);
		};
		expect(await sendTimes(5, sandbox, CONTACTS, { agent })).toEqual(Array(5).fill(200));
		expect(connections).toBe(1);
		agent.destroy();
	});

	it('that end before the request is complete count nowhere', async () => {
		const sandbox = await start();
		const { hostname, port } = new URL(sandbox.baseUrl);
		const socket = connect(Number(port), hostname);
		const closed = new Promise((resolve) => socket.once('close', resolve));
		socket.resume();
		socket.write(`POST /txndata/sendTxn HTTP/1.1\r\nhost: x\r\nx-api-key: ${sandbox.apiKey}\r\n`);
		socket.end('content-length: 100\r\n\r\n{"half":');
		await closed;
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
		expect(sandbox.journal.all()).toMatchObject([{ endpoint: CONTACTS }]);
	});

	it('that end while the request waits are counted all the same', async () => {
		const sandbox = await start({ latency: { minMs: 60, maxMs: 60 } });
		const signal = AbortSignal.timeout(20);
		const answer = send(sandbox, 'POST /txndata/sendTxn', { body: {}, signal });
		await expect(answer).rejects.toThrow();
		await untilCounted(sandbox, 1);
		expect(sandbox.journal.documents()).toHaveLength(1);
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
	});
});

describe('latency', () => {
	it('lies before the counting as well as after it', async () => {
		const sandbox = await start({ latency: { minMs: 80, maxMs: 80 } });
		const order: string[] = [];
		const answer = send(sandbox, CONTACTS).then(() => order.push('answered'));
		// A request of someone else is counted at once, before one that is under way.
		await new Promise((resolve) => setTimeout(resolve, 10));
		sandbox.consume(CONTACTS, 1);
		await untilCounted(sandbox, 1);
		order.push('counted');
		await answer;
		expect(order).toEqual(['counted', 'answered']);
		expect(sandbox.journal.all().map(({ foreign }) => foreign)).toEqual([true, false]);
	});
});

describe('the command line', () => {
	it('sets the options', () => {
		const commandLine =
			'--port 4010 --window-mode fixed --time-scale 0.05 --contacts 50 --retry-after date --minimum-latency 5';
		expect(readCommandLine(commandLine.split(' '))).toEqual({
			port: 4010,
			windowMode: 'fixed',
			timeScale: 0.05,
			contactCount: 50,
			retryAfter: 'date',
			latency: { minMs: 5, maxMs: 5 },
		});
	});

	it('leaves what it does not name to the defaults', async () => {
		const options = readCommandLine([]);
		if (options === 'help') throw new Error('No help was asked for');
		expect((await start(options)).contacts.list()).toHaveLength(25);
	});

	it('gives help, and turns away what it does not know', () => {
		expect(readCommandLine(['--help'])).toBe('help');
		expect(() => readCommandLine(['--speed', '1'])).toThrow('--speed');
		expect(() => readCommandLine(['--port', 'four'])).toThrow('--port must be a number');
	});
});
