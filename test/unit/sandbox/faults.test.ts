// Everything that can be made to go wrong with a request.

import { startSandbox, type FaultAction, type Sandbox } from '../../../sandbox/server';
import { json, send, sendTimes } from './rawClient';
import { waitUntil } from '../../support/waitUntil';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';

let sandbox: Sandbox;
beforeEach(async () => {
	const limits = { general: [{ max: 20, windowSeconds: 600 }], endpoints: {} };
	sandbox = await startSandbox({ limits });
});
afterEach(() => sandbox.stop());

const documents = (): number => sandbox.journal.documents().length;
const sendDocument = () => send(sandbox, SEND, { body: { total: 1 } });
const play = (action: FaultAction): void => sandbox.fault({ action });

describe('a scripted status', () => {
	it('is answered without acting, counted, and no refusal of a limit', async () => {
		play({ type: 'status', status: 429 });
		const answer = await sendDocument();
		expect(answer.status).toBe(429);
		expect(answer.headers['retry-after']).toBeUndefined();
		expect(documents()).toBe(0);
		expect(sandbox.journal.refused()).toEqual([]);
		expect(sandbox.journal.all()).toMatchObject([
			{ status: 429, scripted: true, fault: 'status', acted: false },
		]);
		const statuses = await sendTimes(20, sandbox, CONTACTS);
		expect(statuses).toEqual([...Array<number>(19).fill(200), 429]);
		expect(sandbox.journal.refused()).toHaveLength(1);
	});

	it.each([
		['none', undefined],
		['seconds', /^2$/],
		['date', / GMT$/],
	] as const)('429 says when to come back: %s', async (retryAfter, expected) => {
		play({ type: 'refuse', retryAfter, waitMs: 1_500 });
		const answer = await sendDocument();
		expect(answer.status).toBe(429);
		if (expected === undefined) expect(answer.headers['retry-after']).toBeUndefined();
		else expect(answer.headers['retry-after']).toMatch(expected);
		const waitMs = Date.parse(answer.headers['retry-after'] ?? '') - Date.now();
		if (retryAfter === 'date') expect(waitMs).toBeGreaterThan(500);
		expect(documents()).toBe(0);
		expect(sandbox.journal.refused()).toEqual([]);
	});

	it.each([
		[429, { 'Retry-After': '2' }],
		[429, { 'retry-after': 'Fri, 02 Jan 2026 00:00:00 GMT' }],
		[302, { location: 'http://127.0.0.1:9/elsewhere' }],
		[503, {}],
	])('%i carries the headers %j', async (status, headers) => {
		play({ type: 'status', status, headers });
		const answer = await send(sandbox, CONTACTS);
		expect(answer.status).toBe(status);
		for (const [name, value] of Object.entries(headers)) {
			expect(answer.headers[name.toLowerCase()]).toBe(value);
		}
	});

	it('carries a body of any kind', async () => {
		play({ type: 'status', status: 502, body: '<h1>Bad gateway</h1>', contentType: 'text/html' });
		play({ type: 'status', status: 200, body: [{ anything: true }] });
		play({ type: 'status', status: 200, body: null });
		const page = await send(sandbox, CONTACTS);
		expect([page.status, page.text]).toEqual([502, '<h1>Bad gateway</h1>']);
		expect(page.headers['content-type']).toBe('text/html');
		expect(json(await send(sandbox, CONTACTS))).toEqual([{ anything: true }]);
		expect(json(await send(sandbox, CONTACTS))).toBeNull();
	});

	it('acts only when told to', async () => {
		play({ type: 'status', status: 500, act: true });
		expect((await sendDocument()).status).toBe(500);
		expect(documents()).toBe(1);
	});
});

