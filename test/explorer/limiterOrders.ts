/** The limiter in all orders: a run in each of two processes that share a Redis, with a stop or a loss of Redis. */
import { abortController } from '../../nodes/BusinessData/async';
import { type CountedRequest, exceededLimits } from '../support/countedRequests';
import { LimiterBench, SEND } from '../support/limiterBench';
import { limiters } from '../support/limiters';
import { passTime } from '../support/logicalTime';
import { LuaRedis } from '../support/luaRedis';
import { report } from '../support/report';
import { type Bound, explore, type Play, type Scenario } from './explorer';

/** How long (ms) the slots of previous requests are still held: nothing is sent for 2.5 s after a loss is noticed. */
const HELD_MS = 4_000;
/** A slot with less time left (s) may be lost with Redis: no process can know whether it had already expired. */
const FORGOTTEN_EARLY_S = 1.1;

interface OrdersSettings {
	/** The length of the windows (s), which allow two requests, one of them a send. */
	windowSeconds: number;
	/** The requests of each run, one after the other. */
	requests: Array<'read' | 'send'>;
	isStopped?: boolean;
	isLost?: boolean;
}

const BOUND = { faults: 0, longestMs: 60_000 };

const ORDERS: Array<{ name: string; settings: OrdersSettings; narrow: Bound; wide: Bound }> = [
	{
		name: 'a stop of one run',
		settings: { windowSeconds: 0.5, requests: ['send', 'read'], isStopped: true },
		narrow: BOUND,
		wide: BOUND,
	},
	{
		name: 'two losses of Redis',
		settings: { windowSeconds: 5, requests: ['read'], isLost: true },
		narrow: { ...BOUND, faults: 2, reorderings: 0 },
		wide: { ...BOUND, faults: 2 },
	},
];

class LimiterOrders implements Scenario {
	private counted: Array<CountedRequest & { run?: string }> = [];

	private benches: LimiterBench[] = [];
	private stopped = 0;

	constructor(
		private readonly redis: LuaRedis,
		private readonly settings: OrdersSettings,
	) {}

	async begin(play: Play) {
		const { isStopped = false, isLost = false, requests, windowSeconds } = this.settings;
		this.redis.data.clear();
		limiters().clear();
		this.counted = [];
		this.stopped = 0;
		let hasBegun = false;
		const names = ['A', 'B'];
		this.benches = names.map((name) => {
			const bench = LimiterBench.on(this.redis, async (run, isAwaited) => {
				if (!hasBegun || !isAwaited) return run();
				// A run that gets no reply sends the command again.
				const twice = () => [run(), run()][1];
				return await play.call(`${name} asks`, run, isLost ? { 'reply lost': twice } : {});
			});
			const windowMs = windowSeconds * 1000;
			bench.limits = {
				general: [{ max: 2, windowMs }],
				endpoints: { [SEND]: [{ max: 1, windowMs }] },
			};
			return bench;
		});
		if (isLost) await this.sendBefore();
		hasBegun = true;

		const stop = abortController();
		if (isStopped) play.later('stop', () => stop.abort(new Error('stop')));
		if (isLost) play.mayStrike('Redis is emptied', () => this.redis.data.clear());
		return this.benches.map((bench, index) => async () => {
			const run = names[index] ?? '';
			const signal = run === 'A' ? stop.signal : abortController().signal;
			for (const request of requests) {
				const endpoint = request === 'send' ? SEND : undefined;
				const acquired = bench.acquire({ run, endpoint, signal });
				const permit = await acquired.catch((error: unknown) => {
					if (!signal.aborted) throw error;
				});
				if (permit === undefined) {
					this.stopped++;
					continue;
				}
				expect(signal.aborted).toBe(false);
				await play.call(`${run} arrives`, () => {
					this.counted.push({ at: performance.now(), endpoint, run });
				});
				permit.letThrough();
			}
		});
	}

	shared() {
		return [this.redis.data.copy(), this.counted.map((one) => JSON.stringify(one)).sort()];
	}

	check(): void {
		const { requests, isLost = false } = this.settings;
		const windowSeconds = this.settings.windowSeconds - (isLost ? FORGOTTEN_EARLY_S : 0);
		const endpoints = { [SEND]: { max: 1, windowSeconds } };
		const table = { general: [{ max: 2, windowSeconds }], endpoints };
		const sent = this.counted.filter(({ run }) => run !== undefined);
		// Redis forgets free slots in time, and a process drops an idle limiter at once.
		jest.advanceTimersByTime(60_000);
		expect({
			exceeded: exceededLimits(this.counted, table),
			left: [...this.redis.data.copy().keys()],
			idle: this.benches.map(({ isIdle }) => isIdle),
			ended: sent.length + this.stopped,
		}).toEqual({ exceeded: [], left: [], idle: [true, true], ended: 2 * requests.length });
	}

	/** Sends in both processes, so that both hold slots and know that Redis must have data. */
	private async sendBefore(): Promise<void> {
		const sent = this.benches.map(async (bench) => {
			const permit = await bench.acquire();
			this.counted.push({ at: performance.now() });
			permit.letThrough();
		});
		await passTime(Promise.all(sent), 1_000);
		await jest.advanceTimersByTimeAsync(1000 * this.settings.windowSeconds - HELD_MS);
	}
}

/** Defines the tests, within the narrow or the wide bounds. */
export function testLimiterOrders(bounds: 'narrow' | 'wide'): void {
	jest.setTimeout(3_600_000);
	test.each(ORDERS)('limits hold with $name', async ({ name, settings, [bounds]: within }) => {
		const { orders, failure } = await explore(
			new LimiterOrders(await LuaRedis.load(), settings),
			within,
		);
		expect(failure).toBeUndefined();
		report(`Two runs and ${name}: all of ${orders} orders`);
	});
}
