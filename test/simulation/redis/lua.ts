/**
 * Runs the package's scripts in a real Lua 5.1, the version in Redis, compiled to WebAssembly. There is one per thread.
 * As in Redis, scripts keep no state between runs and cannot create globals.
 */
import { LUA_GLOBALSINDEX, LUA_REGISTRYINDEX, LuaApi, LuaReturn, LuaType } from 'wasmoon-lua5.1';

import { RedisFailure, type RedisReply } from './reply';
import { unsupported } from '../world/unsupported';

/** The C interface of Lua 5.1. Functions that use only numbers and addresses are bound without wrappers. */
type Api = Omit<LuaApi, 'luaL_newstate' | 'lua_tolstring' | 'lua_pushlstring' | 'module'> & {
	module: Record<`_${string}`, unknown> & {
		addFunction(run: (state: number) => number, signature: string): number;
		HEAPU8: Uint8Array;
		HEAPU32: Uint32Array;
		_malloc(bytes: number): number;
	};
	luaL_newstate(): number;
	/** Returns the address of the text, and stores its length at the address `length`. */
	lua_tolstring(state: number, index: number, length: number): number;
	lua_pushlstring(state: number, text: number, length: number): void;
};

/** The longest text (bytes) that a script or a reply may have. */
const LONGEST_TEXT = 2 ** 18;

/** The part of Redis's Lua API that scripts may use. Anything else is an error that names it. */
const PRELUDE = `
local send = ...
redis = {}
function redis.pcall(...) return send(...) end
function redis.call(...)
	local reply = send(...)
	if type(reply) == 'table' and reply.err then error(reply.err, 0) end
	return reply
end
function redis.error_reply(text) return { err = text } end
function redis.status_reply(text) return { ok = text } end
cjson = { decode = function(text) return send('cjson.decode', text) end }
os, io, debug, package, require, print, dofile, loadfile, module = nil
setmetatable(_G, {
	__newindex = function(_, name) error('Script attempted to create global variable ' .. tostring(name), 2) end,
	__index = function(_, name)
		error('Script attempted to access nonexistent global variable ' .. tostring(name), 2)
	end,
})
`;

export class Lua {
	private static instance: Promise<Lua> | undefined;

	private readonly state: number;

	/** Lua's memory. Our part begins at `text`: a number, then the text to be passed in. */
	private memory: Buffer = Buffer.alloc(0);

	private readonly text: number;
	/** Compiled scripts by their source. */
	private readonly scripts = new Map<string, number>();

	/** Runs a command of the current script. */
	private run: (command: string[]) => RedisReply = () => null;

	private fault: Error | undefined;

	private constructor(private readonly api: Api) {
		for (const name of Object.keys(api.module)) {
			const isOfNumbers = name.startsWith('_lua_');
			if (isOfNumbers) Object.assign(api, { [name.slice(1)]: api.module[name as `_${string}`] });
		}
		this.text = api.module._malloc(4 + LONGEST_TEXT);
		this.state = api.luaL_newstate();
		api.luaL_openlibs(this.state);
		const send = api.module.addFunction((state) => this.send(state), 'ii');
		this.compile(PRELUDE);
		api.lua_pushcclosure(this.state, send, 0);
		this.call(1);
	}

	static async load(): Promise<Lua> {
		this.instance ??= LuaApi.initialize().then((api) => new Lua(api as unknown as Api));
		return await this.instance;
	}

	/** @param command runs one command of the script */
	eval(
		code: string,
		keys: string[],
		parameters: string[],
		command: (command: string[]) => RedisReply,
	): RedisReply {
		const { api, state } = this;
		this.run = command;
		this.fault = undefined;
		let script = this.scripts.get(code);
		if (script === undefined) {
			this.compile(code);
			this.scripts.set(code, (script = api.luaL_ref(state, LUA_REGISTRYINDEX)));
		}
		this.setGlobal('KEYS', keys);
		this.setGlobal('ARGV', parameters);
		api.lua_rawgeti(state, LUA_REGISTRYINDEX, script);
		try {
			this.call(0);
			return this.replyAt(-1);
		} catch (error) {
			this.throwFault();
			return new RedisFailure(error instanceof Error ? error.message : String(error));
		} finally {
			api.lua_settop(state, 0);
		}
	}

	/** @throws an error of the simulation itself */
	private throwFault(): void {
		if (this.fault !== undefined) throw this.fault;
	}

	/** Leaves the function on the stack. */
	private compile(code: string): void {
		if (this.api.luaL_loadstring(this.state, code) !== LuaReturn.Ok) throw this.error();
	}

