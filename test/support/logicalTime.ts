/** Tests in logical time: timers fire in order and at once. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { performance as measured } from 'node:perf_hooks';

/** After so many turns of the event loop without an event, this process is idle. */
const QUIET_TURNS = 8;
/** How long (ms) sent data may take to arrive, with a busy kernel. */
const LONGEST_WAY_MS = 20;
/** Resources of pending work in Node.js: writes, files, host names. */
const UNDER_WAY = /Immediate|Req|WriteWrap|ShutdownWrap/;

/** Real time (ms), even in logical time. */
export const realNow = () => Number(process.hrtime.bigint()) / 1e6;

/** Waits in real time (ms), for another process or the operating system. */
export async function reallyWait(ms: number): Promise<void> {
	const end = realNow() + ms;
	while (realNow() < end) await new Promise(setImmediate);
}

/**
 * Logical time for the tests of a file, or of a part of it, with real servers and clients in this process: it stands
 * still while anything is in transit or at work, and then jumps to the next timer, however busy the machine is. What
 * began in logical time must not see real time again, so the fake timers stay until Jest leaves the file.
 */
export function useLogicalTime(): void {
	beforeAll(() => {
		if (users++ > 0) return;
		for (const name of SOCKET_CHANNELS) subscribe(name, watch);
		useFakeTimers();
		next ??= setImmediate(turn);
	});
	afterAll(async () => {
		// Requests of stopped polls fail when their service stops, and should not outlive the file.
		await after(1);
		if (--users > 0) return;
		for (const name of SOCKET_CHANNELS) unsubscribe(name, watch);
		AbortSignal.timeout = timeout;
	});
}

const SOCKET_CHANNELS = ['net.client.socket', 'net.server.socket'];
const { nodeTiming } = measured as unknown as {
	nodeTiming: { uvMetricsInfo: { events: number } };
};
const timeout = AbortSignal.timeout.bind(AbortSignal);
const sockets = new Set<Socket>();
/** How many parts of the file use logical time. */
let users = 0;
/** The fake `setTimeout`; the global one differs if a test has changed the timers since. */
let logicalSetTimeout: typeof setTimeout | undefined;
let next: NodeJS.Immediate | undefined;
let events = 0;
let quietTurns = 0;
let quietSince = 0;
/** What had been sent when all of it had arrived: until more is sent, there is nothing to wait for. */
let arrived = '';

function turn(): void {
	next = undefined;
	if (users === 0) return;
	const now = nodeTiming.uvMetricsInfo.events;
	const isQuiet = now === events && !process.getActiveResourcesInfo().some(isUnderWay);
	events = now;
	quietTurns = isQuiet ? quietTurns + 1 : 0;
	if (quietTurns === 1) quietSince = realNow();
	if (quietTurns > QUIET_TURNS) {
		const sent = allSent();
		if (sent === arrived || hasArrived() || realNow() - quietSince > LONGEST_WAY_MS) {
			arrived = sent;
			quietTurns = 0;
			jest.advanceTimersToNextTimer();
		}
	}
	next = setImmediate(turn);
}

const isUnderWay = (resource: string) => UNDER_WAY.test(resource);

function watch(message: unknown): void {
	const { socket } = message as { socket: Socket };
	sockets.add(socket);
	socket.once('close', () => sockets.delete(socket));
}

/** Identifies what has been sent so far on all connections. */
function allSent(): string {
	return [...sockets].map((one) => `${one.bytesWritten} ${one.writableEnded}`).join();
}

/** Whether each end of every connection has read what the other has written. */
function hasArrived(): boolean {
	const ends = [...sockets];
	return ends.every((one) => {
		const other = ends.find(
			({ localPort, remotePort }) => localPort === one.remotePort && remotePort === one.localPort,
		);
		return other !== undefined && other.bytesRead === one.bytesWritten;
	});
}

function useFakeTimers(): void {
	// Jest does not fake this timer of Node.js, and all tests of a worker share it.
	AbortSignal.timeout = (ms) => {
		const controller = new AbortController();
		setTimeout(() => controller.abort(new DOMException('Too late', 'TimeoutError')), ms);
		return controller.signal;
	};
	if (globalThis.setTimeout === logicalSetTimeout) return;
	const real = ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'hrtime'] as const;
	jest.useFakeTimers({ doNotFake: [...real] });
	// Node.js has no timer shorter than 1 ms.
	const { setTimeout: fake } = globalThis;
	const atLeastOne = (callback: () => void, ms?: number, ...parameters: []) =>
		fake(callback, ms !== undefined && ms >= 1 ? ms : 1, ...parameters);
	globalThis.setTimeout = logicalSetTimeout = Object.assign(atLeastOne, fake);
}

/** Lets logical time pass until `promise` settles, but at most `ms` milliseconds. */
export async function passTime<T>(promise: Promise<T>, ms = 3_600_000): Promise<T> {
	let isSettled = false;
	const settle = () => (isSettled = true);
	promise.then(settle, settle);
	const end = performance.now() + ms;
	await jest.advanceTimersByTimeAsync(0);
	while (!isSettled && performance.now() < end) {
		await jest.advanceTimersToNextTimerAsync();
		if (jest.getTimerCount() === 0) break;
	}
	await jest.advanceTimersByTimeAsync(0);
	if (!isSettled) throw new Error(`not settled within ${ms} ms of logical time`);
	return await promise;
}

/** How long (ms) it takes in logical time until `promise` settles; at most an hour. */
export async function timeOf(promise: Promise<unknown>): Promise<number> {
	const startedAt = performance.now();
	await passTime(promise);
	return performance.now() - startedAt;
}

/** Expects a value of at least `least` and less than `limit`. */
export function expectBetween(value: number, least: number, limit: number): void {
	expect(value).toBeGreaterThanOrEqual(least);
	expect(value).toBeLessThan(limit);
}

/** Resolves after `ms` of logical time. */
export async function after(ms: number): Promise<void> {
	await new Promise<void>((resolve) => setTimeout(resolve, ms));
}
