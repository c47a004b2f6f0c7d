// What a process tells Redis of its slots: the arguments of the scripts, and what is seen to while slots are held.
import {
	RedisLimitStore,
	limitStoreOf,
	type ScriptCall,
} from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import { TICKET, USE } from '../../../nodes/BusinessData/rateLimit/redis/roomScripts';
import { HEARTBEAT, ENTER, TAKE } from '../../../nodes/BusinessData/rateLimit/redis/scripts';
import type { LimitedWindow, Stages } from '../../../nodes/BusinessData/rateLimit/scope';
import type { RedisConnection } from '../../../nodes/BusinessData/redis';

const NAMES = new Map([
	[TAKE, 'take'],
	[TICKET, 'promise'],
	[USE, 'use'],
	[HEARTBEAT, 'beat'],
	[ENTER, 'enter'],
]);

let calls: Array<[what: string, keys: string[], parameters: Array<string | number>]>;
let replies: unknown[][];
let limitStore: RedisLimitStore;

const connection = {
	run: async (script: typeof TAKE, keys: string[], parameters: Array<string | number>) => {
		calls.push([NAMES.get(script) ?? '', keys, parameters]);
		return await Promise.resolve(replies.shift() ?? [0]);
	},
	failure: () => 'trouble',
} as unknown as RedisConnection;