describe('a connection that ends', () => {
	it('before acting', async () => {
		play({ type: 'hangUpBeforeActing' });
		await expect(sendDocument()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(documents()).toBe(0);
		expect(sandbox.journal.all()).toMatchObject([{ status: 0, acted: false, scripted: true }]);
	});

	it('after acting', async () => {
		play({ type: 'hangUpAfterActing' });
		await expect(sendDocument()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(documents()).toBe(1);
		expect(sandbox.journal.all()).toMatchObject([{ status: 0, acted: true, scripted: true }]);
		expect(sandbox.journal.answered()).toEqual([]);
	});

	it.each([SEND, CONTACTS, 'GET /sandbox/empty', 'GET /sandbox/huge', 'GET /sandbox/file'])(
		'in the middle of the answer to %s',
		async (endpoint) => {
			play({ type: 'truncate' });
			await expect(send(sandbox, endpoint, { body: {} })).rejects.toThrow('aborted');
			expect(sandbox.journal.all()).toMatchObject([{ status: 200, acted: true }]);
		},
	);
});

describe('a late answer', () => {
	it('comes after acting', async () => {
		play({ type: 'delay', ms: 60_000, actFirst: true });
		const abort = new AbortController();
		const answer = send(sandbox, SEND, { body: {}, signal: abort.signal });
		await waitUntil(() => documents() === 1);
		abort.abort();
		await expect(answer).rejects.toThrow();
		expect(sandbox.journal.all()).toMatchObject([{ status: 0, acted: true }]);
	});

	it('comes before acting, which happens even if the client has given up', async () => {
		play({ type: 'delay', ms: 50, actFirst: false });
		const abort = new AbortController();
		const answer = send(sandbox, SEND, { body: {}, signal: abort.signal });
		await waitUntil(() => sandbox.journal.count() === 1);
		expect(documents()).toBe(0);
		abort.abort();
		await expect(answer).rejects.toThrow();
		await waitUntil(() => documents() === 1);
	});

	it('is the scripted one', async () => {
		play({ type: 'status', status: 400, afterMs: 100 });
		const startedAt = performance.now();
		expect((await sendDocument()).status).toBe(400);
		expect(performance.now() - startedAt).toBeGreaterThan(95);
		expect(documents()).toBe(0);
	});

	it.each([true, false])('is the right one (acts first: %s)', async (actFirst) => {
		play({ type: 'delay', ms: 5, actFirst });
		expect(json(await sendDocument())).toEqual({ id: 'doc-1', status: 'sent' });
		expect(documents()).toBe(1);
		expect(sandbox.journal.answered()).toHaveLength(1);
	});

	it.each([true, false])('never comes (acts: %s)', async (act) => {
		play({ type: 'neverAnswer', act });
		const abort = new AbortController();
		const answer = send(sandbox, SEND, { body: {}, signal: abort.signal });
		await waitUntil(() => sandbox.journal.count() === 1);
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
		expect(documents()).toBe(act ? 1 : 0);
		abort.abort();
		await expect(answer).rejects.toThrow();
		expect(sandbox.journal.all()[0]).toMatchObject({ status: 0, acted: act });
	});
});

describe('a damaged answer', () => {
	it.each([CONTACTS, 'GET /sandbox/empty', 'GET /sandbox/huge'])(
		'is broken JSON: %s',
		async (endpoint) => {
			play({ type: 'brokenJson' });
			const answer = await send(sandbox, endpoint);
			expect(answer.status).toBe(200);
			expect(answer.text.length).toBeGreaterThan(0);
			expect(() => json(answer)).toThrow(SyntaxError);
		},
	);

	it('has no body', async () => {
		play({ type: 'emptyBody' });
		const answer = await sendDocument();
		expect([answer.status, answer.text, documents()]).toEqual([200, '', 1]);
	});

	it('has a huge body', async () => {
		play({ type: 'hugeBody', megabytes: 2 });
		const answer = await sendDocument();
		expect(json<string>(answer)).toHaveLength(2 * 1024 * 1024);
		expect(documents()).toBe(1);
	});

	it.each([CONTACTS, 'GET /sandbox/huge', 'GET /sandbox/no-content'])(
		'comes drop by drop, but whole: %s',
		async (endpoint) => {
			const whole = await send(sandbox, endpoint);
			play({ type: 'trickle', bytes: 100_000, everyMs: 1 });
			const answer = await send(sandbox, endpoint);
			expect(answer.text).toBe(whole.text);
			expect(answer.headers['content-length']).toBeUndefined();
		},
	);
});
