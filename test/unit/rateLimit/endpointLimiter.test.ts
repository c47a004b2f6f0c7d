// The windows of an endpoint by themselves: what is counted where, for how long, and what hinders a request.
import {
	type AppliedLimits,
	EndpointLimiter,
} from '../../../nodes/BusinessData/rateLimit/endpointLimiter';
import type { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import { Window } from '../../../nodes/BusinessData/rateLimit/window';

const SECOND = { max: 2, windowMs: 1_000 };
const MINUTE = { max: 3, windowMs: 60_000 };

let freed: number;
let endpoint: EndpointLimiter;

beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(1_000);
	freed = 0;
	endpoint = new EndpointLimiter('post /a', () => void freed++);
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const newPermit = () => ({ countedAt: undefined }) as Permit;
const take = (...limits: Array<typeof SECOND>) => {
	const permit = newPermit();
	const placed = endpoint.take(permit, limits);
	return { permit, placed, end: (lateMs = 0) => end(permit, lateMs) };
};
const end = (permit: Permit, lateMs: number) => {
	permit.countedAt = performance.now() + lateMs;
	endpoint.freeInTime(permit);
};
const used = (...limits: Array<typeof SECOND>) =>
	limits.map((limit) => endpoint.window(limit).used);

test('limits come longest first, with the names of their windows', () => {
	const { limits, endpoint: own }: AppliedLimits = endpoint.under([SECOND, MINUTE], 'POST /a');
	expect(limits).toEqual([
		{ ...MINUTE, name: 'POST /a/60s' },
		{ ...SECOND, name: 'POST /a/1s' },
	]);
	expect(own).toBe(endpoint);
});

test('each request counts in all windows, until they have passed after its response', async () => {
	const [first, second] = [take(SECOND, MINUTE), take(SECOND, MINUTE)];
	await pass(10);
	await Promise.all([first.placed, second.placed]);
	first.end();
	second.end(500);
	expect(endpoint.permits).toEqual([first.permit, second.permit]);
	const seen: unknown[] = [];
	for (const ms of [0, 1_019, 1, 499, 1, 58_579, 1, 500]) {
		await pass(ms);
		seen.push([...used(MINUTE, SECOND), freed, endpoint.restMs]);
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

test('one under way counts without an end, and one that never went out is free at once', async () => {
	const { end: finish } = take(SECOND);
	await pass(100_000);
	expect(used(SECOND)).toEqual([1]);
	finish(-Infinity);
	expect([used(SECOND), freed, endpoint.permits]).toEqual([[0], 1, []]);
});

test('a timer that fires early frees nothing', async () => {
	take(SECOND).end();
	const now = jest.spyOn(performance, 'now').mockReturnValueOnce(performance.now() + 1_019.5);
	await pass(1_020);
	expect(used(SECOND)).toEqual([1]);
	now.mockRestore();
	await pass(1);
	expect(used(SECOND)).toEqual([0]);
});

test('a new length counts what is younger than that, or under way', async () => {
	const many = { max: 9, windowMs: 500 };
	const [first, , third, gone] = [1, 2, 3, 4].map(() => take(MINUTE, many));
	first?.end();
	gone?.end(-Infinity);
	await pass(1_020);
	third?.end();
	await pass(1_019);
	expect(used({ max: 9, windowMs: 1_000 }, { max: 9, windowMs: 2_001 })).toEqual([2, 3]);
	await pass(1);
	expect(used({ max: 9, windowMs: 1_000 })).toEqual([1]);
	await pass(60_000);
	expect(used({ max: 9, windowMs: 100_000 })).toEqual([1]);
	// Nothing remembers one that has left all windows that there were.
	expect(endpoint.permits).toHaveLength(1);
});

test('a window is as wide as the widest limit, and its limits stay as they are', async () => {
	const wide = { ...SECOND, max: 3 };
	const all = [take(SECOND), take(SECOND), take(wide)];
	expect(used(wide)).toEqual([3]);
	await pass(10);
	await Promise.all(all.map(async ({ placed }) => await placed));
	expect([SECOND.max, wide.max]).toEqual([2, 3]);
	const other = new Window({ max: 1, windowMs: 1_000 }, () => undefined);
	const both = [other.take(newPermit(), 1), other.take(newPermit(), 1)];
	await pass(10);
	await Promise.all(both);
});

test('where no limit of a request is as long, the oldest that was counted makes room', () => {
	const underWay = take(SECOND);
	const oldest = take();
	oldest.end();
	const newest = take();
	expect(endpoint.permits).toEqual([underWay.permit, newest.permit]);
	newest.end();
	const more = [take(), take()];
	expect(endpoint.permits).toEqual([underWay.permit, ...more.map(({ permit }) => permit)]);
	underWay.end(-Infinity);
	expect(used(SECOND)).toEqual([2]);
});

test('an endpoint that nobody limits counts nothing', () => {
	take();
	expect([endpoint.permits, endpoint.restMs]).toEqual([[], 0]);
});

test('it is to be kept as long as other clients are known, or there are tickets', () => {
	endpoint.tickets.issue('a', 1, performance.now() + 5_000);
	expect(endpoint.restMs).toBe(95_000);
	endpoint.otherClients.pause([MINUTE], 120_000, true);
	expect(endpoint.restMs).toBe(120_000);
});

describe('what hinders a request', () => {
	const { limits } = new EndpointLimiter('', () => undefined).under([SECOND, MINUTE], 'a');
	const obstacle = (hasWindows = true) => endpoint.obstacle(limits, hasWindows);
	const fill = () => [1, 2, 3].map(() => take(MINUTE));

	test('is a full window, which a slot or nobody frees', () => {
		take(SECOND);
		expect(obstacle()).toBeUndefined();
		take(SECOND);
		expect(obstacle()).toEqual({ cause: { ...SECOND, name: 'a/1s' }, againMs: Infinity });
		expect(obstacle(false)).toBeUndefined();
		fill();
		expect(obstacle()?.cause).toMatchObject({ name: 'a/60s' });
	});

	test('is a pause', () => {
		fill();
		endpoint.otherClients.pause(limits, 7_000, true);
		expect(obstacle(false)).toEqual({ cause: 'pause', againMs: 7_000 });
		endpoint.otherClients.refused(performance.now());
		expect(obstacle()).toEqual({ cause: 'refusal', againMs: 7_000 });
	});

	test('beside other clients, is room that comes by itself, and a request that has to end', () => {
		const { otherClients } = endpoint;
		jest.spyOn(otherClients, 'isKnown', 'get').mockReturnValue(true);
		jest.spyOn(otherClients, 'waitMs').mockReturnValueOnce(300).mockReturnValue(0);
		jest.spyOn(otherClients, 'forgottenInMs', 'get').mockReturnValue(15_000);
		const [sent] = fill();
		expect(obstacle()).toEqual({ cause: 'refusal', againMs: 300 });
		expect(obstacle()).toMatchObject({ cause: { name: 'a/60s' }, againMs: 20_000 });
		expect(obstacle(false)).toBeUndefined();
		otherClients.sent(sent?.permit as Permit);
		expect(obstacle(false)).toEqual({ cause: 'refusal', againMs: 15_000 });
	});
});
