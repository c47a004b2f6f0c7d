// One limiter per key for the whole process, kept as long as a slot is held and not for longer.

import { type Limits, limiterOf } from '../../../nodes/BusinessData/rateLimit';
import { abortController } from '../../../nodes/BusinessData/async';
import { passTime } from '../../support/logicalTime';

const limits: Limits = { general: [{ max: 2, windowMs: 60_000 }], endpoints: {} };
const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 0 };
const request = { ...asked, limits, signal: abortController().signal };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a key has one limiter while a slot is held, and no longer', async () => {
	const limiter = limiterOf('a');
	(await passTime(limiter.acquire(request), 1_000)).letThrough();
	await jest.advanceTimersByTimeAsync(59_000);
	expect(limiterOf('a')).toBe(limiter);
	await jest.advanceTimersByTimeAsync(2_000);
	expect(limiterOf('a')).not.toBe(limiter);
});

test('a key without limits has one limiter while a request is under way', async () => {
	const limiter = limiterOf('unlimited');
	const unlimited = { ...request, limits: { general: [], endpoints: {} } };
	const permit = await passTime(limiter.acquire(unlimited), 1_000);
	await jest.advanceTimersByTimeAsync(60_000);
	expect(limiterOf('unlimited')).toBe(limiter);
	permit.refused(30_000);
	await jest.advanceTimersByTimeAsync(59_000);
	expect(limiterOf('unlimited')).toBe(limiter);
	await jest.advanceTimersByTimeAsync(2_000);
	expect(limiterOf('unlimited')).not.toBe(limiter);
});

test('another key has another limiter, which holds nothing', async () => {
	(await passTime(limiterOf('b').acquire(request), 1_000)).letThrough();
	expect(limiterOf('c')).not.toBe(limiterOf('b'));
	expect(await limiterOf('b').status({ limits })).toMatchObject([{ used: 1, remaining: 1 }]);
	expect(await limiterOf('c').status({ limits })).toMatchObject([{ used: 0, remaining: 2 }]);
});
