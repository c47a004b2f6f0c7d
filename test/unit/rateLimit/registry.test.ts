// A key has one limiter as long as a request is under way or something is known, also where nothing limits it.

import { limiterOf } from '../../../nodes/BusinessData/rateLimit';
import { abortController } from '../../../nodes/BusinessData/async';
import { passTime } from '../../support/logicalTime';

const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 0 };
const limits = { general: [], endpoints: {} };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a key without limits has one limiter while a request is under way', async () => {
	const limiter = limiterOf('unlimited');
	const { signal } = abortController();
	const permit = await passTime(limiter.acquire({ ...asked, limits, signal }), 1_000);
	await jest.advanceTimersByTimeAsync(60_000);
	expect(limiterOf('unlimited')).toBe(limiter);
	permit.refused(30_000);
	await jest.advanceTimersByTimeAsync(59_000);
	expect(limiterOf('unlimited')).toBe(limiter);
	await jest.advanceTimersByTimeAsync(2_000);
	expect(limiterOf('unlimited')).not.toBe(limiter);
});
