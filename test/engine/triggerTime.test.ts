// A poll keeps to the time that n8n gives it, and to its place behind sends: what does not fit, the next poll
// goes on with.

import * as n8nWorkflow from 'n8n-workflow';

import { pinRandom } from '../support/bench';
import { workflowOf } from '../support/engineWorkflow';
import { after } from '../support/logicalTime';
import { apiRequest } from '../support/parameters';
import { useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

const BUDGET = { getPollBudgetMs: () => 1_000 };
/** Far less than any request waits here, and more than a busy machine is late. */
const LONGEST_MS = 10_000;
const contacts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

const limitsOf = (max: number, windowSeconds: number) =>
	JSON.stringify({ general: [{ max, windowSeconds }], endpoints: {} });
const errorOf = async (polled: Promise<unknown>) => await polled.catch((error: unknown) => error);

/** A list that is served with five contacts per page, each page after `delayMs`. */
function responseSlowly(list: object[], delayMs = 120) {
	bench.service.response = ({ page }, response) => {
		const start = 5 * (Number(page) - 1);
		response.setHeader('content-type', 'application/json');
		const body = JSON.stringify(list.slice(start, start + 5));
		setTimeout(() => response.end(body), delayMs);
	};
}

const byPage = { options: { pagination: { values: { type: 'pageNumber', pageSize: 5 } } } };
const pagesAsked = () => bench.service.queries.map(({ page }) => Number(page));

test('a read that does not fit goes on at the page it had reached', async () => {
	responseSlowly(contacts(60));
	const { poll, staticData } = bench.trigger(byPage);
	const startedAt = performance.now();
	expect(await poll(BUDGET)).toEqual([]);
	expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
	const first = pagesAsked().length;
	expect(first).toBeGreaterThan(1);
	expect(first).toBeLessThan(12);
	// A restart in between: what has been read by then was saved.
	const saved = JSON.parse(JSON.stringify(staticData)) as Record<string, never>;
	const again = bench.trigger(byPage, { staticData: saved });
	for (let polls = 0; polls < 3; polls++) expect(await again.poll(BUDGET)).toEqual([]);
	const asked = pagesAsked();
	// Each page once, and where the time was up in the middle of a request, that page again.
	const steps = asked.slice(1).map((page, index) => page - (asked[index] ?? 0));
	expect(asked[0]).toBe(1);
	expect(steps.slice(0, asked.indexOf(13)).every((step) => step === 0 || step === 1)).toBe(true);
	expect(asked).toContain(13);
});

test('a poll waits for room again and again, as long as its time lasts', async () => {
	responseSlowly(contacts(70), 0);
	const { poll } = bench.trigger(byPage, { credential: { limits: limitsOf(1, 2.5) } });
	expect(await poll()).toEqual([]);
	expect(pagesAsked()).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
});

test('a request without a response ends with its own timeout, and is sent again', async () => {
	bench.service.response = () => (bench.service.queries.length > 1 ? contacts(1) : undefined);
	const { poll } = bench.trigger({ options: { timeout: 5 } });
	expect(await poll()).toEqual([]);
	expect(bench.service.queries).toHaveLength(2);
});

describe('a poll in which nothing could be read', () => {
	/** n8n 1.x takes no notice of what an error declares. */
	const expectFailure = (error: unknown, expected: Record<string, unknown>) => {
		const { failure } = error as { failure?: unknown };
		if ('TIMED_CAUSES' in n8nWorkflow) expect(failure).toEqual(expected);
		else expect(failure).toBeUndefined();
	};

	test('because the limits leave no room says so, with the time to wait, as n8n understands it', async () => {
		bench.service.response = () => contacts(1);
		const { poll } = bench.trigger({}, { credential: { limits: limitsOf(1, 60) } });
		await poll();
		const startedAt = performance.now();
		const error = await errorOf(poll(BUDGET));
		expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
		expect(error).toMatchObject({
			message: 'Not read: the limits left no room in the time of this poll',
			context: { outcome: 'notSent', retryAfterSeconds: expect.any(Number) as number },
		});
		const { retryAfterSeconds } = (error as { context: { retryAfterSeconds: number } }).context;
		expect(retryAfterSeconds).toBeGreaterThan(50);
		expect(retryAfterSeconds).toBeLessThan(62);
		expectFailure(error, { cause: 'rate-limited', retryAfterMs: retryAfterSeconds * 1_000 });
	});

	test.each([
		[429, 'Not read: the limits left no room in the time of this poll'],
		[503, 'The service answered 503 Service Unavailable'],
	])('because of a %i that asks for longer says for how long', async (status, message) => {
		bench.service.response = (_, response) => {
			response.statusCode = status;
			response.setHeader('retry-after', '30');
			return {};
		};
		const { poll } = bench.trigger({}, { credential: { limits: limitsOf(9, 60) } });
		const error = await errorOf(poll(BUDGET));
		expect(error).toMatchObject({
			message,
			description: expect.stringMatching(
				/^GET \S+ — It can be retried in 30 s at the earliest\. n8n gives a poll a time/,
			) as string,
			context: { retryAfterSeconds: 30 },
		});
		expect(bench.service.queries).toHaveLength(1);
	});

	test('because the key is refused says why', async () => {
		bench.service.response = (_, response) => void response.writeHead(401).end('{}');
		await expect(bench.trigger().poll()).rejects.toMatchObject({
			description: expect.stringContaining('Four causes are possible') as string,
		});
	});

	test('because nobody is there says that', async () => {
		pinRandom(0.99);
		await bench.service.stop();
		await expect(bench.trigger().poll(BUDGET)).rejects.toMatchObject({
			message: expect.stringContaining('the connection was refused') as string,
			description: expect.not.stringContaining('Max Wait') as string,
		});
	});

	test('because of Max Wait says that', async () => {
		bench.service.response = () => contacts(1);
		const limits = limitsOf(1, 60);
		const parameters = { options: { maxWait: 1 } };
		const { poll } = bench.trigger(parameters, { credential: { limits } });
		await poll();
		const error = await errorOf(poll());
		expect(error).toMatchObject({
			message: expect.stringContaining('Not sent: the limits leave no room') as string,
			description: expect.stringContaining('the option Max Wait allows 1 s') as string,
		});
		expectFailure(error, {
			cause: 'rate-limited',
			retryAfterMs: expect.any(Number) as number,
		});
	});

	test('because the service does not respond says that', async () => {
		bench.service.response = () => undefined;
		const { poll } = bench.trigger();
		const startedAt = performance.now();
		const error = await errorOf(poll(BUDGET));
		expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
		expect(error).toMatchObject({
			message: 'Not read: the service did not respond in the time of this poll',
			description: expect.stringMatching(
				/^GET \S+ — n8n gives a poll a time, of which 0\.9 s/,
			) as string,
		});
		expectFailure(error, { cause: 'temporarily-unavailable' });
	});
});

test('sends of workflows go first', async () => {
	responseSlowly(contacts(200), 0);
	// One request every half second: there is always a send that waits beside the poll.
	const limits = limitsOf(1, 0.5);
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
	// One may have stood in front when a send was on its way.
	expect(amongSends.filter((method) => method === 'GET').length).toBeLessThanOrEqual(1);
	expect(await polled).toEqual([]);
	expect(methods.at(-1)).toBe('GET');
});

test('a read of what an expression asks for goes on with the value that it began with', async () => {
	responseSlowly(contacts(200));
	const parameters = [{ name: 'since', value: '={{ $now.toMillis() }}' }];
	const { poll } = bench.trigger({
		options: { ...byPage.options, queryParameters: { parameters } },
	});
	await poll(BUDGET);
	await after(1_000);
	await poll(BUDGET);
	expect(pagesAsked().at(-1)).toBeGreaterThan(pagesAsked().length / 2);
	expect(new Set(bench.service.queries.map(({ since }) => since)).size).toBe(1);
});
