/**
 * Send Once in all orders: two runs with one key, and users who mark or release it. Writes of the store fail before or
 * after they take effect, or take effect late. The runs share a process, or each has its own, without a Redis or with
 * one that is emptied or loses replies. Each access of the store, each script and each request is a point.
 */
import type * as sendOnceModule from '../../nodes/BusinessData/sendOnce';
import type * as processStateModule from '../../nodes/BusinessData/sendOnce/processState';
import type { SentState } from '../../nodes/BusinessData/transport/serviceRequest';
import { abortController, KeyedMutex } from '../../nodes/BusinessData/async';
import { loadDeduplicator } from '../support/loadDeduplicator';
import { after, passTime } from '../support/logicalTime';
import { LuaRedis } from '../support/luaRedis';
import { attempt, ProcessedRows, type RowAccess } from '../support/processedRows';
import { report } from '../support/report';
import { type Bound, explore, type Play, type Scenario } from './explorer';

/** What the service does with a document: it acts and responds, it refuses, or its response is lost. */
type Service = 'acts' | 'refuses' | 'is lost';

const STATES = { acts: 'sent', refuses: 'notSent', 'is lost': 'perhapsSent' } as const;

interface OrdersSettings {
	/** What the service does with the first request, and with all others. */
	service: readonly [Service, Service];
	/** Whether the second run begins only when the first one sends its request or has ended. */
	isLater?: boolean;
	/** Whether the second run sends other content, after all other parties have ended. */
	hasOtherContent?: boolean;
	/** The states that users set by hand, each at any moment. */
	setByHand?: ReadonlyArray<'sent' | 'notSent'>;
	/** Whether the process may end at any moment. */
	crashes?: boolean;
	/** Whether each party has a process of its own. */
	isApart?: boolean;
	hasRedis?: boolean;
}

const BOUND = { faults: 1, reorderings: 1, longestMs: 60_000 };
/** Enough time to end the repairs after a failure of the store. */
const REDIS = { ...BOUND, longestMs: 900_000 };

const oneProcess = { narrow: BOUND, wide: { ...BOUND, faults: 2, reorderings: 2 } };
/** Two faults are more than it tolerates: a late write may overwrite the newer row of another process. */
const apart = { isApart: true, narrow: BOUND, wide: { ...BOUND, reorderings: 2 } };
const redis = { isApart: true, hasRedis: true, narrow: { ...REDIS, reorderings: 0 } };
const withRedis = { ...redis, wide: { ...REDIS, faults: 2, reorderings: 0 } };
/** With unbounded reorderings, for the scenario that has found most mistakes. */
const atLength = { ...redis, wide: { ...REDIS, faults: 2 } };

const ACTS: OrdersSettings = { service: ['acts', 'acts'] };
const REFUSES_ONCE: OrdersSettings = { service: ['refuses', 'acts'] };
const REFUSES: OrdersSettings = { service: ['refuses', 'refuses'] };
const LOST_ONCE: OrdersSettings = { service: ['is lost', 'acts'] };
const LOST: OrdersSettings = { service: ['is lost', 'is lost'] };

const inOrders = (
	name: string,
	own: OrdersSettings,
	{ narrow, wide, ...shared }: { narrow: Bound; wide: Bound } & Partial<OrdersSettings>,
) => ({ name, settings: { ...own, ...shared }, narrow, wide });

