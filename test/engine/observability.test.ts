// What a run tells n8n itself, where n8n listens: why it failed, and how long its requests waited. n8n 1.x
// knows neither word and must not stumble over them.

import type { IRun } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { forgetRequests } from '../support/limiters';
import { getStatus, read, READ_ENDPOINT, send, SEND_ENDPOINT } from '../support/parameters';

/** Since 2.x; its words are checked against n8n's own lists. */
const declares = 'TIMED_CAUSES' in n8nWorkflow;
const causes: readonly string[] = declares
	? [...n8nWorkflow.TIMED_CAUSES, ...n8nWorkflow.ACTIONABLE_CAUSES]
	: [];

const bench = useBench();

/** The failure that an error declares. */
function failureOf(error: unknown): unknown {
	return (error as { failure?: unknown }).failure;
}

/** Checks what an error declares; in n8n 1.x, that it declares nothing. */
function expectFailure(error: unknown, failure: Record<string, unknown> | undefined): void {
	if (failure === undefined || !declares) return expect(failureOf(error)).toBeUndefined();
	expect(failureOf(error)).toEqual(failure);
	expect(causes).toContain(failure.cause);
}

describe('the error', () => {
	const status = (endpoint: string, code: number, headers = {}) =>
		bench.sandbox.fault({ endpoint, action: { type: 'status', status: code, headers }, times: 9 });

	test('of a refused key says that the credential is not valid', async () => {
		bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');
		expectFailure(errorOf(await bench.run([{}], read())), { cause: 'credential-invalid' });
		bench.credential.apiKey = 'none';
		expectFailure(errorOf(await bench.run([{}], read())), { cause: 'credential-invalid' });
	});

	test('of a setting says that the configuration is not valid', async () => {
		const error = errorOf(await bench.run([{}], read({ timeout: -1 })));
		expectFailure(error, { cause: 'configuration-invalid' });
		status(READ_ENDPOINT, 307);
		const moved = errorOf(await bench.run([{}], read()));
		expectFailure(moved, { cause: 'configuration-invalid' });
	});

	test('of an item that would wait too long says when there is room again', async () => {
		const error = errorOf(await bench.run(itemsOf(4), send({ maxWait: 1 })));
		const { retryAfterSeconds } = error.context as { retryAfterSeconds: number };
		expect(retryAfterSeconds).toBeGreaterThan(5);
		expectFailure(error, { cause: 'rate-limited', retryAfterMs: retryAfterSeconds * 1000 });
	});

	test('of a read that the service could not serve says that a wait helps', async () => {
		status(READ_ENDPOINT, 503);
		const error = errorOf(await bench.run([{}], read()));
		expectFailure(error, { cause: 'temporarily-unavailable' });
	});

	test('of a send that may have taken effect says nothing that could have it repeated', async () => {
		for (const code of [503, 500]) {
			status(SEND_ENDPOINT, code, { 'retry-after': '1' });
			expectFailure(errorOf(await bench.run(itemsOf(1), send())), undefined);
			forgetRequests(bench.sandbox);
		}
		bench.sandbox.fault({ endpoint: SEND_ENDPOINT, action: { type: 'hangUpAfterActing' } });
		expectFailure(errorOf(await bench.run(itemsOf(1), send())), undefined);
	});

	test('that leaves by the error output says it too', async () => {
		const result = await bench.run(itemsOf(4), send({ maxWait: 1 }), {
			onError: 'continueErrorOutput',
		});
		const [item] = result.items(NODE, 1);
		const cause = declares ? 'rate-limited' : undefined;
		expect((failureOf(item?.error) as { cause?: string } | undefined)?.cause).toBe(cause);
	});

	test("of a trigger's poll says it too, so that n8n waits before the next one", async () => {
		bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');
		const parameters = { events: ['contactCreated'], idField: 'id', options: {} };
		const { poll } = bench.engine.trigger(parameters, { key: bench.credential });
		expectFailure(await poll().catch((error: unknown) => error), { cause: 'credential-invalid' });
	});
});

describe('the metadata for tracing', () => {
	const tracingOf = ({ data }: IRun) =>
		data.resultData.runData[NODE]?.at(-1)?.metadata?.tracing as Record<string, unknown>;

	test('say how long the requests of a run waited, how many, and for what', async () => {
		const limits = JSON.stringify({ general: [{ max: 5, windowSeconds: 2 }] });
		Object.assign(bench.credential, { customize: true, limits });
		const startedAt = performance.now();
		const { run } = await bench.run(itemsOf(12), read());
		const elapsedMs = performance.now() - startedAt;
		expect(run.status).toBe('success');
		const tracing = tracingOf(run);
		expect(tracing['business_data.waited_for']).toBe('general/2s');
		expect(tracing['business_data.requests_waited']).toBe(7);
		const waitMs = Number(tracing['business_data.wait_ms']);
		expect(Number.isInteger(waitMs)).toBe(true);
		expect(waitMs).toBeGreaterThanOrEqual(2_000);
		expect(waitMs).toBeLessThanOrEqual(elapsedMs);
	});

	test('say so of a run that failed, and that nothing waited where nothing did', async () => {
		bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');
		const { run } = await bench.run([{}], read());
		expect(run.status).toBe('error');
		const tracing = tracingOf(run);
		expect(tracing['business_data.requests_waited']).toBe(0);
		expect(tracing).not.toHaveProperty(['business_data.waited_for']);
	});

	test('are not there for a run without a request', async () => {
		const { run } = await bench.run([{}], getStatus);
		expect(tracingOf(run)).toBeUndefined();
	});
});
