/** The global object of a simulated process, with the process's own clocks, timers and random numbers. */
import type { Context } from 'node:vm';

import { unsupported } from '../world/unsupported';
import { PACKAGE_FOLDER } from './modules';
import type { SimulatedProcess } from './simulatedProcess';

export type Global = Context & {
	JSON: JSON;
	Math: Math;
	Date: DateConstructor;
	Error: ErrorConstructor;
	[name: string | symbol]: unknown;
};

type Callback = (...parameters: unknown[]) => void;

/** Globals of this host that use neither a clock nor random numbers. */
const HOST_GLOBALS = [
	'AbortController',
	'Buffer',
	'DOMException',
	'Event',
	'EventTarget',
	'TextDecoder',
	'TextEncoder',
	'URL',
	'URLSearchParams',
	'queueMicrotask',
	'structuredClone',
] as const;

/** @param owner the process that currently uses the global object; undefined between two processes */
export function defineGlobals(global: Global, owner: () => SimulatedProcess | undefined): void {
	const process = () => required(owner());
	for (const name of HOST_GLOBALS) global[name] = globalThis[name];
	global.global = global;
	Object.assign(global, timersOf(process));
	global.AbortSignal = abortSignalOf(process);
	global.performance = { now: () => process().clock.monotonic(), timeOrigin: 0 };
	global.console = { log() {}, warn() {}, error() {}, info() {}, debug() {} };
	global.Math.random = () => process().random.next();
	global.crypto = randomOf(process);
	// Libraries use it even while they are loaded.
	global.Date = dateOf(global.Date, () => Math.floor(owner()?.clock.wall() ?? 0));
	global.process = processOf(process);
}

export function required(owner: SimulatedProcess | undefined): SimulatedProcess {
	if (owner === undefined) throw unsupported('global object without a process');
	return owner;
}

export function timersOf(process: () => SimulatedProcess) {
	const clear = (timer: unknown) => process().timers.clear(timer);
	return {
		setTimeout: (callback: Callback, ms?: number, ...parameters: unknown[]) =>
			process().timers.set(callback, ms, parameters, false),
		setInterval: (callback: Callback, ms?: number, ...parameters: unknown[]) =>
			process().timers.set(callback, ms, parameters, true),
		clearTimeout: clear,
		clearInterval: clear,
		setImmediate: (callback: Callback, ...parameters: unknown[]) =>
			process().setImmediate(() => callback(...parameters)),
		clearImmediate: (handle: unknown) => process().clearImmediate(handle),
	};
}

export function randomOf(process: () => SimulatedProcess) {
	return {
		randomUUID: () => process().randomUUID(),
		randomBytes: (length: number) => process().randomBytes(length),
		getRandomValues: (array: Uint8Array) => array.set(process().randomBytes(array.length)),
	};
}

/** `AbortSignal` with timeouts by the process's clock. */
function abortSignalOf(process: () => SimulatedProcess): typeof AbortSignal {
	const timeout = (ms: number) => {
		const controller = new AbortController();
		const message = 'The operation was aborted due to timeout';
		const abort = () => controller.abort(new DOMException(message, 'TimeoutError'));
		process().timers.set(abort, ms, [], false).unref();
		return controller.signal;
	};
	return new Proxy(AbortSignal, {
		get: (target, name, receiver): unknown =>
			name === 'timeout' ? timeout : Reflect.get(target, name, receiver),
	});
}

function dateOf(RealmDate: DateConstructor, wall: () => number): DateConstructor {
	return new Proxy(RealmDate, {
		construct: (target, parameters: [], newTarget) => {
			const own = parameters.length === 0 ? [wall()] : parameters;
			return Reflect.construct(target, own, newTarget) as Date;
		},
		apply: () => new RealmDate(wall()).toString(),
		get: (target, name, receiver): unknown =>
			name === 'now' ? wall : Reflect.get(target, name, receiver),
	});
}

function processOf(process: () => SimulatedProcess): Record<string, unknown> {
	const { version, versions, platform, arch } = globalThis.process;
	const nanoseconds = () => BigInt(Math.round(process().clock.monotonic() * 1e6));
	return {
		version,
		versions,
		platform,
		arch,
		nextTick: globalThis.process.nextTick.bind(globalThis.process),
		hrtime: Object.assign(nanoseconds, { bigint: nanoseconds }),
		[Symbol.toStringTag]: 'process',
		env: {},
		pid: 1,
		argv: [],
		execArgv: [],
		stdout: { isTTY: false, fd: 1, write: () => true },
		stderr: { isTTY: false, fd: 2, write: () => true },
		cwd: () => PACKAGE_FOLDER,
		on: () => undefined,
		once: () => undefined,
		listeners: () => [],
		listenerCount: () => 0,
		emitWarning: (text: unknown) => process().complain(`warning: ${String(text)}`),
	};
}
