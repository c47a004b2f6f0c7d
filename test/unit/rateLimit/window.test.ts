// Slots and windows by themselves: what is counted where, for how long, and what is said when it comes free.
import {
	type LimitedWindow,
	Scope,
	type Stage,
	Stages,
} from '../../../nodes/BusinessData/rateLimit/scope';
import { WaitTooLongError } from '../../../nodes/BusinessData/rateLimit/waitTime';
import { Slot, Window } from '../../../nodes/BusinessData/rateLimit/window';
import { abortController } from '../../../nodes/BusinessData/async';

const SECOND = { max: 2, windowMs: 1_000 };
const MINUTE = { max: 3, windowMs: 60_000 };
const { signal: never } = abortController();

let freed: number;
let scope: Scope;
let startedAt: number;

beforeEach(() => {
	jest.useFakeTimers();
	freed = 0;
	startedAt = performance.now();
	scope = new Scope('post /a', 'POST /a', () => void freed++);
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const take = ({ windows }: Stage) => scope.take(windows);
const counts = (windows: LimitedWindow[]) => windows.map(({ window }) => window.used);
const isSettled = async (promise: Promise<unknown>) => {
	let is = false;
	void promise.then(() => (is = true));
	await pass(10);
	return is;
};

describe('a scope', () => {
	test('has its windows longest first, and the same for the same limits', () => {
		const stage = scope.under([SECOND, MINUTE]);
		expect(
			stage.windows.map(({ name, max, windowMs, holdMs, room }) => [
				name,
				max,
				windowMs,
				holdMs,
				room,
			]),
		).toEqual([
			['POST /a/60s', 3, 60_000, 60_100, 3],
			['POST /a/1s', 2, 1_000, 1_020, 2],
		]);
		expect(scope.under([SECOND, MINUTE])).toBe(stage);
		const narrow = scope.under([{ ...SECOND, max: 1 }]);
		expect(narrow).not.toBe(stage);
		expect(scope.under([{ ...SECOND, windowMs: 1_001 }])).not.toBe(narrow);
		expect(narrow.windows[0]?.window).toBe(stage.windows[1]?.window);
		expect([stage.otherClients, stage.pausedMs, scope.otherClientsVersion]).toEqual([
			scope.otherClients,
			0,
			'0',
		]);
	});

	test('counts each slot in all windows, from the moment it is taken until they have passed', async () => {
		const stage = scope.under([SECOND, MINUTE]);
		const [first, second] = [take(stage), take(stage)];
		await pass(10);
		expect(await Promise.all([first.placed, second.placed])).toEqual(Array(2).fill(Array(2)));
		startedAt = performance.now();
		first.hold(0);
		second.hold(500);
		const [{ window }] = stage.windows as [LimitedWindow];
		expect([window.underWay, window.freeTimes(7).map((at) => at - startedAt)]).toEqual([
			0,
			[60_100, 60_600],
		]);
		const seen: unknown[] = [];
		for (const ms of [0, 1_019, 1, 499, 1, 58_579, 1, 500]) {
			await pass(ms);
			seen.push([...counts(stage.windows), freed, scope.restMs]);
		}
		expect(seen).toEqual([
			...[
				[2, 2, 0, Infinity],
				[2, 2, 0, Infinity],
				[2, 1, 1, Infinity],
				[2, 1, 1, Infinity],
			],
			...[
				[2, 0, 2, Infinity],
				[2, 0, 2, Infinity],
				[1, 0, 3, Infinity],
				[0, 0, 4, 0],
			],
		]);
		await pass(10);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('counts what is under way without an end', async () => {
		const stage = scope.under([SECOND]);
		const slot = take(stage);
		await pass(100_000);
		const [{ window }] = stage.windows as [LimitedWindow];
		expect([window.used, window.underWay, window.freeTimes(7)]).toEqual([1, 1, [1_027]]);
		slot.free();
		slot.leave(window);
		expect([window.used, freed, scope.restMs]).toEqual([0, 1, 0]);
		take(stage).hold(0);
		await pass(1_030);
		expect(jest.getTimerCount()).toBe(0);
		// Nothing remembers one that has left all windows that there were.
		expect(counts(scope.under([MINUTE]).windows)).toEqual([0]);
	});

	test('counts in a new length what is younger than that, or under way', async () => {
		scope.take([]).hold(0);
		const long = scope.under([MINUTE, { max: 9, windowMs: 500 }]);
		expect(counts(long.windows)).toEqual([0, 0]);
		const [first, , third, gone] = [take(long), take(long), take(long), take(long)];
		first.hold(0);
		gone.free();
		await pass(1_020);
		third.hold(0);
		await pass(1_019);
		expect(counts(scope.under([SECOND]).windows)).toEqual([2]);
		expect(counts(scope.under([{ max: 9, windowMs: 2_000 }]).windows)).toEqual([3]);
		await pass(1);
		expect(counts(scope.under([SECOND]).windows)).toEqual([1]);
		await pass(60_000);
		expect(counts(scope.under([{ max: 9, windowMs: 100_000 }]).windows)).toEqual([1]);
	});

	test('is to be remembered as long as anyone waits, is known or was a ticket for room', async () => {
		expect(scope.restMs).toBe(0);
		scope.tickets.make({ name: 'a', at: performance.now() + 5_000, left: 1 });
		expect(scope.restMs).toBe(95_000);
		scope.otherClients.pause([MINUTE], 120_000, true);
		expect(scope.restMs).toBe(120_000);
		let end: () => void = () => undefined;
		const turn = scope.runs.runExclusive(
			'a',
			never,
			async () => await new Promise<void>((done) => (end = done)),
		);
		expect(scope.restMs).toBe(Infinity);
		await pass(0);
		end();
		await turn;
		expect(scope.restMs).toBe(120_000);
	});
});

describe('a window', () => {
	test('is as wide as the widest limit, and takes no more at once', async () => {
		const narrow = scope.under([SECOND]);
		const wide = scope.under([{ ...SECOND, max: 3 }]);
		const slots = [narrow, narrow].map(take);
		for (const slot of slots) slot.hold(0);
		slots.push(take(wide));
		expect(counts(wide.windows)).toEqual([3]);
		expect(await isSettled(Promise.all(slots.map(({ placed }) => placed)))).toBe(true);
		const other = new Window(1_000, 1, () => undefined);
		const [one, two] = [new Slot(() => undefined), new Slot(() => undefined)];
		other.add(one, 1);
		other.add(two, 1);
		expect(await isSettled(Promise.all([one.placed, two.placed]))).toBe(true);
	});

	test('lets go of the oldest response where no limit of the request is as long', () => {
		const stage = scope.under([SECOND]);
		const [underWay, oldest] = [take(stage), scope.take([])];
		oldest.hold(0);
		const newest = scope.take([]);
		expect(counts(stage.windows)).toEqual([2]);
		newest.hold(0);
		scope.take([]);
		scope.take([]);
		expect(counts(stage.windows)).toEqual([3]);
		expect(counts(scope.under([{ max: 1, windowMs: 100 }]).windows)).toEqual([3]);
		underWay.free();
		expect(counts(stage.windows)).toEqual([2]);
	});

	test.each([
		['a slot comes free', 300, undefined, 300],
		['the time is over', 300, 200, 200],
	])('says when %s', async (_, freeAfterMs, mostMs, expected) => {
		const { windows } = scope.under([SECOND]);
		const slot = scope.take(windows);
		const waiting = windows[0]?.window
			.untilFreed(never, mostMs)
			.then(() => performance.now() - startedAt);
		setTimeout(() => slot.free(), freeAfterMs);
		await pass(1_000);
		expect(await waiting).toBe(expected);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('says no more to who has given up', async () => {
		const stop = abortController();
		const { windows } = scope.under([SECOND]);
		const waiting = windows[0]?.window.untilFreed(stop.signal);
		stop.abort(new Error('stop'));
		await expect(waiting).rejects.toThrow('stop');
		await pass(10);
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('all that counts a request', () => {
	const stages = (unlimited?: Scope) => {
		const general = new Scope('general', 'general', () => undefined);
		return new Stages(scope.under([MINUTE]), general.under([SECOND]), unlimited);
	};

	test('comes before what counts all requests', () => {
		const both = stages();
		expect(both.windows.map(({ name }) => name)).toEqual(['POST /a/60s', 'general/1s']);
		expect(both.all).toEqual([both.scope, both.general]);
		expect(both.own).toBe(both.scope);
		const { general } = both;
		const alone = new Stages(undefined, general);
		expect([alone.own, alone.all]).toEqual([general, [general]]);
		expect(both.take()).toHaveLength(2);
		expect(counts(both.windows)).toEqual([1, 1]);
	});

	test('refuses nothing where there are no limits', () => {
		const none = new Stages(undefined, scope.under([]));
		expect(() => none.refuseLongPause()).not.toThrow();
	});

	test('is also what counts it for others', () => {
		const unlimited = new Scope('post /b', 'POST /b', () => undefined);
		const { windows } = unlimited.under([SECOND]);
		expect(stages(unlimited).take()).toHaveLength(3);
		expect(counts(windows)).toEqual([1]);
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
	])('refuses a pause of %i ms where %s ms are left: %s', (pausedMs, leftMs, isRequested) => {
		const both = stages();
		both.own.otherClients.pause([MINUTE], pausedMs, true);
		expect(both.pausedMs).toBe(pausedMs);
		const refuse = () => both.refuseLongPause(leftMs);
		if (isRequested === undefined) expect(refuse).not.toThrow();
		else expect(refuse).toThrow(new WaitTooLongError(pausedMs, isRequested));
		if (isRequested !== undefined) {
			expect(refuse).toThrow(
				expect.objectContaining({ isRequested, retryAfterMs: pausedMs }) as Error,
			);
		}
	});
});
