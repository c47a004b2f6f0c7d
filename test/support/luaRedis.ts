/** A Redis in logical time for unit tests: the package's scripts run in a real Lua on data in memory. */
import type { RedisConnection, RedisScript } from '../../nodes/BusinessData/redis';
import { DataSet } from '../simulation/redis/dataSet';
import { Lua } from '../simulation/redis/lua';
import { RedisFailure } from '../simulation/redis/reply';

/**
 * Decides when a command runs, now or later, once or twice.
 * @param isAwaited whether a request waits for the reply
 */
export type Sender = (run: () => unknown, isAwaited: boolean) => Promise<unknown>;

export class LuaRedis {
	readonly data = new DataSet(() => Date.now() + this.aheadMs);
	/** By how much its clock is ahead of the test's. */
	private aheadMs = 0;

	private constructor(private readonly lua: Lua) {}

	/** Call this before the clock of the test stands still. */
	static async load(): Promise<LuaRedis> {
		return new LuaRedis(await Lua.load());
	}

	/** Sets its clock forward or back by `stepMs`. */
	setClock(stepMs: number): void {
		this.aheadMs += stepMs;
	}

	/** The connection of a process with its own windows. */
	connection(send: Sender = async (run) => await Promise.resolve(run())): RedisConnection {
		const run: RedisConnection['run'] = async (script, keys, parameters, signal) => {
			signal?.throwIfAborted();
			const once = () => this.run(script, keys, parameters);
			return (await send(once, signal !== undefined)) as never;
		};
		return { run, failure: () => undefined } as Partial<RedisConnection> as RedisConnection;
	}

	private run({ lua }: RedisScript, keys: string[], parameters: Array<string | number>): unknown {
		const reply = this.lua.eval(lua, keys, parameters.map(String), (command) =>
			this.data.run(command),
		);
		if (reply instanceof RedisFailure) throw reply;
		return reply;
	}
}

/** Gives each test of a file, or of a part of it, its own Redis and a clock that stands still. */
export function useLuaRedis(begin: (redis: LuaRedis) => unknown): void {
	beforeEach(async () => {
		const redis = await LuaRedis.load();
		jest.useFakeTimers();
		begin(redis);
	});
	afterEach(() => {
		jest.clearAllTimers();
		jest.useRealTimers();
	});
}
