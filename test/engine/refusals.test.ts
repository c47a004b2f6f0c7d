// A 429 despite the limiter, because another client uses the key: every request of the key waits as the service asks, and
// only a refusal that no wait resolves is an error.

import { workflowOf } from '../support/engineWorkflow';
import { errorOf, itemsOf, NODE, pinRandom, useBench } from '../support/bench';
import { EXAMPLE_LIMITS } from '../support/exampleLimits';
import { after } from '../support/logicalTime';
import { CONTINUE_ON_ERROR, read, READ_ENDPOINT, send, SEND_ENDPOINT } from '../support/parameters';

const LONGEST_WINDOW_MS = 1_200;
/** The most sends, and the most reads, in the longest window. */
const SENDS = 3;
const READS = 100;
const LIMITS = {
	general: [
		{ max: 10, windowSeconds: 0.02 },
		{ max: READS, windowSeconds: LONGEST_WINDOW_MS / 1000 },
	],
	endpoints: { [SEND_ENDPOINT]: { max: SENDS, windowSeconds: LONGEST_WINDOW_MS / 1000 } },
};

const operations = [
	{ name: 'a read', parameters: read(), endpoint: READ_ENDPOINT, max: READS, documents: 0 },
	{ name: 'a send', parameters: send(), endpoint: SEND_ENDPOINT, max: SENDS, documents: 1 },
];
const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) });
const nothingLeft = (seconds: number) => ({
	'x-ratelimit-remaining': '0',
	'x-ratelimit-reset': String(seconds),
});

const bench = useBench({ limits: LIMITS });
/** When (ms) the requests came. */
const times = () => bench.sandbox.journal.all().map(({ atMs }) => atMs);
/** From the first request to the last. */
const spanMs = () => Math.max(...times()) - Math.min(...times());
const refuse = (headers: Record<string, string> = {}, others = {}) =>
	bench.respond(429, { headers, ...others });

describe('a 429', () => {
	const AT = 'Fri, 02 Jan 2026 00:00:00 GMT';
	const SOON = 'Fri, 02 Jan 2026 00:00:01 GMT';
	describe.each<[string, Record<string, string>, leastMs: number]>([
		['without Retry-After', {}, 0],
		['with Retry-After in seconds', retryAfter(1), 1_000],
		["with Retry-After as a date of the service's clock", { date: AT, 'retry-after': SOON }, 1_000],
	])('%s', (_, headers, leastMs) => {
		test.each(operations)('is retried: $name', async ({ parameters, endpoint, documents }) => {
			refuse(headers);
			const result = await bench.run(itemsOf(1), parameters);
			expect(result.run.status).toBe('success');
			expect(result.json(NODE)[0]).toHaveProperty('id');
			const { journal } = bench.sandbox;
			expect(journal.all().map(({ status }) => status)).toEqual([429, 200]);
			expect(journal.count(endpoint)).toBe(2);
			expect(journal.documents()).toHaveLength(documents);
			expect(spanMs()).toBeGreaterThanOrEqual(leastMs);
		});
	});

	/** The headers or body of the refusal, and after how many seconds a send may go again. */
	test.each<[Record<string, string>, object, number]>([
		...[1, 60, 61, 100, 300].map((s): [Record<string, string>, object, number] => {
			return [retryAfter(s), {}, s];
		}),
		[{}, { message: 'Try again in 55 seconds' }, 55],
		[{}, { retry_after: 5 }, 5],
		[{ 'x-ratelimit-limit': '100', ...nothingLeft(12) }, {}, 12],
		[{ 'x-ratelimit-limit': '3', ...nothingLeft(100) }, {}, 100],
		[nothingLeft(12), {}, 12],
	])('delays a send as long as it asks: %j %j', async (headers, body, s) => {
		bench.credential.limits = JSON.stringify(EXAMPLE_LIMITS);
		refuse(headers, { body });
		await bench.run(itemsOf(1), send({ maxWait: s + 60 }));
		expect(bench.documents()).toHaveLength(1);
		expect(spanMs()).toBeGreaterThanOrEqual(1_000 * s);
		expect(spanMs()).toBeLessThan(1_000 * (s + 30));
	});

	test('holds back every queued request of the key, even of other executions', async () => {
		const reads = bench.run(itemsOf(20), read());
		refuse(retryAfter(1), { endpoint: READ_ENDPOINT });
		const workflow = workflowOf(itemsOf(2), send());
		const sends = bench.engine.run(workflow, { key: { ...bench.credential } });
		for (const { run } of await Promise.all([reads, sends])) expect(run.status).toBe('success');
		const refusedAt = bench.sandbox.journal.all().find(({ status }) => status === 429)?.atMs ?? NaN;
		// A request under way when the refusal came cannot be held back.
		const later = times().filter((at) => at > refusedAt + 100);
		expect(later.length).toBeGreaterThan(5);
		expect(Math.min(...later) - refusedAt).toBeGreaterThanOrEqual(1_000);
	});

	test('whose Retry-After is longer than Max Wait is an error at once', async () => {
		refuse(retryAfter(1));
		const error = errorOf(await bench.run(itemsOf(1), send({ maxWait: 0.5 })));
		expect(error.message).toMatch(/^Not sent: the limits leave no room for at least [12] s$/);
		expect(error.context.outcome).toBe('notSent');
		expect(error.context.retryAfterSeconds).toBeGreaterThanOrEqual(1);
		expect(bench.documents()).toHaveLength(0);
	});
});

