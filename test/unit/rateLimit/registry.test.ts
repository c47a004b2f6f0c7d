// One limiter per key for the whole process, kept as long as a slot is held and not for longer.

import { abortController } from '../../../nodes/BusinessData/rateLimit/abort';
import type { Limits } from '../../../nodes/BusinessData/rateLimit/limits';
import { limiterOf, statusOf } from '../../../nodes/BusinessData/rateLimit/registry';
import { passTime } from '../../support/logicalTime';

const limits: Limits = { general: [{ max: 2, windowMs: 60_000 }], scopes: {} };
const request = { batch: 'run', signal: abortController().signal };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a key has one limiter while a slot is held, and no longer', async () => {
	const limiter = limiterOf('a', limits);
	(await passTime(limiter.acquire(request), 1_000)).letThrough();
	await jest.advanceTimersByTimeAsync(59_000);
	expect(limiterOf('a', limits)).toBe(limiter);
	await jest.advanceTimersByTimeAsync(2_000);
	expect(limiterOf('a', limits)).not.toBe(limiter);
});

test('another key has another', () => {
	expect(limiterOf('b', limits)).not.toBe(limiterOf('c', limits));
});

test('the status of a key tells what its limiter holds, and that of an unused key that all is free', async () => {
	(await passTime(limiterOf('d', limits).acquire(request), 1_000)).letThrough();
	expect(await statusOf('d', limits)).toMatchObject([{ used: 1, remaining: 1 }]);
	expect(await statusOf('e', limits)).toMatchObject([{ used: 0, remaining: 2 }]);
});
