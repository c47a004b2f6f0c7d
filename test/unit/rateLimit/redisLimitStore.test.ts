// What a process tells Redis, what it makes of the replies, and what it does while it holds slots.
import type { AppliedLimits } from '../../../nodes/BusinessData/rateLimit/endpointLimiter';
import { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import { Queue } from '../../../nodes/BusinessData/rateLimit/queue';
import {
	limitStoreOf,
	RedisLimitStore,
} from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import type { RedisConnection } from '../../../nodes/BusinessData/redis';
import { limitsOf } from '../../support/limitStoreRequest';

interface Call {
	action: string;
	keys: string[];
	id?: string;
	ms?: number;
	endpoints: Array<{ newest?: [id: string, ageMs: number] }>;
	[more: string]: unknown;
}

const { signal } = new AbortController();
const TAKEN = [0, 1, 0, 0, 0, []];

let calls: Call[];
let replies: unknown[][];
let limitStore: RedisLimitStore;
let own: AppliedLimits;
let general: AppliedLimits;

const connection = {
	run: async (_: unknown, keys: string[], [call]: [string]) => {
		const request = JSON.parse(call) as Call;
		calls.push({ ...request, keys: keys.map((key) => key.replace(/^.*:\{key\}:/, '')) });
		return await Promise.resolve(replies.shift() ?? (request.action === 'take' ? TAKEN : [0]));
	},
} as unknown as RedisConnection;

const limit = (max: number, windowMs: number) => ({ max, windowMs });

beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(5_000);
	[calls, replies] = [[], []];
	limitStore = new RedisLimitStore(connection, 'key');
	own = limitsOf('a', [limit(3, 1_001)]);
	general = limitsOf('general', [limit(9, 60_000), limit(5, 10_000)]);
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
function newPermit(hasOwn = true, store = limitStore): Permit {
	const queue = new Queue('key', hasOwn ? own : general, general);
	const request = { run: 'a', priority: 5, maxWaitMs: 9, inFlightMs: 4_000, signal };
	const limits = { general: [], endpoints: {} };
	return new Permit({ ...request, limits, limitStore: store }, queue, queue.limits, () => {});
}
async function taken(...parameters: Parameters<typeof newPermit>): Promise<Permit> {
	const permit = newPermit(...parameters);
	await limitStore.take(permit, signal);
	permit.grant();
	return permit;
}
const newest = () => calls.at(-1)?.endpoints.map((endpoint) => endpoint.newest);

test('the script gets the keys, and what the process knows', async () => {
	own.endpoint.otherClients.shared = 'estimate';
	jest.spyOn(own.endpoint.otherClients, 'everyMs').mockReturnValue(7.3);
	const permit = await taken();
	expect(calls).toEqual([
		{
			action: 'take',
			id: permit.id,
			ms: 4_000,
			keys: [
				...['state', 'slots:a', 'queue:a:3/1001', 'tickets:a'],
				...['slots:general', 'queue:general:9/60000,5/10000', 'tickets:general'],
			],
			endpoints: [
				{ windows: [[3, 1_022]], everyMs: 8, estimate: 'estimate' },
				{
					windows: [
						[9, 60_100],
						[5, 10_100],
					],
					everyMs: 0,
					estimate: '',
				},
			],
		},
	]);
});

test('what it replies is merged, and names the limit that is full', async () => {
	const merge = jest.spyOn(general.endpoint.otherClients, 'merge');
	const known = [
		['', 0, 0, [1]],
		['estimate', 5, 6, [2, 3]],
	];
	merge.mockImplementation(() => undefined);
	replies.push([0, 0, 900, 500, 2, known], [0, 1, 0, 0, 0, known]);
	const permit = newPermit();
	expect(await limitStore.take(permit, signal)).toEqual({
		isTaken: false,
		waitMs: 900,
		retryMs: 500,
		limit: general.limits[0],
		used: [[1], [2, 3]],
	});
	expect([merge.mock.calls, permit.takenAt]).toEqual([[[['estimate', 5, 6]]], -Infinity]);
	const startedAt = performance.now();
	const { id } = permit;
	expect(await limitStore.take(permit, signal)).toMatchObject({ isTaken: true, limit: undefined });
	expect([permit.takenAt, permit.id]).toEqual([startedAt, id]);
});

test('each command names the newest slot of each endpoint, as long as Redis must have it', async () => {
	const first = await taken();
	const second = await taken(false);
	// Of another limit store, and of one that Redis does not know.
	Object.assign(newPermit(false, new RedisLimitStore(connection, 'key')), { id: 'other' }).grant();
	newPermit(false).grant();
	await limitStore.read([own, general]);
	expect(newest()).toEqual([
		[first.id, -4_000],
		[second.id, -4_000],
	]);
	await pass(1_000.4);
	first.ended(-1_000);
	expect(newest()).toEqual([undefined, [second.id, -2_999]]);
	second.unused();
	await limitStore.read([general]);
	expect(newest()).toEqual([[first.id, 1_000]]);
	await pass(59_039 - 1_000);
	await limitStore.read([general]);
	expect(newest()).toEqual([[first.id, 59_039]]);
	await pass(1);
	await limitStore.read([general]);
	expect(newest()).toEqual([undefined]);
});

test('what is over is said, and freed under an ID that is never used again', async () => {
	const [lost, unused] = [await taken(), await taken()];
	const { id } = unused;
	calls = [];
	lost.ended(300);
	unused.unused();
	limitStore.complete(unused, -Infinity);
	limitStore.publish(lost);
	expect(calls).toMatchObject([
		{ action: 'complete', id: lost.id, ms: 300 },
		{ action: 'complete', id, ms: -1 },
		{
			action: 'publish',
			snapshots: [
				['', 0, 0],
				['', 0, 0],
			],
		},
	]);
	await limitStore.take(unused, signal);
	expect(unused.id).not.toBe(id);
});

test('what all processes know is read, and tickets are issued', async () => {
	const known = [[100, 0], 2, 7, [['b', 50], ['b', 60]]]; // prettier-ignore
	replies.push([0, known], [0, 0], [0, 1]);
	const [use] = await limitStore.read([own]);
	const now = performance.now();
	expect(use).toMatchObject({ ...own, countedAt: [now - 100, now], queued: 2, version: 7 });
	expect(use?.tickets.before('a', 1)).toEqual([now + 50, now + 60]);
	if (use === undefined) return;
	expect(await limitStore.issueTickets(use, 'a', 2, now + 12.5)).toBe(false);
	expect(await limitStore.issueTickets(use, 'a', 2, now)).toBe(true);
	expect(calls[1]).toMatchObject({ action: 'ticket', holder: 'a', count: 2, version: 7, ms: 13 });
});

test('while slots are held, it is seen every 0.8 s whether Redis has them', async () => {
	const permit = await taken();
	await taken();
	permit.ended(0);
	await pass(799);
	calls = [];
	await pass(1);
	expect(calls).toMatchObject([{ action: 'check' }]);
	expect(calls[0]?.keys.filter((key) => key.startsWith('slots'))).toHaveLength(2);
	replies.push([1]);
	jest.spyOn(connection, 'run').mockRejectedValueOnce(new Error('away'));
	await pass(800);
	own.endpoint.permits.forEach((one) => one.ended(0));
	await pass(61_000);
	expect(calls.at(-1)?.keys.filter((key) => key.startsWith('slots'))).toEqual(['slots:general']);
	const { length } = calls;
	await pass(60_000);
	expect([calls.length, jest.getTimerCount()]).toEqual([length, 0]);
});

test('what Redis lacks is entered again, once for all, before anything goes on', async () => {
	const [first, second] = [await taken(), await taken()];
	first.ended(0);
	const stop = new AbortController();
	replies.push([1, 0, 0, 0, 0, []], [1, 0, 0, 0, 0, []]);
	calls = [];
	const asking = limitStore.take(newPermit(), signal);
	const stopped = limitStore.take(newPermit(), stop.signal);
	stop.abort(new Error('given up'));
	await expect(stopped).rejects.toThrow('given up');
	expect(await asking).toMatchObject({ isTaken: false });
	expect(calls.filter(({ action }) => action === 'enter')).toEqual(
		['a', 'general'].map((name) => {
			const key = expect.stringContaining(name) as unknown;
			const newest = expect.anything() as unknown;
			return {
				action: 'enter',
				keys: ['state', key, key, key],
				endpoints: [expect.not.objectContaining({ newest }) as unknown],
				slots: [
					[first.id, 0],
					[second.id, -4_000],
				],
			};
		}),
	);
	replies.push([1]);
	await limitStore.read([own]);
	expect(calls.filter(({ action }) => action === 'enter')).toHaveLength(4);
});

test('a key has one limit store on each connection', () => {
	const one = limitStoreOf(connection, 'key');
	expect(limitStoreOf(connection, 'key')).toBe(one);
	expect(limitStoreOf(connection, 'other')).not.toBe(one);
	expect(limitStoreOf({ ...connection } as RedisConnection, 'key')).not.toBe(one);
});
