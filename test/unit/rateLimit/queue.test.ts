// The order of requests under the same limits, how many are ahead of a new one, and which pauses are too long.
import type { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import { Queue } from '../../../nodes/BusinessData/rateLimit/queue';
import { limitsOf, permitUnder } from '../../support/limitStoreRequest';

const MINUTE = { max: 3, windowMs: 60_000 };
const SECOND = { max: 2, windowMs: 1_000 };

let queue: Queue;
beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(1_000);
	queue = new Queue('key', [limitsOf('a', [MINUTE]), limitsOf('general', [SECOND])]);
});
afterEach(() => jest.useRealTimers());

/** Creates a permit, and adds it to the queue. */
function newPermit(run: string, priority = 5, maxWaitMs = Infinity): Permit {
	const permit = permitUnder(queue.limitedBy, { run, priority, maxWaitMs });
	permit.granted.catch(() => undefined);
	queue.add(permit);
	return permit;
}
/** The runs of the requests, in the order in which they go. */
function order(): string[] {
	const runs: string[] = [];
	for (let next = queue.next(); next !== undefined; next = queue.next()) {
		runs.push(next.request.run);
		queue.delete(next);
	}
	return runs;
}

test('the lowest priority number goes first, and runs take turns', () => {
	for (const run of ['a', 'a', 'a', 'b', 'b', 'c']) newPermit(run);
	newPermit('a', 3);
	newPermit('d', 8);
	expect(queue.size).toBe(8);
	expect(order()).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'd']);
	expect([queue.size, queue.next()]).toEqual([0, undefined]);
});

test('the first request stays first until it is deleted, and one that is refused fails', async () => {
	const first = newPermit('a');
	const second = newPermit('b');
	expect([queue.next(), queue.next()]).toEqual([first, first]);
	queue.delete(first);
	queue.delete(first);
	expect([queue.next(), queue.size]).toEqual([second, 1]);
	queue.refuse(second, new Error('stop'));
	await expect(second.granted).rejects.toThrow('stop');
	expect(queue.size).toBe(0);
});

test('ahead of a request are its run, the first of each other run, and all of higher priority', () => {
	const aheadOf = (run: string, priority = 5) => queue.aheadOf({ run, priority });
	expect(aheadOf('a')).toBe(0);
	for (const run of ['a', 'a', 'a', 'b', 'b', 'c']) newPermit(run);
	expect(['a', 'b', 'c', 'd'].map((run) => aheadOf(run))).toEqual([5, 4, 3, 3]);
	for (const run of ['b', 'b']) newPermit(run, 3);
	newPermit('a', 8);
	expect([3, 5, 8].map((priority) => aheadOf('a', priority))).toEqual([1, 7, 9]);
});

test.each<[number, number | undefined, boolean | undefined]>([
	[0, 0, undefined],
	[0, -1, undefined],
	[1_020, undefined, undefined],
	[60_100, undefined, undefined],
	[60_101, undefined, true],
	[60_101, 1, true],
	[2_000, 2_000, undefined],
	[2_000, 1_999, false],
])('a pause of %i ms with %s ms left is too long (as asked for: %s)', (ms, leftMs, isAskedFor) => {
	queue.limitedBy[0].endpoint.otherClients.pause([MINUTE], ms, true);
	expect(queue.pausedMs).toBe(ms);
	const error = queue.pauseError(leftMs);
	expect(error && [error.retryAfterMs, error.isAskedFor]).toEqual(
		isAskedFor === undefined ? undefined : [ms, isAskedFor],
	);
});

test('without limits, a pause of a minute is not too long', () => {
	const [own] = queue.limitedBy;
	own.endpoint.otherClients.pause([MINUTE], 60_000, true);
	const unlimited = new Queue('key', [{ ...own, limits: [] }]);
	expect([unlimited.pausedMs, unlimited.pauseError()]).toEqual([60_000, undefined]);
});
