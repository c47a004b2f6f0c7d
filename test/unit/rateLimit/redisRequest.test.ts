// What one request asks of Redis and when, and what it makes of the replies.
import type {
	RedisLimitStore,
	ScriptCall,
} from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import { RedisRequest } from '../../../nodes/BusinessData/rateLimit/redis/redisRequest';
import { LEARN } from '../../../nodes/BusinessData/rateLimit/redis/roomScripts';
import { KEEP_PLACE, COMPLETE, TAKE } from '../../../nodes/BusinessData/rateLimit/redis/scripts';
import type { Stages } from '../../../nodes/BusinessData/rateLimit/scope';

const { signal } = new AbortController();
const NAMES = new Map([
	[TAKE, 'take'],
	[KEEP_PLACE, 'keep'],
	[COMPLETE, 'settle'],
	[LEARN, 'learn'],
]);

let replies: unknown[][];
/** When (ms) what was asked, with which number, and whose ID it was. */
let calls: Array<[atMs: number, what: string, number: unknown, id?: string]>;
let mores: Array<ScriptCall['more']>;
let adopted: unknown[];
let startedAt: number;

beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(5_000);
	[replies, calls, mores, adopted, startedAt] = [[], [], [], [], performance.now()];
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const now = () => performance.now() - startedAt;

const limitStore = {
	run: async (script: typeof TAKE, { id, number, more }: ScriptCall) => {
		calls.push([now(), NAMES.get(script) ?? '', number, id]);
		if (more !== undefined) mores.push(more);
		const reply = replies.shift();
		if (reply === undefined) throw new Error('Redis is away');
		return await Promise.resolve(reply);
	},
	hold: (id: string, _: Stages, countedAt: number) =>
		calls.push([now(), 'held', countedAt - startedAt, id]),
	free: (id: string) => calls.push([now(), 'freed', undefined, id]),
} as unknown as RedisLimitStore;

function stagesOf(own: string[] | undefined, general: string[]): Stages {
	const otherClients = (name: string) => ({
		snapshot: [name, 1, 2],
		merge: (...snapshot: unknown[]) => adopted.push([name, ...snapshot]),
	});
	const all = {
		windows: general,
		otherClients: otherClients('general'),
		scope: { otherClientsVersion: '0' },
	};
	const scope = own && {
		windows: own,
		otherClients: otherClients('scope'),
		scope: { otherClientsVersion: '0' },
	};
	const windows = [...(own ?? []), ...general];
	return { scope, general: all, own: scope ?? all, windows } as unknown as Stages;
}
const stages = stagesOf(['a'], ['b', 'c']);
const newRequest = (of = stages) => new RedisRequest(limitStore, of, 5_000);
const asked = () => calls.map(([atMs, what, number]) => [atMs, what, number]);

test('a place is asked for after 0.1 s, and then each second until the slots are there', async () => {
	const request = newRequest();
	request.standInLine();
	await pass(50);
	request.standInLine();
	await pass(2_060);
	expect(asked()).toEqual([100, 1_100, 2_100].map((ms) => [ms, 'keep', 1_000]));
	replies.push(['taken', 1, 2, 3]);
	expect(await request.take(signal)).toEqual({ isTaken: true, used: [1, 2, 3] });
	expect(asked().slice(3)).toEqual([
		[2_110, 'take', 5_000],
		[2_110, 'held', 7_110],
	]);
	expect(new Set(calls.map(([, , , id]) => id)).size).toBe(1);
	await pass(5_000);
	expect(calls).toHaveLength(5);
	request.standInLine();
	await pass(100);
	expect(calls).toHaveLength(6);
});

test('without limits, nothing is asked', async () => {
	const request = newRequest(stagesOf(undefined, []));
	request.standInLine();
	await pass(1_000);
	expect(await request.take(signal)).toEqual({ isTaken: true, used: [] });
	expect(await request.confirm(signal)).toBe(true);
	for (const end of [() => request.publish(), () => request.hold(1), () => request.free()]) end();
	expect(calls).toEqual([]);
});

