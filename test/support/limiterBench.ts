/** The limiter of one process and key with the example limits in logical time, and the requests that were counted. */
import {
	limiterOf,
	type Limits,
	limitStoreOf,
	type RedisLimitStore,
} from '../../nodes/BusinessData/rateLimit';
import { abortController } from '../../nodes/BusinessData/async';
import { EXAMPLE_LIMITS } from './exampleLimits';
import { limiters } from './limiters';
import { after } from './logicalTime';
import type { LuaRedis } from './luaRedis';
import { inMs } from './scaledLimits';

type Limiter = ReturnType<typeof limiterOf>;
export type SlotRequest = Parameters<Limiter['acquire']>[0];
export type RoomRequest = Parameters<Limiter['issueTickets']>[0];

export const general = EXAMPLE_LIMITS.general.map(inMs);
export const SEND = 'POST /txndata/sendTxn';
export const send = { max: 3, windowMs: 600_000 };
export const HOUR = 3_600_000;

export const limits: Limits = { general, endpoints: { [SEND]: [send] } };
const never = abortController().signal;
let processes = 0;

/** A new limiter for each test, as in a process that has just started. */
export class LimiterBench {
	private readonly process = `process ${++processes}`;
	/** The limits of the requests. */
	limits = limits;
	/** When (ms) the service counted each request, in order. */
	readonly counted: number[] = [];
	/** The run of each request, in the order of sending. */
	readonly sentRuns: string[] = [];

	/** @param limitStore counts the requests, too */
	constructor(private readonly limitStore?: RedisLimitStore) {}

	/** The limiter of a process that shares a Redis with others. */
	static on(redis: LuaRedis, ...sender: Parameters<LuaRedis['connection']>): LimiterBench {
		return new LimiterBench(limitStoreOf(redis.connection(...sender), 'key'));
	}

	get limiter(): Limiter {
		return limiterOf(this.process);
	}

	/** Whether nothing is queued, held, ticketed or known of other clients. */
	get isIdle(): boolean {
		return !limiters().has(this.process);
	}

	async acquire(changes: Partial<SlotRequest> = {}) {
		const { limitStore } = this;
		const request = {
			run: 'a',
			priority: 5,
			maxWaitMs: Infinity,
			inFlightMs: 5_000,
			signal: never,
		};
		return await this.limiter.acquire({ ...request, limits: this.limits, limitStore, ...changes });
	}

	/** Sends one request: it takes its slots, is counted, and gives them back. Returns when it went out (ms). */
	async request(changes: Partial<SlotRequest> = {}, latencyMs = 0): Promise<number> {
		const permit = await this.acquire(changes);
		this.sentRuns.push(changes.run ?? 'a');
		const sentAt = performance.now();
		await after(latencyMs / 2);
		this.counted.push(performance.now());
		await after(latencyMs / 2);
		permit.letThrough();
		return sentAt;
	}

	/** Sends so many requests at once. */
	async requests(count: number, changes?: Partial<SlotRequest>, latencyMs = 0): Promise<number[]> {
		const all = Array.from({ length: count }, async () => await this.request(changes, latencyMs));
		return await Promise.all(all);
	}

	/** Issues tickets for sends to an execution of that name. */
	async ticket(holder: string, changes: Partial<RoomRequest> = {}): Promise<number> {
		const { limits, limitStore } = this;
		const request = { holder, count: 3, endpoint: SEND, maxWaitMs: Infinity, limits, limitStore };
		return await this.limiter.issueTickets({ ...request, ...changes });
	}

	/** The state of the windows by their names. */
	async status() {
		const { limits, limitStore } = this;
		const windows = await this.limiter.status({ limits, limitStore });
		return new Map(windows.map((window) => [window.limit, window]));
	}

	async estimate(count: number) {
		const { limits, limitStore } = this;
		return await this.limiter.estimate({ limits, endpoint: SEND, limitStore }, count);
	}
}