beforeEach(() => {
	jest.useFakeTimers();
	[calls, replies] = [[], []];
	limitStore = new RedisLimitStore(connection, 'key');
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const windowOf = (key: string, room: number, holdMs: number) =>
	({ scope: { key }, room, holdMs }) as LimitedWindow;
const stageOf = (key: string, windows: LimitedWindow[], everyMs: number) => ({
	...{ windows, scope: { key, otherClientsVersion: `version of ${key}` } },
	otherClients: { everyMs: (of: unknown) => (of === windows ? everyMs : NaN) },
});
const general = stageOf('general', [windowOf('general', 9, 60_100)], 0.2);
const scope = stageOf('a', [windowOf('a', 3, 1_000.5), windowOf('a', 1, 20.5)], 7.3);
const both = {
	scope,
	general,
	own: scope,
	windows: [...scope.windows, ...general.windows],
} as unknown as Stages;
const alone = { general, own: general, windows: general.windows } as unknown as Stages;
const names = (keys: string[] = []) => keys.map((key) => key.replace(/^.*:\{key\}:/, ''));
const newest = () => calls.at(-1)?.[2].slice(6);
const run = async (stages: Stages, call: ScriptCall = {}) =>
	await limitStore.run(TAKE, { stages, ...call });

test('scripts are told the keys, and of the request, its windows and more', async () => {
	replies.push([0, 'reply', 5]);
	expect(await run(both, { id: 'one', number: 4.2, more: ['m', 1] })).toEqual(['reply', 5]);
	const [[, keys, parameters] = []] = calls;
	expect(keys?.[0]).toMatch(/^n8n-nodes-business-data:1:\{key\}:state:$/);
	expect(names(keys)).toEqual([
		...['state:', 'queue:general', 'queue:a', 'promises:a', 'slots:a', 'slots:a', 'slots:general'],
	]);
	expect(parameters).toEqual([
		...['one', 'version of a', 5, 2, 8, 1],
		...[3, 1_001, '', 0, 1, 21, '', 0, 9, 60_100, '', 0, 'm', 1],
	]);
	await run({ ...alone, unlimited: { key: 'b' } } as unknown as Stages);
	const [, [, other, more] = []] = calls;
	expect(names(other)).toEqual([
		...['state:', 'queue:general', 'queue:general', 'promises:general', 'slots:general', 'slots:b'],
	]);
	expect(more).toEqual([
		...['', 'version of general', 0, 0, 0, 1, 9, 60_100, '', 0],
		...[Number.MAX_SAFE_INTEGER, 0, '', 0],
	]);
});

test('room is asked for, and looked at', async () => {
	const wanted = { name: 'n', count: 2, maxWaitMs: Infinity };
	replies.push([0, 77], [0, [1, 5], [0, 0]]);
	expect(await limitStore.issueTicket(both, wanted, 12.5)).toBe(77);
	expect(calls[0]?.[0]).toBe('promise');
	expect(calls[0]?.[2].slice(2, 3)).toEqual([13]);
	expect(calls[0]?.[2].slice(-3)).toEqual(['n', 2, Number.MAX_SAFE_INTEGER]);
	expect(await limitStore.use(both.windows.slice(1))).toEqual([
		{ used: 1, availableInMs: 5 },
		{ used: 0, availableInMs: 0 },
	]);
	expect(names(calls[1]?.[1])).toEqual([
		'state:',
		'queue:',
		'queue:',
		'promises:',
		'slots:a',
		'slots:general',
	]);
	expect(calls[1]?.[2]).toEqual(['', '', 0, 0, 0, 0, 1, 21, '', 0, 9, 60_100, '', 0]);
	expect(limitStore.failure()).toBe('trouble');
});

test('each command names the newest slot of each scope, as long as Redis must have it', async () => {
	const at = performance.now();
	limitStore.hold('one', both, at + 5_000);
	limitStore.hold('two', alone, at + 5_000.4);
	await run(both);
	expect(newest()).toEqual([
		3,
		1_001,
		'one',
		-5_000,
		1,
		21,
		'one',
		-5_000,
		9,
		60_100,
		'two',
		-5_000,
	]);
	// Settled, it is not newer than the others.
	limitStore.hold('one', both, at);
	await pass(1_000);
	await run(alone);
	expect(newest()).toEqual([9, 60_100, 'two', -4_000]);
	limitStore.free('two');
	await run(alone);
	expect(newest()).toEqual([9, 60_100, 'one', 1_000]);
	await pass(57_040);
	await run(alone);
	expect(newest()).toEqual([9, 60_100, 'one', 58_040]);
	await pass(1_000);
	await run(alone);
	expect(newest()).toEqual([9, 60_100, '', 0]);
	limitStore.free('one');
	await run(both);
	expect(newest()).toEqual([3, 1_001, '', 0, 1, 21, '', 0, 9, 60_100, '', 0]);
});

test('as long as slots are held, it is seen every 0.8 s whether Redis has them', async () => {
	limitStore.hold('one', both, performance.now());
	limitStore.hold('one', both, performance.now());
	await pass(799);
	expect(calls).toEqual([]);
	await pass(1);
	expect(calls.map(([what, keys]) => [what, names(keys).slice(4)])).toEqual([
		['beat', ['slots:a', 'slots:general']],
	]);
	expect(calls[0]?.[2].slice(6)).toEqual([0, 1_001, '', 0, 0, 60_100, 'one', 800]);
	await pass(60_000);
	expect(calls).toHaveLength(75);
	await pass(200_000);
	expect([calls.length, jest.getTimerCount()]).toEqual([75, 0]);
});

test('what Redis lacks is entered again, once for all, before anything goes on', async () => {
	const at = performance.now();
	for (let count = 0; count < 998; count++) limitStore.hold(`slot ${count}`, alone, at - 0.5);
	const longer = { windows: [windowOf('general', 1, 90_000)] } as Stages;
	limitStore.hold('longer', longer, at);
	limitStore.hold('other', both, at + 700);
	replies.push([1, 'first'], [1, 'second']);
	const given = new AbortController();
	const first = run(alone);
	const second = limitStore.run(TAKE, { stages: both }, given.signal);
	given.abort(new Error('given up'));
	await expect(second).rejects.toThrow('given up');
	expect(await first).toEqual(['first']);
	await pass(0);
	const entered = calls.filter(([what]) => what === 'enter');
	expect(entered.map(([, keys]) => names(keys).slice(4))).toEqual([
		['slots:general'],
		['slots:general'],
		['slots:a'],
	]);
	expect(entered.map(([, , { length }]) => (length - 10) / 2)).toEqual([500, 500, 1]);
	expect(entered[1]?.[2][7]).toBe(90_000);
	expect(entered[0]?.[2].slice(6, 14)).toEqual([0, 60_100, '', 0, 'slot 0', 0, 'slot 1', 0]);
	expect(entered[2]?.[2].slice(6)).toEqual([0, 1_001, '', 0, 'other', -700]);
	replies.push([1]);
	await run(alone);
	expect(calls.filter(([what]) => what === 'enter')).toHaveLength(6);
});

test('a key has one limit store on each connection', () => {
	const one = limitStoreOf(connection, 'key');
	expect(limitStoreOf(connection, 'key')).toBe(one);
	expect(limitStoreOf(connection, 'other')).not.toBe(one);
	expect(limitStoreOf({ ...connection } as RedisConnection, 'key')).not.toBe(one);
	expect(one.request(both, 5)).toEqual(expect.objectContaining({ inFlightMs: 5, stages: both }));
});