test.each([
	[['full', 700, 600, 0], undefined, false],
	[['full', 700, 600, 1], 'a', true],
	[['full', 700, 600, 2], 'b', false],
])('the reply %j names the window', async (reply, window, isOfScope) => {
	replies.push(reply);
	const full = { isTaken: false, window, isOfScope, waitMs: 700, retryMs: 600 };
	expect(await newRequest().take(signal)).toEqual(full);
	replies.push(['full']);
	expect(await newRequest().take(signal)).toEqual({
		...full,
		window: undefined,
		isOfScope: false,
		waitMs: 0,
		retryMs: 0,
	});
	replies.push(reply);
	const general = await newRequest(stagesOf(undefined, ['a', 'b'])).take(signal);
	expect(general).toMatchObject({ window, isOfScope: false });
});

test('it asks again after news and after slots that were entered again', async () => {
	replies.push(['snapshot', 7, 's', '1', '2', 'g', '3', '4'], ['lost'], ['taken']);
	const of = stagesOf(['a'], ['b']);
	expect(await newRequest(of).take(signal)).toEqual({ isTaken: true, used: [] });
	expect(asked().map(([, what]) => what)).toEqual(['take', 'take', 'take', 'held']);
	expect(adopted).toEqual([
		['scope', 's', 1, 2],
		['general', 'g', 3, 4],
	]);
	expect(of.own.scope.otherClientsVersion).toBe('7');
	replies.push(['snapshot', 8, '', 0, 0, '', 0, 0], ['taken']);
	await newRequest(stagesOf(undefined, ['b'])).take(signal);
	expect(adopted.at(-1)).toEqual(['general', '', 0, 0]);
});

test.each([
	[999, ['taken'], true, 0],
	[1_000, ['taken'], true, 1],
	[1_000, ['full', 1, 1, 1], false, 1],
])(
	'after %i ms, with the reply %j, the slots last: %s',
	async (afterMs, reply, expected, count) => {
		const request = newRequest();
		expect(await request.confirm(signal)).toBe(true);
		replies.push(['taken'], reply);
		await request.take(signal);
		await pass(afterMs);
		calls = [];
		expect(await request.confirm(signal)).toBe(expected);
		expect(asked().filter(([, what]) => what === 'take')).toHaveLength(count);
	},
);

test('it tells what is known of others, and learns which version that is', async () => {
	const request = newRequest(stagesOf(undefined, ['a']));
	request.publish();
	expect(calls).toEqual([]);
	replies.push(['taken'], ['learned', 9]);
	await request.take(signal);
	request.publish();
	await pass(0);
	expect(mores).toEqual([['', 0, 0, 'general', 1, 2, expect.any(String)]]);
	const of = stagesOf(['a'], ['b']);
	const other = newRequest(of);
	replies.push(['taken'], ['learned', 9]);
	await other.take(signal);
	other.publish();
	await pass(0);
	expect(mores[1]?.slice(0, 6)).toEqual(['scope', 1, 2, 'general', 1, 2]);
	expect(of.own.scope.otherClientsVersion).toBe('9');
	expect(asked().at(-1)).toEqual([0, 'learn', 0]);
});

test('what is over is held, or freed under an ID that is never used again', async () => {
	const request = newRequest();
	replies.push(['taken'], ['settled'], ['settled'], ['taken']);
	await request.take(signal);
	request.hold(300);
	request.standInLine();
	request.free();
	request.free();
	request.hold(1);
	await pass(500);
	await request.take(signal);
	expect(asked()).toEqual([
		...[
			[0, 'take', 5_000],
			[0, 'held', 5_000],
			[0, 'held', 300],
			[0, 'settle', 300],
		],
		...[
			[0, 'freed', undefined],
			[0, 'settle', -1],
			[500, 'take', 5_000],
			[500, 'held', 5_500],
		],
	]);
	const ids = calls.map(([, , , id]) => id);
	expect(ids.slice(0, 6)).toEqual(Array(6).fill(ids[0]));
	expect(ids.slice(6)).toEqual(Array(2).fill(ids[6]));
	expect(ids[6]).not.toBe(ids[0]);
});
