// What a run tells n8n itself, where n8n listens: why it failed, and how long its requests waited. n8n 1.x
// knows neither word and must not stumble over them.

import type { INode, IRun } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { getStatus, read, READ_ENDPOINT, send, SEND_ENDPOINT } from '../support/parameters';

/** Since 2.x; its words are checked against n8n's own lists. */
const declares = 'TIMED_CAUSES' in n8nWorkflow;
const causes: readonly string[] = declares
	? [...n8nWorkflow.TIMED_CAUSES, ...n8nWorkflow.ACTIONABLE_CAUSES]
	: [];

const bench = useBench();

type Declared = [cause: string | undefined, retryAfterMs?: number];

/** Checks what an error declares; in n8n 1.x, that it declares nothing. */
function expectCause(error: unknown, ...[cause, retryAfterMs]: Declared): void {
	const { failure } = error as { failure?: unknown };
	if (cause === undefined || !declares) return expect(failure).toBeUndefined();
	expect(failure).toEqual({ cause, retryAfterMs });
	expect(causes).toContain(cause);
}

describe('the error declares its cause', () => {
	const status = (code: number) => () => {
		const action = { type: 'status', status: code, headers: { 'retry-after': '1' } } as const;
		for (const endpoint of [READ_ENDPOINT, SEND_ENDPOINT])
			bench.sandbox.fault({ endpoint, action, times: 9 });
	};
	const disable = () => bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');

	test.each<[string, () => void, INode['parameters'], ...Declared]>([
		['a refused key', disable, read(), 'credential-invalid'],
		['no key', () => (bench.credential.apiKey = 'none'), read(), 'credential-invalid'],
		['a wrong setting', () => undefined, read({ timeout: -1 }), 'configuration-invalid'],
		['a redirect', status(307), read(), 'configuration-invalid'],
		['a read that was not served', status(503), read(), 'temporarily-unavailable', 1_000],
		// Nothing that could have it repeated.
		['a send that may have taken effect', status(503), send(), undefined],
	])('of %s', async (_, prepare, parameters, ...declared) => {
		prepare();
		expectCause(errorOf(await bench.run(itemsOf(1), parameters)), ...declared);
	});

	test('of an item that would wait too long, also on the error output', async () => {
		const error = errorOf(await bench.run(itemsOf(4), send({ maxWait: 1 })));
		const { retryAfterSeconds } = error.context as { retryAfterSeconds: number };
		expect(retryAfterSeconds).toBeGreaterThan(5);
		expectCause(error, 'rate-limited', retryAfterSeconds * 1000);
		const settings = { onError: 'continueErrorOutput' } as const;
		const [item] = (await bench.run(itemsOf(1), send({ maxWait: 1 }), settings)).items(NODE, 1);
		expect(item?.error).toMatchObject(declares ? { failure: { cause: 'rate-limited' } } : {});
	});

	test("of a trigger's poll, so that n8n waits before the next one", async () => {
		disable();
		const parameters = { events: ['contactCreated'], idField: 'id', options: {} };
		const { poll } = bench.engine.trigger(parameters, { key: bench.credential });
		expectCause(await poll().catch((error: unknown) => error), 'credential-invalid');
	});
});

describe('the metadata for tracing', () => {
	const tracingOf = ({ data }: IRun) => data.resultData.runData[NODE]?.at(-1)?.metadata?.tracing;

	test('say how long the requests of a run waited, how many, and for what', async () => {
		const limits = JSON.stringify({ general: [{ max: 5, windowSeconds: 2 }] });
		Object.assign(bench.credential, { customize: true, limits });
		const startedAt = performance.now();
		const { run } = await bench.run(itemsOf(12), read());
		const elapsedMs = performance.now() - startedAt;
		const tracing = tracingOf(run) as Record<string, unknown>;
		expect(tracing).toMatchObject({
			...{ 'business_data.waited_for': 'general/2s', 'business_data.requests_waited': 7 },
		});
		const waitMs = Number(tracing['business_data.wait_ms']);
		expect(Number.isInteger(waitMs)).toBe(true);
		expect(waitMs).toBeGreaterThanOrEqual(2_000);
		expect(waitMs).toBeLessThanOrEqual(elapsedMs);
	});

	test('say so of a run that failed, and are not there for a run without a request', async () => {
		bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');
		const tracing = tracingOf((await bench.run([{}], read())).run);
		expect(tracing).toMatchObject({ 'business_data.requests_waited': 0 });
		expect(tracing).not.toHaveProperty(['business_data.waited_for']);
		expect(tracingOf((await bench.run([{}], getStatus)).run)).toBeUndefined();
	});
});
