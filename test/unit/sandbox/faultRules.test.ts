// Which requests a fault rule applies to, and how often.

import {
	startSandbox,
	type FaultAction,
	type FaultRule,
	type Sandbox,
} from '../../../sandbox/server';
import { send, sendTimes } from './rawClient';

const CONTACTS = 'GET /masterdata/getContacts';

let sandbox: Sandbox;
beforeEach(async () => {
	const limits = { general: [{ max: 20, windowSeconds: 600 }], endpoints: {} };
	sandbox = await startSandbox({ limits });
});
afterEach(() => sandbox.stop());

describe('rules', () => {
	const teapot: FaultAction = { type: 'status', status: 418 };

	it('apply once by default, to any endpoint', async () => {
		sandbox.fault({ action: teapot });
		expect(await sendTimes(3, sandbox, CONTACTS)).toEqual([418, 200, 200]);
	});

	it('apply several times, after some requests have passed', async () => {
		sandbox.fault({ times: 2, after: 1, action: teapot });
		expect(await sendTimes(4, sandbox, CONTACTS)).toEqual([200, 418, 418, 200]);
	});

	it('apply until they are cleared', async () => {
		sandbox.fault({ times: Infinity, action: teapot });
		expect(await sendTimes(5, sandbox, CONTACTS)).toEqual(Array(5).fill(418));
		sandbox.clearFaults();
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
	});

	it('apply to their endpoint alone, in every spelling', async () => {
		sandbox.fault({ endpoint: 'get /MASTERDATA//getcontacts/', action: teapot });
		expect((await send(sandbox, 'GET /sandbox/text')).status).toBe(200);
		expect((await send(sandbox, 'GET /Masterdata/getContacts?page=1')).status).toBe(418);
	});

	it('apply to the requests that carry their marker alone', async () => {
		sandbox.fault({ marker: 'second', times: Infinity, action: teapot });
		for (const [marker, status] of [
			['first', 200],
			['second', 418],
		] as const) {
			const headers = { 'X-Sandbox-Marker': marker };
			expect((await send(sandbox, CONTACTS, { headers })).status).toBe(status);
		}
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
	});

	it('apply in their order', async () => {
		sandbox.fault({ action: teapot });
		sandbox.fault({ action: { type: 'status', status: 500 } });
		expect(await sendTimes(3, sandbox, CONTACTS)).toEqual([418, 500, 200]);
	});

	it('apply with a chance', async () => {
		sandbox.fault({ times: Infinity, probability: 0, action: teapot });
		expect(await sendTimes(4, sandbox, CONTACTS)).toEqual(Array(4).fill(200));
		sandbox.fault({ times: Infinity, probability: 1, action: teapot });
		expect(await sendTimes(4, sandbox, CONTACTS)).toEqual(Array(4).fill(418));
	});

	it('apply with a chance that a seed repeats', async () => {
		const runs: number[][] = [];
		for (let run = 0; run < 2; run += 1) {
			const seeded = await startSandbox({
				timeScale: 100,
				latency: { minMs: 0, maxMs: 0, seed: 7 },
			});
			seeded.fault({ times: Infinity, probability: 0.5, action: teapot });
			runs.push(await sendTimes(10, seeded, CONTACTS));
			await seeded.stop();
		}
		expect(runs[0]).toEqual(runs[1]);
		expect(runs[0]).toEqual(expect.arrayContaining([200, 418]));
	});

	it('are not used up by requests that a key or a limit rejects', async () => {
		sandbox.fault({ action: teapot });
		expect((await send(sandbox, CONTACTS, { key: null })).status).toBe(401);
		sandbox.consume(CONTACTS, 20);
		expect((await send(sandbox, CONTACTS)).status).toBe(429);
		expect(sandbox.journal.refused()).toHaveLength(1);
	});

	it.each([
		[
			{ action: { type: 'explode' } },
			"action.type: Invalid discriminator value. Expected 'status' |",
		],
		[
			{ action: { type: 'status', status: 99 } },
			'action.status: Number must be greater than or equal to 200',
		],
		[{ action: { type: 'delay', ms: 5 } }, 'action.actFirst: Required'],
		[
			{ action: { type: 'trickle', bytes: 0, everyMs: 1 } },
			'action.bytes: Number must be greater than or equal to 1',
		],
		[
			{ action: { type: 'refuse', retryAfter: 'soon', waitMs: 1 } },
			"action.retryAfter: Invalid enum value. Expected 'none' |",
		],
		[{ action: { type: 'truncate' }, marker: 1 }, 'marker: Expected string, received number'],
		[{ action: { type: 'truncate' }, time: 2 }, "Unrecognized key(s) in object: 'time'"],
		[
			{ action: { type: 'truncate' }, probability: 2 },
			'probability: Number must be less than or equal to 1',
		],
		[
			{ action: { type: 'truncate' }, endpoint: '/path' },
			'endpoint: It is written as "METHOD /path"',
		],
		[{}, 'action: Required'],
	])('that are malformed are turned away: %j', (rule, message) => {
		expect(() => sandbox.fault(rule as FaultRule)).toThrow(message);
	});
});