const ORDERS = [
	inOrders('a service that acts', ACTS, oneProcess),
	inOrders('a service that refuses once', REFUSES_ONCE, oneProcess),
	inOrders('a service that refuses', REFUSES, oneProcess),
	inOrders('a service that refuses once, and a later second run', REFUSES_ONCE, {
		isLater: true,
		...oneProcess,
	}),
	inOrders('a response that is lost', LOST_ONCE, oneProcess),
	inOrders('a user who marks it as sent', { ...REFUSES, setByHand: ['sent'] }, oneProcess),
	inOrders('a user who releases it', { ...LOST, setByHand: ['notSent'] }, oneProcess),
	inOrders(
		'other content and a user who releases it',
		{ ...LOST_ONCE, hasOtherContent: true, setByHand: ['notSent'] },
		oneProcess,
	),
	inOrders('a process that dies', { ...ACTS, crashes: true }, oneProcess),
	inOrders('a Redis', ACTS, withRedis),
	inOrders('a Redis and a service that refuses', REFUSES, withRedis),
	inOrders('a Redis and a service that refuses once', REFUSES_ONCE, atLength),
	inOrders(
		'a Redis and a user who releases it',
		{ ...LOST_ONCE, setByHand: ['notSent'] },
		withRedis,
	),
	inOrders('two processes without Redis', ACTS, apart),
	inOrders('two processes without Redis and a refusal', REFUSES_ONCE, apart),
	inOrders(
		'two processes without Redis and a user who releases it',
		{ ...LOST_ONCE, setByHand: ['notSent'] },
		apart,
	),
	inOrders(
		'a Redis and users who mark it and release it',
		{ ...LOST_ONCE, setByHand: ['sent', 'notSent'] },
		withRedis,
	),
];

/** How long (ms) the limits pause all requests after Redis has lost its data. */
const PAUSED_MS = 2_500;
/** How long (ms) after its error a write takes effect that has waited for a lock. */
const LATE_MS = 3_000;

/** n8n's deduplication store, as the runs of a play see it. */
class Store extends ProcessedRows {
	play: Play | undefined;
	/** Whether the process has died, so that nothing in it continues. */
	isDead = false;
	private service: unknown;

	async load(): Promise<void> {
		const deduplicator = await loadDeduplicator(() => this);
		// n8n's service delegates to it.
		this.service ??= Object.assign(deduplicator, { deduplicator });
	}

	get core() {
		return { DataDeduplicationService: { getInstance: () => this.service } };
	}

	get size(): number {
		return this.rows.size;
	}

	clear(): void {
		this.rows.clear();
	}

	/** The result for the process. It never settles once the process has died. */
	async alive<T>(promise: Promise<T>): Promise<T> {
		const settle = async () => await (this.isDead ? new Promise<never>(() => undefined) : promise);
		return await promise.then(settle, settle);
	}

	/** A write may fail before or after it takes effect, or take effect late. */
	protected async access<T>(name: RowAccess, run: () => T): Promise<T> {
		if (this.play === undefined) return run();
		const fail = () => {
			throw new Error('the database is away');
		};
		const afterIt = () => {
			run();
			return fail();
		};
		const late = () => {
			setTimeout(() => attempt(run), LATE_MS);
			return fail();
		};
		const faults: Record<string, () => T> =
			name === 'findOne' ? {} : { before: fail, after: afterIt, late };
		return await this.alive(this.play.call<T>(name, run, faults));
	}
}

export const store = new Store();

/** The Send Once module of one process, and its state. */
type Process = typeof sendOnceModule & typeof processStateModule;

/** One for each party, and one for the final check. */
const PROCESSES = 5;
const LAST = PROCESSES - 1;

class SendOnceOrders implements Scenario {
	/** What the service did with each request, in order. */
	private handled: Service[] = [];
	/** The run whose document the service acted on last. */
	private lastSender = '';
	/** The states of the document, in order, from requests that were not refused and from users. */
	private ends: SentState[] = [];
	/** The states that users tried to set when the store failed. */
	private tried: SentState[] = [];
	/** How many times the service had acted whenever a run skipped the document. */
	private skipped: number[] = [];
	private emptiedAt = -Infinity;

	private onLeaving: () => void = () => undefined;

	private hasEnded = false;
	private play: Play | undefined;

	constructor(
		private readonly settings: OrdersSettings,
		private readonly redis: LuaRedis,
	) {}