describe('a Retry-After beyond all windows', () => {
	const twice = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };

	test('fails the item with the wait it asks for, and later items without a request', async () => {
		refuse(retryAfter(86_399.9));
		const result = await bench.run(itemsOf(3), send(), CONTINUE_ON_ERROR);
		expect(result.run.status).toBe('success');
		const errors = result.items(NODE).flatMap(({ error }) => (error === undefined ? [] : [error]));
		expect(errors.map(({ context }) => context)).toMatchObject([
			{ outcome: 'refused', retryAfterSeconds: 86_400 },
			{ outcome: 'notSent', retryAfterSeconds: 86_400 },
			{ outcome: 'notSent' },
		]);
		expect(errors[0]?.description).toContain('The service asks to wait for 24 h');
		expect(errors[1]?.message).toBe('Not sent: the service asks to wait for another 24 h');
		expect(times()).toHaveLength(1);
	});

	test.each([
		['429, a read', 429, read(), read()],
		['429, a send', 429, send(), send()],
		['429, a send, and then a read', 429, send(), read()],
		['429, a read, and then a send', 429, read(), send()],
		['503, a send', 503, send(), send()],
		['503, a send, and then a read', 503, send(), read()],
	])('keeps the next execution from sending: %s', async (_, status, parameters, next) => {
		bench.respond(status, { headers: retryAfter(3) });
		errorOf(await bench.run(itemsOf(1), parameters, twice));
		const error = errorOf(await bench.run(itemsOf(1), next));
		expect(error).toMatchObject({ context: { outcome: 'notSent', retryAfterSeconds: 3 } });
		expect(times()).toHaveLength(1);
		await after(3_000 - LONGEST_WINDOW_MS + 100);
		expect((await bench.run(itemsOf(1), next)).run.status).toBe('success');
		expect(spanMs()).toBeGreaterThanOrEqual(3_000);
	});
});

test('a 429 under a credential without limits is retried with exponential backoff', async () => {
	bench.credential.limits = '{"general":[]}';
	pinRandom(0);
	refuse({}, { times: 3 });
	const result = await bench.run(itemsOf(1), send());
	expect(result.run.status).toBe('success');
	const [, ...later] = times();
	const pauses = later.map((at, index) => at - (times()[index] ?? NaN));
	expect(pauses).toHaveLength(3);
	for (const [index, pause] of pauses.entries()) {
		expect(pause).toBeGreaterThanOrEqual(1_000 * 2 ** index);
		expect(pause).toBeLessThan(2_000 * 2 ** index);
	}
});

