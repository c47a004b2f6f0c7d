// The exact commands that a process sends to Redis; `processes` and `redisLosses` cover their effects.
import type { AppliedLimits } from '../../../nodes/BusinessData/rateLimit/endpointLimiter';
import type { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import {
	limitStoreOf,
	RedisLimitStore,
} from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import type { RedisConnection } from '../../../nodes/BusinessData/redis';
import { limitsOf, permitUnder } from '../../support/limitStoreRequest';

interface Call {
	action: string;
	keys: string[];
	id?: string;
	ms?: number;
	endpoints: Array<{ newest?: [id: string, ageMs: number] }>;
	[more: string]: unknown;
}

const { signal } = new AbortController();
/** What Redis replies to `take`. */
const replyOf = ({ mustEnter = 0, isTaken = 0, waitMs = 0, retryMs = 0, window = 0 }) => [
	...[mustEnter, 0, isTaken, waitMs, retryMs, window],
	[],
];
const TAKEN = replyOf({ isTaken: 1 });
const LOST = replyOf({ mustEnter: 1 });

let calls: Call[];
let replies: unknown[][];
let limitStore: RedisLimitStore;
let own: AppliedLimits;
let general: AppliedLimits;

const connection = {
	run: async (_: unknown, keys: string[], [call]: [string]) => {
		const request = JSON.parse(call) as Call;
		calls.push({ ...request, keys: keys.map((key) => key.replace(/^.*:\{key\}:/, '')) });
		return await Promise.resolve(replies.shift() ?? (request.action === 'take' ? TAKEN : [0, 0]));
	},
} as unknown as RedisConnection;

const limit = (max: number, windowMs: number) => ({ max, windowMs });

beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(5_000);
	calls = [];
	replies = [];
	limitStore = new RedisLimitStore(connection, 'key');
	own = limitsOf('a', [limit(3, 1_001)]);
	general = limitsOf('general', [limit(9, 60_000), limit(5, 10_000)]);
});
afterEach(() => jest.useRealTimers());

const newPermit = (): Permit => permitUnder([own, general], { inFlightMs: 4_000, limitStore });
async function taken(): Promise<Permit> {
	const permit = newPermit();
	await limitStore.take(permit, signal);
	permit.grant();
	return permit;
}

test('the script gets the keys, the windows and the estimate of the process', async () => {
	own.endpoint.otherClients.shared = 'estimate';
	jest.spyOn(own.endpoint.otherClients, 'everyMs').mockReturnValue(7.3);
	const permit = await taken();
	expect(calls).toEqual([
		{
			action: 'take',
			id: permit.id,
			ms: 4_000,
			knowsState: false,
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

test('only slots that were taken are held, and they are checked again after Redis was away', async () => {
	replies.push(replyOf({ waitMs: 900, retryMs: 500, window: 2 }));
	const permit = newPermit();
	// The second window of all: the first one is that of the endpoint.
	const limit = general.limits[0];
	expect(await limitStore.take(permit, signal)).toMatchObject({ isTaken: false, limit });
	expect([permit.takenAt, jest.getTimerCount()]).toEqual([-Infinity, 0]);
	await limitStore.take(permit, signal);
	permit.grant();
	expect(permit.takenAt).toBe(performance.now());
	jest.spyOn(connection, 'run').mockRejectedValueOnce(new Error('away'));
	await jest.advanceTimersByTimeAsync(800);
	calls = [];
	await jest.advanceTimersByTimeAsync(800);
	expect(calls).toMatchObject([{ action: 'check' }]);
});

test('a command names the newest slot as long as Redis must have it, whatever its clock', async () => {
	const permit = await taken();
	permit.ended(0);
	for (const [ms, newest] of [
		[59_039, [permit.id, 59_039]],
		[1, undefined],
	] as const) {
		await jest.advanceTimersByTimeAsync(ms);
		await limitStore.read([general]);
		expect(calls.at(-1)?.endpoints[0]?.newest).toEqual(newest);
	}
});

test('an ended permit is completed in Redis, under an ID that is never used again', async () => {
	const lost = await taken();
	const unused = await taken();
	const { id } = unused;
	calls = [];
	lost.ended(300);
	unused.unused();
	limitStore.complete(unused, -Infinity);
	limitStore.publish(lost.countedBy);
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

test('slots that Redis lacks are entered again, once for all requests, before any goes on', async () => {
	const first = await taken();
	const second = await taken();
	first.ended(0);
	const stop = new AbortController();
	replies.push(LOST, LOST);
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
				knowsState: false,
				endpoints: [expect.not.objectContaining({ newest }) as unknown],
				slots: [
					[first.id, 0],
					[second.id, -4_000],
				],
			};
		}),
	);
	replies.push([1, 0]);
	await limitStore.read([own]);
	expect(calls.filter(({ action }) => action === 'enter')).toHaveLength(4);
});

test('a key has one limit store on each connection', () => {
	const one = limitStoreOf(connection, 'key');
	expect(limitStoreOf(connection, 'key')).toBe(one);
	expect(limitStoreOf(connection, 'other')).not.toBe(one);
	expect(limitStoreOf({ ...connection } as RedisConnection, 'key')).not.toBe(one);
});