	async begin(play: Play) {
		const { setByHand = [], crashes = false, isLater = false, hasRedis = false } = this.settings;
		this.handled = [];
		this.ends = [];
		this.skipped = [];
		this.play = play;
		this.hasEnded = false;
		this.lastSender = '';
		this.tried = [];
		this.emptiedAt = -Infinity;
		// Makes a play depend on its choices only.
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		store.clear();
		this.redis.data.clear();
		store.play = play;
		store.isDead = false;
		processes.forEach(forget);
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		if (crashes) {
			play.mayStrike('the process ends', () => {
				this.hasEnded = store.isDead = true;
				end();
			});
		}
		const empty = () => {
			this.redis.data.clear();
			this.emptiedAt = performance.now();
		};
		if (hasRedis) play.mayStrike('Redis: emptied', empty);
		const begin = async (name: string) =>
			await play.call(`${name} begins`, () => undefined, {}, true);
		const leaving = new Promise<void>((resolve) => (this.onLeaving = resolve));
		const runs = ['A', 'B'].map((name, index) => async () => {
			if (name === 'B' && isLater) await leaving;
			if (name === 'B' && hasRedis && setByHand.length > 0) await begin('B');
			await Promise.race([this.send(play, name, index), ended]);
			this.onLeaving();
		});
		const changes = setByHand.map((state, index) => async () => {
			if (hasRedis) await begin(state);
			try {
				const { guard } = this.party(state, runs.length + index);
				await guard.change(state);
				this.ends.push(state);
			} catch (error) {
				// A change during a send is refused with another error, and changes nothing.
				if ((error as Error).name === 'RequestError') this.tried.push(state);
			}
		});
		// With a Redis, the second run begins last by default.
		const [first, second] = runs as [() => Promise<void>, () => Promise<void>];
		const parties = hasRedis ? [first, ...changes, second] : [first, second, ...changes];
		const oneByOne = async () => {
			for (const party of [first, ...changes, second]) await party();
		};
		return await Promise.resolve(this.settings.hasOtherContent === true ? [oneByOne] : parties);
	}

	async check(): Promise<void> {
		const { setByHand = [], isApart = false, hasRedis = false } = this.settings;
		const faults = (this.play?.chosen ?? []).filter((name) => name.includes(':'));
		store.play = undefined;
		store.isDead = false;
		// A failed change may have taken effect nevertheless.
		const releases = [...this.ends, ...this.tried].filter((end) => end === 'notSent').length;
		// Only a release allows a second send.
		expect(this.timesActed).toBeLessThanOrEqual(1 + releases);
		// Without Redis, a process does not know that another one is sending the document.
		const isBlind = isApart && !hasRedis;
		// No run skips a document that was not sent.
		if (!setByHand.includes('sent') && !isBlind) expect(this.skipped).not.toContain(0);
		// A late command may leave a lease for a while.
		const look = async (name = this.lastSender) => {
			const { guard } = this.party(name, LAST);
			const looking = faults.length === 0 ? guard.get() : guard.waitForState(untilEnded);
			return await passTime<string>(looking, 60_000);
		};
		const state = await look();
		if (this.settings.hasOtherContent === true && state !== 'notSent') {
			await expect(look(this.lastSender === 'B' ? 'A' : 'B')).rejects.toThrow('with other content');
		}
		// Documents that were sent are known without Redis too.
		this.redis.data.clear();
		if (this.timesActed > releases && !setByHand.includes('sent')) {
			expect(await look()).not.toBe('notSent');
		}
		// A fault may leave the outcome unknown, but must not block an unsent document while the process lives.
		const isOpen = this.hasEnded || (this.timesActed > 0 && (faults.length > 0 || isBlind));
		const possible = [this.ends.at(-1) ?? 'notSent', ...this.tried, ...(isBlind ? this.ends : [])];
		expect([...possible, ...(isOpen ? ['perhapsSent'] : [])]).toContain(state);
	}

	private get timesActed(): number {
		return this.handled.filter((one) => one !== 'refuses').length;
	}

