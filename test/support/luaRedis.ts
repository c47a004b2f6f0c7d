/** A Redis in logical time, for unit tests: the package's scripts run in a real Lua, on data in memory. */
import type { RedisConnection, RedisScript } from '../../nodes/BusinessData/redis';
import { DataSet } from '../simulation/redis/dataSet';
import { Lua } from '../simulation/redis/lua';
import { RedisFailure } from '../simulation/redis/reply';

/**
 * What becomes of a command on its way, which may be run once or twice, now or later.
 * @param isAwaited whether something more than its end waits for it
 */
export type Sender = (run: () => unknown, isAwaited: boolean) => Promise<unknown>;

export class LuaRedis {
	readonly data = new DataSet(() => Date.now() + this.aheadMs);
	/** Of the clock of the test. */
	private aheadMs = 0;

	private constructor(private readonly lua: Lua) {}

	/** To be called before the clock of the test stands still. */
	static async load(): Promise<LuaRedis> {
		return new LuaRedis(await Lua.load());
	}

	/** Sets its clock forward by so many ms, or back. */
	setClock(stepMs: number): void {
		this.aheadMs += stepMs;
	}

	/** The connection of a process, which has windows of its own. */
	connection(way: Sender = async (run) => await Promise.resolve(run())): RedisConnection {
		const run: RedisConnection['run'] = async (script, keys, parameters, signal) => {
			signal?.throwIfAborted();
			const once = () => this.run(script, keys, parameters);
			return (await way(once, signal !== undefined)) as never;
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

/** For each test of a file, or of a part of it, a Redis of its own and a clock that stands still. */
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
