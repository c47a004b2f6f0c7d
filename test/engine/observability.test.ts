// What a run reports besides its items. To n8n: why it failed and how long its requests waited (n8n 1.x reads neither).
// To the user: signs of a wrong setup, as a hint, in the log at most once a minute, and never as an error.

import { GlobalConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INode, IRun } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { errorOf, hintsOf, itemsOf, NODE, useBench } from '../support/bench';
import { CredentialsHelper } from '../support/credentialsHelper';
import { after } from '../support/logicalTime';
import { ERROR_OUTPUT, getStatus, read, send } from '../support/parameters';

/** Since n8n 2.x; the causes are checked against n8n's own lists. */
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

describe('an error declares its cause', () => {
	const status = (code: number) => () =>
		bench.respond(code, { headers: { 'retry-after': '1' }, times: 9 });
	const stop = () => (bench.credential.baseUrl = 'http://127.0.0.1:9');
	const failToSign = () =>
		jest.spyOn(CredentialsHelper.prototype, 'authenticate').mockRejectedValue(new Error('sealed'));
	const disable = () => bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');

	test.each<[string, () => void, INode['parameters'], ...Declared]>([
		['a refused key', disable, read(), 'credential-invalid'],
		['an invalid key', () => (bench.credential.apiKey = 'none'), read(), 'credential-invalid'],
		['an invalid option', () => undefined, read({ timeout: -1 }), 'configuration-invalid'],
		['a redirect', status(307), read(), 'configuration-invalid'],
		['a read that got a 503', status(503), read(), 'temporarily-unavailable', 1_000],
		['a service that is down', stop, send(), 'temporarily-unavailable'],
		['a request that n8n cannot make', failToSign, send(), 'configuration-invalid'],
		// n8n could retry what has a cause.
		['a send that may have taken effect', status(503), send(), undefined],
	])('for %s', async (_, prepare, parameters, ...declared) => {
		prepare();
		expectCause(errorOf(await bench.run(itemsOf(1), parameters)), ...declared);
	});

	test('for an item that would wait too long, even on the error output', async () => {
		const error = errorOf(await bench.run(itemsOf(4), send({ maxWait: 1 })));
		const { retryAfterSeconds } = error.context as { retryAfterSeconds: number };
		expect(retryAfterSeconds).toBeGreaterThan(5);
		expectCause(error, 'rate-limited', retryAfterSeconds * 1000);
		const [item] = (await bench.run(itemsOf(1), send({ maxWait: 1 }), ERROR_OUTPUT)).items(NODE, 1);
		expect(item?.error).toMatchObject(declares ? { failure: { cause: 'rate-limited' } } : {});
	});
});

describe('the time spent waiting', () => {
	const tracingOf = ({ data }: IRun) => data.resultData.runData[NODE]?.at(-1)?.metadata?.tracing;

	test('is traced and hinted at with the number of requests and the limit', async () => {
		bench.limitTo(5, 2);
		const result = await bench.run(itemsOf(12), read());
		const tracing = tracingOf(result.run) as Record<string, unknown>;
		expect(tracing).toMatchObject({
			'business_data.waited_for': 'general/2s',
			'business_data.requests_waited': 7,
		});
		const waitMs = Number(tracing['business_data.wait_ms']);
		expect(Number.isInteger(waitMs)).toBe(true);
		expect(waitMs).toBeGreaterThanOrEqual(2_000);
		expect(waitMs).toBeLessThanOrEqual(result.ms);
		const message = expect.stringMatching(
			/^7 requests waited \d(\.\d)? s for the limit of 5 per 2 s\.$/,
		) as string;
		expect(result.task(NODE).hints).toMatchObject([{ message, location: 'outputPane' }]);
	});

	test('is traced for a failed run, but not for a run without a request', async () => {
		bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');
		const tracing = tracingOf((await bench.run([{}], read())).run);
		expect(tracing).toMatchObject({ 'business_data.requests_waited': 0 });
		expect(tracing).not.toHaveProperty(['business_data.waited_for']);
		expect(tracingOf((await bench.run([{}], getStatus)).run)).toBeUndefined();
	});
});

describe('signs of a wrong setup', () => {
	/** Runs a read, and returns its hints. */
	async function hintsOfRun(items = 1): Promise<string[]> {
		const result = await bench.run(itemsOf(items), read());
		expect(result.run.status).toBe('success');
		return hintsOf(result);
	}

	const linesWith = (text: string) => bench.engine.log.filter((line) => line.includes(text)).length;

	describe('in queue mode', () => {
		const { executions } = Container.get(GlobalConfig);
		const { mode } = executions;
		beforeEach(() => (executions.mode = 'queue'));
		afterEach(() => (executions.mode = mode));

		test('limits counted in this process give a hint per run and a log line per minute', async () => {
			const text = 'n8n runs in queue mode';
			for (let run = 0; run < 3; run++) {
				expect(await hintsOfRun(2)).toEqual([expect.stringContaining(text)]);
			}
			expect(linesWith(text)).toBe(1);
			await after(60_000);
			await hintsOfRun();
			expect(linesWith(text)).toBe(2);
		});
	});

	test('an unreachable Redis does not count as a second limit store', async () => {
		expect(await hintsOfRun()).toEqual([]);
		Object.assign(bench.credential, { limitStore: 'redis', redisHost: '127.0.0.1', redisPort: 1 });
		const { run } = await bench.run([{}], read({ maxWait: 1 }));
		expect(run.status).toBe('error');
		bench.credential.limitStore = 'memory';
		expect(await hintsOfRun()).toEqual([]);
		expect(linesWith('places (')).toBe(0);
	});

	describe("the service's clock", () => {
		test.each([
			['2 min behind gives a hint', -120_000, {}, ['2 min ahead of the clock of the service']],
			['2 min ahead gives a hint', 121_000, {}, ['behind the clock of the service']],
			['30 s behind gives no hint', -30_000, {}, []],
			['in a cached response gives no hint', -120_000, { age: '110' }, []],
		])('%s', async (_, offMs, headers, expected) => {
			const date = new Date(Date.now() + offMs).toUTCString();
			bench.respond(200, { body: [], headers: { date, ...headers } });
			const hints = expected.map((text) => expect.stringContaining(text) as string);
			expect(await hintsOfRun()).toEqual(hints);
		});
	});
});
