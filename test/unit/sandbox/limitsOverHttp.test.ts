// The limits of section 8 as a client meets them, through the server.

import { setTimeout as sleep } from 'node:timers/promises';
import {
	startSandbox,
	type Sandbox,
	type SandboxOptions,
	type WindowMode,
} from '../../../sandbox/server';
import { json, send, sendTimes } from './rawClient';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const LIMITS = {
	general: [{ max: 10, windowSeconds: 1 }],
	endpoints: {
		[SEND]: { max: 3, windowSeconds: 600 },
		'POST /txndata/sendTxnWP': { max: 5, windowSeconds: 600 },
	},
};
const MODES: WindowMode[] = ['sliding', 'fixed', 'both'];

let sandbox: Sandbox;
afterEach(() => sandbox.stop());

async function start(options: SandboxOptions): Promise<void> {
	sandbox = await startSandbox({ limits: LIMITS, ...options });
}

const onlyGeneral = (max: number, windowSeconds: number) => ({
	limits: { general: [{ max, windowSeconds }], endpoints: {} },
});

describe.each(MODES)('%s windows', (windowMode) => {
	it('refuse the 11th request of a second at the earliest, and say which limit it was', async () => {
		// Windows 100 times as long: however slow the machine, no window ends during the test.
		await start({ windowMode, timeScale: 100 });
		const statuses = await sendTimes(11, sandbox, CONTACTS);
		expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
		expect(sandbox.journal.refused()).toMatchObject([
			{ sequence: 11, reason: 'general/1s', acted: false, scripted: false },
		]);
	});

	it.each([
		[30, 10],
		[100, 60],
	])('refuse above %i requests in %i s', async (max, windowSeconds) => {
		await start({ windowMode, timeScale: 10, ...onlyGeneral(max, windowSeconds) });
		const statuses = await Promise.all(
			Array.from({ length: max + 3 }, () => send(sandbox, CONTACTS)),
		);
		expect(statuses.filter(({ status }) => status === 200)).toHaveLength(max);
		expect(sandbox.journal.refused()).toHaveLength(3);
	});

	it.each([
		[SEND, 3],
		['POST /txndata/sendTxnWP', 5],
	])('refuse %s above %i and send nothing then', async (endpoint, max) => {
		await start({ windowMode });
		const statuses = await sendTimes(max + 1, sandbox, endpoint, { body: { total: 1 } });
		expect(statuses).toEqual([...Array<number>(max).fill(200), 429]);
		expect(sandbox.journal.documents()).toHaveLength(max);
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
	});

	it('admit requests again when the scaled window has passed', async () => {
		await start({ windowMode, timeScale: 0.05, ...onlyGeneral(3, 1) });
		for (let round = 0; round < 3; round += 1) {
			await sendTimes(3, sandbox, CONTACTS);
			await sleep(100);
		}
		expect(sandbox.journal.answered()).toHaveLength(9);
		expect(sandbox.journal.refused()).toEqual([]);
	});
});

describe('an exceeded limit', () => {
	it('carries no Retry-After by default, and a body that names nothing', async () => {
		await start(onlyGeneral(1, 600));
		await send(sandbox, CONTACTS);
		const answer = await send(sandbox, CONTACTS);
		expect(answer.status).toBe(429);
		expect(answer.headers['retry-after']).toBeUndefined();
		expect(json(answer)).toEqual({ message: 'Too many requests' });
	});

	it('carries whole seconds when asked to', async () => {
		await start({ retryAfter: 'seconds', ...onlyGeneral(1, 600) });
		await send(sandbox, CONTACTS);
		// A refused request counts as well, so the window begins anew with it.
		expect((await send(sandbox, CONTACTS)).headers['retry-after']).toBe('600');
		expect((await send(sandbox, CONTACTS)).headers['retry-after']).toBe('600');
	});

	it('carries at least one second, and never less than the wait', async () => {
		await start({ retryAfter: 'seconds', timeScale: 0.5, ...onlyGeneral(1, 3) });
		await send(sandbox, CONTACTS);
		expect((await send(sandbox, CONTACTS)).headers['retry-after']).toBe('2');
	});

	it('carries a date when asked to', async () => {
		await start({ retryAfter: 'date', ...onlyGeneral(1, 600) });
		await send(sandbox, CONTACTS);
		const before = Date.now();
		const header = (await send(sandbox, CONTACTS)).headers['retry-after'] ?? '';
		expect(header).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
		expect(Date.parse(header)).toBeGreaterThanOrEqual(before + 600_000);
		expect(Date.parse(header)).toBeLessThanOrEqual(Date.now() + 601_000);
	});

	it('counts the refused request or not, as set', async () => {
		const limits = {
			general: [{ max: 4, windowSeconds: 600 }],
			endpoints: { [SEND]: { max: 1, windowSeconds: 600 } },
		};
		for (const [countRefused, expected] of [
			[true, [200, 429, 429, 429, 429]],
			[false, [200, 429, 429, 429, 200]],
		] as const) {
			await start({ limits, countRefused });
			const statuses = await sendTimes(4, sandbox, SEND, { body: {} });
			statuses.push((await send(sandbox, CONTACTS)).status);
			expect(statuses).toEqual(expected);
			await sandbox.stop();
		}
	});
});