test('a 429 under a credential without limits is an error after a minute of refusals', async () => {
	bench.credential.limits = '{"general":[]}';
	refuse({}, { times: Infinity });
	expect(errorOf(await bench.run(itemsOf(1), read())).httpCode).toBe('429');
	expect(spanMs()).toBeGreaterThanOrEqual(60_000);
	expect(spanMs()).toBeLessThan(180_000);
});

describe('the pause after a failure', () => {
	beforeEach(() => {
		bench.credential.limits = JSON.stringify(EXAMPLE_LIMITS);
	});

	test('is as long as a 503 asks for, and a hint says so', async () => {
		bench.respond(503, { headers: retryAfter(30) });
		const result = await bench.run(itemsOf(1), read());
		expect(result.run.status).toBe('success');
		expect(spanMs()).toBeGreaterThanOrEqual(30_000);
		expect(JSON.stringify(result.task(NODE).hints)).toContain(
			'1 request waited 30 s because the service had asked for a pause.',
		);
	});

	test.each([
		['Max Wait', 30, { maxWait: 10 }, 'too late: the option Max Wait allows 10 s in all'],
		['any window', 86_400, {}, 'asks to wait for 24 h, which is too long to wait here'],
	])('that is longer than %s is an error at once', async (_, seconds, options, words) => {
		bench.respond(503, { headers: retryAfter(seconds) });
		const result = await bench.run(itemsOf(1), read(options));
		const error = errorOf(result);
		expect(result.ms).toBeLessThan(1_000);
		expect(error.message).toContain('The service answered 503 Service Unavailable');
		expect(error.description).toContain(words);
		expect(error.context).toMatchObject({ statusCode: 503, retryAfterSeconds: seconds });
		expect(bench.sandbox.journal.count()).toBe(1);
	});

	test.each([429, 503])('beyond Max Wait fails queued requests at once: %i', async (status) => {
		bench.respond(status, { after: 5, headers: retryAfter(40) });
		const result = await bench.run(itemsOf(30), read({ maxWait: 9 }), CONTINUE_ON_ERROR);
		expect(result.ms).toBeLessThan(2_000);
		const left = result.items(NODE).flatMap(({ error }) => error?.context.retryAfterSeconds ?? []);
		expect(left.length).toBeGreaterThanOrEqual(20);
		for (const seconds of left) expect([39, 40]).toContain(seconds);
		expect(bench.sandbox.journal.count()).toBeLessThanOrEqual(10);
	});

	test('of a send without a connection stays within Max Wait', async () => {
		await bench.sandbox.stop();
		pinRandom(0.9);
		const result = await bench.run(itemsOf(1), send({ maxWait: 2 }));
		const error = errorOf(result);
		expect(result.ms).toBeLessThan(2_000);
		expect(error.message).toBe('The request was not sent: the connection was refused');
		expect(error.context).toMatchObject({ outcome: 'notSent', retryAfterSeconds: 2 });
	});
});

describe.each(operations)(
	'other clients of the key beside $name',
	({ parameters, endpoint, max, documents }) => {
		test('delay it without a loss', async () => {
			bench.sandbox.consume(endpoint, max);
			const result = await bench.run(itemsOf(4), parameters);
			expect(result.run.status).toBe('success');
			expect(bench.sandbox.journal.refused().length).toBeGreaterThan(0);
			expect(bench.sandbox.journal.responded()).toHaveLength(4);
			expect(bench.documents()).toEqual(itemsOf(4 * documents));
		});

		test.each([
			['', {}],
			[', even with a short Retry-After', retryAfter(1)],
		])('are named in the error once the longest window has passed%s', async (_, headers) => {
			refuse(headers, { times: Infinity });
			const error = errorOf(await bench.run(itemsOf(1), parameters));
			expect(spanMs()).toBeGreaterThanOrEqual(LONGEST_WINDOW_MS);
			expect(bench.documents()).toEqual([]);
			expect(error).toMatchObject({
				message: 'The service answered 429 Too Many Requests: Scripted response',
				httpCode: '429',
				context: { outcome: 'refused' },
			});
			expect(error.description).toContain('after the longest window of its limits had passed');
			expect(error.description).toContain('Something else seems to use the same API key');
		});
	},
);