	private async send(play: Play, name: string, index: number): Promise<void> {
		const { guard, AlreadySentError } = this.party(name, index);
		try {
			const state = await guard.waitForState(untilEnded);
			if (state !== 'notSent') throw new AlreadySentError(state);
			for (;;) {
				const acquired = await guard.acquire();
				const isGood = performance.now() - this.emptiedAt >= PAUSED_MS;
				if (acquired === undefined && isGood) break;
				// As the client does if its permit has become invalid.
				await guard.complete('notSent');
				await (acquired?.ended ?? after(PAUSED_MS));
			}
		} catch (error) {
			if (error instanceof AlreadySentError) {
				expect(['sent', 'perhapsSent']).toContain(error.state);
				this.skipped.push(this.timesActed);
			} else if (!/^(RequestError|InvalidSettingError)$/.test((error as Error).name)) throw error;
			return;
		}
		const [first, next] = this.settings.service;
		const arrive = () => {
			const action = this.handled.length === 0 ? first : next;
			this.handled.push(action);
			if (action !== 'refuses') this.ends.push(STATES[action]);
			if (action !== 'refuses') this.lastSender = name;
			return action;
		};
		this.onLeaving();
		await guard.complete(STATES[await store.alive(play.call(`${name} arrives`, arrive))]);
	}

	private party(name: string, index: number) {
		const { isApart = false, hasRedis = false, hasOtherContent = false } = this.settings;
		const process = processes[isApart || index === LAST ? index : 0] as Process;
		const redis = this.redis.connection(async (run) => {
			const { play } = store;
			if (play === undefined) return run();
			// Without a reply, the script is run again on a new connection.
			const again = async () => {
				run();
				return await play.call(`${name} asks again`, run);
			};
			const late = async () => {
				await new Promise((resolve) => setTimeout(resolve, 3_000));
				return run();
			};
			// The first command is still in flight on the abandoned connection.
			const twice = async () => {
				setTimeout(run, 3_000);
				return await play.call(`${name} asks again`, run);
			};
			return await play.call(`${name} asks`, run, { 'reply lost': again, late, twice });
		});
		const party = {
			context: { getNode: () => ({ credentials: { businessDataApi: { id: 'credential' } } }) },
			account: { baseUrl: 'https://api.example.com', ...(hasRedis ? { redis } : {}) },
			signal: abortController().signal,
		};
		const guard = new process.SendOnce(party as never, {
			workflowId: 'workflow',
			endpoint: { method: 'POST', path: '/send' },
			key: 'a',
			maxEntries: 10,
			content: { hash: hasOtherContent ? name : '', mustMatch: true },
		});
		return { ...process, guard };
	}
}

const untilEnded = async (ended: Promise<void>) => await ended;

function loadProcess(): Process {
	let loaded: Process | undefined;
	const shared = jest.spyOn(Symbol, 'for').mockImplementation(Symbol);
	jest.isolateModules(() => {
		loaded = {
			...jest.requireActual<typeof sendOnceModule>('../../nodes/BusinessData/sendOnce'),
			...jest.requireActual<typeof processStateModule>(
				'../../nodes/BusinessData/sendOnce/processState',
			),
		};
	});
	shared.mockRestore();
	if (loaded === undefined) throw new Error('not loaded');
	return loaded;
}

const processes = Array.from({ length: PROCESSES }, loadProcess);

/** Resets the state that a restarted process would lack. */
function forget({ processState }: Process): void {
	const state = processState();
	state.outcomeMutex = new KeyedMutex();
	for (const map of [state.watched, state.leases]) map.clear();
}

/** Defines the tests of a file, which must mock `n8n-core` with the store. */
export function testSendOnceOrders(bound: 'narrow' | 'wide', kind?: 'redis' | 'memory'): void {
	jest.setTimeout(3_600_000);
	beforeAll(async () => await store.load());

	const orders = ORDERS.filter(
		({ settings }) => kind === undefined || (kind === 'redis') === (settings.hasRedis === true),
	);
	test.each(orders)('Send Once holds with $name', async ({ name, settings, [bound]: within }) => {
		const { orders, failure } = await explore(
			new SendOnceOrders(settings, await LuaRedis.load()),
			within,
		);
		expect(failure).toBeUndefined();
		report(`Two runs with one key and ${name}: all of ${orders} orders`);
	});
}