describe('paths', () => {
	it.each([
		'POST /TXNDATA/SendTXN',
		'POST //txndata///sendTxn',
		'POST /txndata/sendTxn/',
		'POST /txndata/send%54xn',
		'POST /txndata%2FsendTxn',
		'POST /masterdata/../txndata/./sendTxn',
		'POST /masterdata/%2e%2e/txndata/sendTxn',
		'POST /../txndata/sendTxn?copy=1',
		'POST http://elsewhere.example/txndata/sendTxn',
	])('written as %s are served and counted as the endpoint', async (variant) => {
		await start({});
		expect(await sendTimes(3, sandbox, variant, { body: {} })).toEqual([200, 200, 200]);
		expect((await send(sandbox, SEND, { body: {} })).status).toBe(429);
		expect((await send(sandbox, variant, { body: {} })).status).toBe(429);
		expect(sandbox.journal.documents()).toHaveLength(3);
		expect(sandbox.journal.count(SEND)).toBe(5);
		const [, rawPath = ''] = variant.split(' ');
		expect(sandbox.journal.all()[0]).toMatchObject({
			endpoint: SEND,
			path: rawPath.replace('?copy=1', ''),
		});
	});

	it('of other endpoints do not count against the limit of one', async () => {
		await start({});
		await sendTimes(4, sandbox, 'GET /txndata/sendTxn');
		await sendTimes(4, sandbox, 'POST /txndata/sendTxn2', { body: {} });
		expect((await send(sandbox, SEND, { body: {} })).status).toBe(200);
	});

	it('that are unknown count against the general limits', async () => {
		await start(onlyGeneral(2, 600));
		expect(await sendTimes(3, sandbox, 'GET /no/such/path')).toEqual([404, 404, 429]);
	});

	it('can be given limits in any spelling', async () => {
		const own = { max: 1, windowSeconds: 600 };
		await start({
			limits: { general: [], endpoints: { 'post //TXNDATA/sendtxn': own, 'GET /Other': own } },
		});
		expect(await sendTimes(2, sandbox, SEND, { body: {} })).toEqual([200, 429]);
		expect(await sendTimes(2, sandbox, 'GET /other/')).toEqual([404, 429]);
	});
});

describe('requests of someone else', () => {
	it('use up the limits of the key and stand in the journal', async () => {
		await start({});
		sandbox.consume('POST /txndata/SENDTXN', 2);
		expect(await sendTimes(2, sandbox, SEND, { body: {} })).toEqual([200, 429]);
		expect(sandbox.journal.all().map(({ foreign, status }) => [foreign, status])).toEqual([
			[true, 200],
			[true, 200],
			[false, 200],
			[false, 429],
		]);
		expect(sandbox.journal.count()).toBe(2);
		expect(sandbox.journal.count(SEND)).toBe(2);
		expect(sandbox.journal.answered()).toHaveLength(1);
		expect(sandbox.journal.documents()).toHaveLength(1);
	});

	it('are refused like all others, but are no refusal of ours', async () => {
		await start(onlyGeneral(2, 600));
		sandbox.consume(CONTACTS, 5);
		expect(sandbox.journal.all().map(({ status }) => status)).toEqual([200, 200, 429, 429, 429]);
		expect(sandbox.journal.refused()).toEqual([]);
	});
});
