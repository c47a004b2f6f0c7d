// Who goes next, what the wait is put down to, and which room has been promised to whom; each by itself.
import { atMost, schedule } from '../../../nodes/BusinessData/rateLimit/bottleneck';
import { Tickets } from '../../../nodes/BusinessData/rateLimit/tickets';
import { WaitTime, WaitTooLongError } from '../../../nodes/BusinessData/rateLimit/waitTime';
import { abortController } from '../../../nodes/BusinessData/async';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = async (ms = 10) => await jest.advanceTimersByTimeAsync(ms);

test('a wait is put down to what took longest', async () => {
	await pass();
	const wait = new WaitTime();
	expect([wait.totalMs, wait.longestCause]).toEqual([0, undefined]);
	for (const [ms, cause] of [
		[0, 'refusal'],
		[300, 'pause'],
		[300, 'refusal'],
		[200, 'refusal'],
	] as const) {
		await pass(ms);
		wait.spentFor(cause);
	}
	await pass(900);
	expect([wait.totalMs, wait.longestCause]).toEqual([800, 'pause']);
	expect(wait.startedAt).toBe(performance.now() - 1_700);
});

test('a wait that is too long says so', () => {
	expect(new WaitTooLongError(1_001, true)).toMatchObject({
		...{ name: 'WaitTooLongError', retryAfterMs: 1_001, isRequested: true },
		message: 'The wait would take at least 2 s',
	});
});

test('who goes next has the first number; who has given up does not go', async () => {
	const limiter = atMost(1);
	const { signal } = abortController();
	const [early, late] = [abortController(), abortController()];
	const order: string[] = [];
	let end: () => void = () => undefined;
	const begin = async (name: string) => {
		order.push(name);
		if (name === 'first') await new Promise<void>((resolve) => (end = resolve));
		if (name === 'failing') throw new Error(name);
		return name;
	};
	const all = [
		schedule(limiter, 5, signal, async () => await begin('first')),
		schedule(limiter, 5, late.signal, async () => await begin('given up')),
		schedule(limiter, 5, signal, async () => await begin('failing')),
		schedule(limiter, 3, signal, async () => await begin('again')),
	];
	const results = Promise.allSettled(all);
	await pass();
	late.abort(new Error('stop'));
	await expect(all[1]).rejects.toThrow('stop');
	early.abort(new Error('stopped before'));
	await expect(schedule(limiter, 1, early.signal, async () => await begin('x'))).rejects.toThrow(
		'before',
	);
	expect(order).toEqual(['first']);
	end();
	await pass();
	expect(order).toEqual(['first', 'again', 'failing']);
	expect((await results).map(({ status }) => status)).toEqual([
		...['fulfilled', 'rejected', 'rejected', 'fulfilled'],
	]);
	await expect(all[0]).resolves.toBe('first');
	await expect(all[2]).rejects.toThrow('failing');
});

test('room that was promised goes in the order of its moments, and lapses', async () => {
	await pass(100_000);
	const tickets = new Tickets();
	const now = performance.now();
	const names = (count = 2, of = 'x') => tickets.before(of, count).map(({ name }) => name);
	expect([tickets.lapsedInMs, names()]).toEqual([0, []]);
	tickets.make({ name: 'late', at: now + 9_000, left: 2 });
	tickets.make({ name: 'early', at: now + 2_001, left: 2 });
	tickets.make({ name: 'mid', at: now + 5_000, left: 1 });
	expect([names(), names(1, 'mid'), names(2, 'mid'), names(2, 'early')]).toEqual([
		...[['early', 'mid', 'late'], ['early'], ['early', 'late'], []],
	]);
	expect(tickets.lapsedInMs).toBe(99_000);
	// Two seconds before its moment it may be used, request by request.
	tickets.use();
	expect(names(2, 'early')).toEqual([]);
	await pass(1);
	tickets.use();
	expect([names(), names(2, 'early')]).toEqual([
		...[
			['early', 'mid', 'late'],
			['mid', 'late'],
		],
	]);
	tickets.use();
	tickets.use();
	expect(names()).toEqual(['mid', 'late']);
	tickets.make({ name: 'mid', at: now + 10_000, left: 1 });
	expect(names()).toEqual(['late', 'mid']);
	tickets.withdraw('mid');
	expect(names()).toEqual(['late']);
	await pass(98_998);
	expect([names(), tickets.lapsedInMs]).toEqual([['late'], 1]);
	await pass(1);
	expect([names(), tickets.lapsedInMs]).toEqual([[], 0]);
	tickets.use();
});