	private call(parameters: number): void {
		if (this.api.lua_pcall(this.state, parameters, 1, 0) !== 0) throw this.error();
	}

	private error(): Error {
		const text = this.textAt(-1);
		// Redis prefixes errors that have no code of their own in this way.
		return new Error(/^[A-Z]+ /.test(text) ? text : `ERR ${text}`);
	}

	private setGlobal(name: string, values: string[]): void {
		const { api, state } = this;
		this.pushText(name);
		this.push(values);
		api.lua_rawset(state, LUA_GLOBALSINDEX);
	}

	/** Called by Lua: runs a command, and pushes its reply. */
	private send(state: number): number {
		try {
			const command = Array.from({ length: this.api.lua_gettop(state) }, (_, index) =>
				this.argument(index + 1),
			);
			const [name, text = ''] = command;
			if (name === 'cjson.decode') this.push(decoded(text));
			else this.push(valueOf(this.run(command)));
		} catch (error) {
			this.fault = error as Error;
			this.push({ err: 'ERR fault of the simulation' });
		}
		return 1;
	}

	private argument(index: number): string {
		const { api, state } = this;
		const type = api.lua_type(state, index);
		if (type === LuaType.String) return this.textAt(index);
		if (type !== LuaType.Number) throw unsupported('argument of a command but strings and numbers');
		const value = api.lua_tonumber(state, index);
		return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(17)));
	}

	/** Pushes a JSON value. Null becomes `false`, as in Redis. */
	private push(value: unknown): void {
		const { api, state } = this;
		if (typeof value === 'string') this.pushText(value);
		else if (typeof value === 'number') api.lua_pushnumber(state, value);
		else if (typeof value !== 'object' || value === null) {
			api.lua_pushboolean(state, value === true ? 1 : 0);
		} else if (Array.isArray(value)) {
			api.lua_createtable(state, value.length, 0);
			for (const [index, one] of value.entries()) {
				this.push(one);
				api.lua_rawseti(state, -2, index + 1);
			}
		} else {
			api.lua_createtable(state, 0, 1);
			for (const [name, one] of Object.entries(value)) {
				this.pushText(name);
				this.push(one);
				api.lua_rawset(state, -3);
			}
		}
	}

	/** Converts a Lua value to a Redis reply: numbers are truncated, lists end at the first nil. */
	private replyAt(index: number): RedisReply {
		const { api, state } = this;
		const type = api.lua_type(state, index);
		if (type === LuaType.String) return this.textAt(index);
		if (type === LuaType.Number) return Math.trunc(api.lua_tonumber(state, index));
		if (type === LuaType.Boolean) return api.lua_toboolean(state, index) === 1 ? 1 : null;
		if (type !== LuaType.Table) return null;
		const failure = this.textField('err');
		if (failure !== undefined) return new RedisFailure(failure);
		const status = this.textField('ok');
		if (status !== undefined) return { status };
		const replies: RedisReply[] = [];
		for (let position = 1; ; position++) {
			api.lua_rawgeti(state, -1, position);
			const isThere = api.lua_type(state, -1) !== LuaType.Nil;
			if (isThere) replies.push(this.replyAt(-1));
			api.lua_settop(state, -2);
			if (!isThere) return replies;
		}
	}

	private textField(name: string): string | undefined {
		const { api, state } = this;
		this.pushText(name);
		api.lua_rawget(state, -2);
		const text = api.lua_type(state, -1) === LuaType.String ? this.textAt(-1) : undefined;
		api.lua_settop(state, -2);
		return text;
	}

	private textAt(index: number): string {
		const start = this.api.lua_tolstring(this.state, index, this.text);
		const length = this.api.module.HEAPU32[this.text >> 2] as number;
		return this.heap().toString('utf8', start, start + length);
	}

	private pushText(value: string): void {
		if (value.length > LONGEST_TEXT / 3) throw unsupported(`text of ${value.length} characters`);
		const start = this.text + 4;
		const length = this.heap().write(value, start);
		this.api.lua_pushlstring(this.state, start, length);
	}

	/** Lua's memory moves when it grows. */
	private heap(): Buffer {
		const { buffer } = this.api.module.HEAPU8;
		if (this.memory.buffer !== buffer) this.memory = Buffer.from(buffer);
		return this.memory;
	}
}

/** Converts a reply to the value that a script gets. */
function valueOf(reply: RedisReply): unknown {
	if (reply instanceof RedisFailure) return { err: reply.message };
	const isStatus = typeof reply === 'object' && reply !== null && 'status' in reply;
	return isStatus ? { ok: reply.status } : reply;
}

function decoded(text: string): unknown {
	if (text.includes('null')) throw unsupported('null in JSON');
	return JSON.parse(text);
}
