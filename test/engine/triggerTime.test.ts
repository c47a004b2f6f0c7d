// A poll keeps to n8n's time budget and lets sends go first. The next poll continues what did not fit.

import * as n8nWorkflow from 'n8n-workflow';

import { oneLimit, pinRandom } from '../support/bench';
import { workflowOf } from '../support/engineWorkflow';
import { after } from '../support/logicalTime';
import { apiRequest, pages, query } from '../support/parameters';
import { useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

const BUDGET = { getPollBudgetMs: () => 1_000 };
/** Far less than any request waits here, and more than the delays of a busy machine. */
const LONGEST_MS = 10_000;
const contacts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

type PollError = n8nWorkflow.NodeApiError & { failure?: unknown };
const errorOf = async (polled: Promise<unknown>) =>
	(await polled.catch((error: unknown) => error)) as PollError;

/** Serves a list with five contacts per page, each page after `delayMs`. */
function respondSlowly(list: object[], delayMs = 120) {
	bench.service.response = ({ page }, response) => {
		const start = 5 * (Number(page) - 1);
		response.setHeader('content-type', 'application/json');
		const body = JSON.stringify(list.slice(start, start + 5));
		setTimeout(() => response.end(body), delayMs);
	};
}

const byPage = { options: pages('pageNumber', { pageSize: 5 }) };
const pagesAsked = () => bench.service.queries.map(({ page }) => Number(page));

test('a read that exceeds the budget goes on at its page in the next poll', async () => {
	respondSlowly(contacts(60));
	const { poll, staticData } = bench.trigger(byPage);
	const startedAt = performance.now();
	expect(await poll(BUDGET)).toEqual([]);
	expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
	const first = pagesAsked().length;
	expect(first).toBeGreaterThan(1);
	expect(first).toBeLessThan(12);
	// The page state survives a restart in between.
	const saved = JSON.parse(JSON.stringify(staticData)) as Record<string, never>;
	const again = bench.trigger(byPage, { staticData: saved });
	for (let polls = 0; polls < 3; polls++) expect(await again.poll(BUDGET)).toEqual([]);
	const asked = pagesAsked();
	// Each page once, and again if the budget ended during its request.
	const steps = asked.slice(1).map((page, index) => page - (asked[index] ?? 0));
	expect(asked[0]).toBe(1);
	expect(steps.slice(0, asked.indexOf(13)).every((step) => step === 0 || step === 1)).toBe(true);
	expect(asked).toContain(13);
});

test('a poll waits for room as often as its budget allows', async () => {
	respondSlowly(contacts(70), 0);
	const { poll } = bench.trigger(byPage, { credential: { limits: oneLimit(1, 2.5) } });
	expect(await poll()).toEqual([]);
	expect(pagesAsked()).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
});

test('a request without a response is retried after its own timeout', async () => {
	bench.service.response = () => (bench.service.queries.length > 1 ? contacts(1) : undefined);
	const { poll } = bench.trigger({ options: { timeout: 5 } });
	expect(await poll()).toEqual([]);
	expect(bench.service.queries).toHaveLength(2);
});

describe('a poll that reads nothing fails in time and says why', () => {
	const refuse =
		(status: number, headers = {}): (typeof bench.service)['response'] =>
		(_, response) =>
			void response.writeHead(status, headers).end('{}');
	const ASKING = { 'retry-after': '30' };
	const NO_ROOM = 'Not read: the limits leave no room for at least';
	const NOT_SENT = 'Not sent: the limits leave no room';
	const PAUSED = 'Not read: the service asks to wait for another 60 min';
	const IN_TIME = 'Not read: the service did not respond in the time of this poll';
	const ON_TIME = /^GET \S+ — n8n limits the time of a poll, of which 0\.9 s/;
	const LATER =
		/^GET \S+ — It can be retried in 30 s at the earliest\. n8n limits the time of a poll/;

	const TOO_LONG =
		/^GET \S+ — It can be retried in 2 min at the earliest\. That is too long to wait here/;

	interface Setup {
		serve?: (typeof bench.service)['response'];
		/** Requests in a minute. */
		max?: number;
		/** Whether another poll has run before. */
		isAsked?: boolean;
		options?: object;
		budget?: object;
	}
	/** More about the error, with the time to wait (s) and the cause that n8n reads. */
	interface Said {
		description?: string | RegExp;
		seconds?: [least: number, most: number];
		cause?: string;
	}
	const AT_THE_LIMIT: Said = { seconds: [50, 62], cause: 'rate-limited' };
	const ASKED: Said = { description: LATER, seconds: [30, 30] };
	const LATE: Said = { description: ON_TIME, cause: 'temporarily-unavailable' };
	const AN_HOUR = { 'retry-after': '3600' };
	const MAX_WAIT = { max: 1, options: { maxWait: 1 }, budget: {} };
	const ALLOWED = 'the option Max Wait allows 1 s';
	test.each<[string, Setup, message: string, Said?]>([
		['no room', { max: 1 }, NO_ROOM, AT_THE_LIMIT],
		['Max Wait', MAX_WAIT, NOT_SENT, { ...AT_THE_LIMIT, description: ALLOWED }],
		['a 429 that asks for longer', { serve: refuse(429, ASKING) }, NO_ROOM, ASKED],
		[
			'an earlier 503 that asked for longer',
			{ serve: refuse(503, AN_HOUR), isAsked: true },
			PAUSED,
		],
		['a 503 that asks for longer', { serve: refuse(503, ASKING) }, 'answered 503', ASKED],
		[
			'a 429 that asks for longer than a window, with time left',
			{ serve: refuse(429, { 'retry-after': '120' }), budget: { getPollBudgetMs: () => 200_000 } },
			'answered 429',
			{ description: TOO_LONG, seconds: [120, 120] },
		],
		['no response', { serve: () => undefined }, IN_TIME, LATE],
		['a 401', { serve: refuse(401) }, '401', { description: 'Four causes are possible' }],
	])('%s', async (_, setup, message, said = {}) => {
		const { serve, max = 9, isAsked = max === 1, options = {}, budget = BUDGET } = setup;
		bench.service.response = serve ?? (() => contacts(1));
		const { poll } = bench.trigger({ options }, { credential: { limits: oneLimit(max, 60) } });
		if (isAsked) await poll().catch(() => undefined);
		const startedAt = performance.now();
		const error = await errorOf(poll(budget));
		expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
		expect(bench.service.queries).toHaveLength(1);
		expect(error.message).toContain(message);
		expect(error.description).toMatch(said.description ?? '');
		const { retryAfterSeconds } = error.context as { retryAfterSeconds?: number };
		const [least, most] = said.seconds ?? [];
		if (least !== undefined) expect(retryAfterSeconds).toBeGreaterThanOrEqual(least);
		if (most !== undefined) expect(retryAfterSeconds).toBeLessThanOrEqual(most);
		// n8n 1.x ignores what an error declares.
		const { cause } = said;
		const retryAfterMs = retryAfterSeconds && retryAfterSeconds * 1_000;
		if (cause !== undefined && 'TIMED_CAUSES' in n8nWorkflow) {
			expect(error.failure).toEqual({ cause, retryAfterMs });
		}
	});

	test('a refused connection', async () => {
		pinRandom(0.99);
		await bench.service.stop();
		const { message, description } = await errorOf(bench.trigger().poll(BUDGET));
		expect(message).toContain('the connection was refused');
		expect(description).not.toContain('Max Wait');
	});
});

test('sends of workflows go before a poll', async () => {
	respondSlowly(contacts(200), 0);
	// One request every half second, so a send always waits beside the poll.
	const limits = oneLimit(1, 0.5);
	const { poll } = bench.trigger(byPage, { credential: { limits } });
	const polled = poll({ getPollBudgetMs: () => 15_000 });
	while (bench.service.methods.length < 2) await after(5);
	const send = apiRequest('POST', '/txndata/other');
	const runs = ['a', 'b', 'c'].map(async (run) => {
		const items = [1, 2, 3, 4].map((number) => ({ run, number }));
		await bench.engine.run(workflowOf(items, send), { key: bench.credential({ limits }) });
	});
	await Promise.all(runs);
	const { methods } = bench.service;
	const amongSends = methods.slice(methods.indexOf('POST'), methods.lastIndexOf('POST'));
	expect(methods.filter((method) => method === 'POST')).toHaveLength(12);
	// One read may have been first when the first send arrived.
	expect(amongSends.filter((method) => method === 'GET').length).toBeLessThanOrEqual(1);
	expect(await polled).toEqual([]);
	expect(methods.at(-1)).toBe('GET');
});

test('a read that goes on with the next poll keeps the first value of its expression', async () => {
	respondSlowly(contacts(200));
	const since = query('since', '={{ $now.toMillis() }}');
	const { poll } = bench.trigger({ options: { ...byPage.options, ...since } });
	await poll(BUDGET);
	await after(1_000);
	await poll(BUDGET);
	expect(pagesAsked().at(-1)).toBeGreaterThan(pagesAsked().length / 2);
	expect(new Set(bench.service.queries.map(({ since }) => since)).size).toBe(1);
});
