/** The sentence about waits in the output panel: how many requests waited, how long and for what. */
import { PAUSE, type Permit, REFUSAL } from '../../../nodes/BusinessData/rateLimit';
import { RunWaitTime } from '../../../nodes/BusinessData/transport/runWaitTime';
import { after } from '../../support/logicalTime';

type WaitCause = NonNullable<Permit['waitedFor']>;

const general: WaitCause = { name: 'general/10s', max: 30, windowMs: 10_000 };
const minute: WaitCause = { name: 'general/60s', max: 100, windowMs: 60_000 };
const SEND = 'POST /txndata/sendTxn';
const SOMEBODY =
	'a request (429). Something else seems to use the same API key, or n8n was restarted and has lost count.';
const ofSends: WaitCause = { name: `${SEND}/600s`, max: 3, windowMs: 600_000 };

describe('the time that requests waited', () => {
	let waitTime: RunWaitTime;

	beforeEach(() => {
		jest.useFakeTimers();
		waitTime = new RunWaitTime();
	});
	afterEach(() => jest.useRealTimers());

	/** Lets requests wait side by side, each for one of the times (ms). */
	async function wait(cause: WaitCause | undefined, ...times: number[]): Promise<void> {
		const all = times.map(async (ms) => {
			await waitTime.during(after(ms));
			waitTime.add(ms, cause, false);
		});
		await jest.advanceTimersByTimeAsync(Math.max(...times));
		await Promise.all(all);
	}

	test('is undefined if nothing waited', () => {
		expect(waitTime.describe()).toBeUndefined();
		expect([waitTime.elapsedMs, waitTime.tracing]).toEqual([0, undefined]);
	});

	test.each<[WaitCause, number[], string]>([
		[general, [48_000], '1 request waited 48 s for the limit of 30 per 10 s.'],
		[general, [1_000, 48_000, 9_000], '3 requests waited 48 s for the limit of 30 per 10 s.'],
		[ofSends, [600_000], `1 request waited 10 min for the limit of 3 per 10 min on ${SEND}.`],
		[REFUSAL, [5_000, 5_000], `2 requests waited 5 s after the service refused ${SOMEBODY}`],
		[PAUSE, [30_000], '1 request waited 30 s because the service had asked for a pause.'],
	])('for %j over %j ms is described: %s', async (cause, times, sentence) => {
		await wait(cause, ...times);
		expect(waitTime.describe()).toBe(sentence);
		expect(waitTime.tracing).toEqual({
			'business_data.wait_ms': Math.max(...times),
			'business_data.requests_waited': times.length,
			'business_data.waited_for': typeof cause === 'string' ? cause : cause.name,
		});
	});

	test('names the cause that took the most time in all', async () => {
		await wait(general, 4_000, 4_000, 4_000);
		await wait(minute, 9_000);
		expect(waitTime.describe()).toBe('4 requests waited 13 s for the limit of 30 per 10 s.');
		await wait(minute, 9_000);
		expect(waitTime.describe()).toBe('5 requests waited 22 s for the limit of 100 per 60 s.');
	});

	test('leaves out waits that are too short', async () => {
		await wait(general, 999);
		expect(waitTime.describe()).toBeUndefined();
		expect(waitTime.tracing).toMatchObject({ 'business_data.wait_ms': 999 });
		await wait(general, 99);
		await wait(undefined, 5_000);
		expect(waitTime.describe()).toBe('1 request waited 6.1 s for the limit of 30 per 10 s.');
	});

	test('counts overlapping waits once', async () => {
		await wait(general, 2_000, 3_000);
		await jest.advanceTimersByTimeAsync(10_000);
		await wait(general, 1_000);
		expect(waitTime.elapsedMs).toBe(4_000);
		// One that begins during another and ends after it.
		const first = waitTime.during(after(3_000));
		await jest.advanceTimersByTimeAsync(1_000);
		const second = waitTime.during(after(5_000));
		await jest.advanceTimersByTimeAsync(5_000);
		await Promise.all([first, second]);
		expect(waitTime.elapsedMs).toBe(10_000);
	});

	test('counts a wait that is not over, and one that fails', async () => {
		const failed = waitTime.during(
			after(2_000).then(() => {
				throw new Error('stopped');
			}),
		);
		const outcome = expect(failed).rejects.toThrow('stopped');
		await jest.advanceTimersByTimeAsync(1_500);
		expect(waitTime.elapsedMs).toBe(1_500);
		await jest.advanceTimersByTimeAsync(500);
		await outcome;
		await jest.advanceTimersByTimeAsync(5_000);
		expect(waitTime.elapsedMs).toBe(2_000);
	});
});
