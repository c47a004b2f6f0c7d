/**
 * The way of a request through two gates, which one request passes at a time: in the gate of its scope it waits for the
 * windows of the scope, in the general gate for all windows. It takes a slot in all windows at once, or in none, so
 * that a request that waits holds nothing that another could use.
 */
import { LONGEST_TIMER_MS, sleep } from '../async';
import { type Priority, schedule } from './bottleneck';
import { Permit } from './permit';
import type { RedisRequest, SharedReply } from './redis/redisRequest';
import type { Stage, Stages } from './scope';
import { PAUSE, REFUSAL, type WaitTime, type WaitCause, WaitTooLongError } from './waitTime';

/** In the general gate, a request that has waited for its scope goes first: others of its scope wait behind it. */
const PRIORITY_OF_SCOPES = 4;

export interface QueuedRequest {
	stages: Stages;
	priority: Priority;
	signal: AbortSignal;
	/** The same request in Redis, where processes share the count. */
	shared: RedisRequest | undefined;
	waitTime: WaitTime;
	/** The moment (ms, `performance.now()`) up to which it may wait. */
	deadline: number;
}

/** @throws WaitTooLongError, RedisError, the signal's reason; no slot is taken then */
export async function passGates(queued: QueuedRequest): Promise<Permit> {
	const { stages, priority, signal, waitTime, shared } = queued;
	const { scope } = stages;
	if (scope === undefined) return (await passGeneral(queued, priority)) as Permit;
	// A request that waits for its scope, for minutes perhaps, does not stand in the general gate.
	return await schedule(scope.gate, priority, signal, async () => {
		waitTime.spentFor(scope.windows[0]);
		for (;;) {
			shared?.standInLine();
			await untilRoom(scope, queued);
			const permit = await passGeneral(queued, Math.min(priority, PRIORITY_OF_SCOPES) as Priority);
			if (permit instanceof Permit) return permit;
			await sleep(permit?.retryMs ?? 0, signal);
			waitTime.spentFor(permit?.window);
		}
	});
}

/**
 * Returns a permit; or, with no slot taken, the reply of the limit store when other processes have filled the windows
 * of the scope, or undefined when the scope has to wait again.
 */
async function passGeneral(queued: QueuedRequest, priority: Priority) {
	const { stages, shared, signal, waitTime } = queued;
	const { scope: all } = stages.general;
	return await schedule(stages.general.gate, priority, signal, async () => {
		waitTime.spentFor(all.lastCause);
		for (;;) {
			shared?.standInLine();
			await untilRoom(stages.general, queued);
			// A request under other limits, which has a gate of its own, may have gone first in the meantime.
			if (obstacleOf(stages.general) !== undefined) continue;
			if (stages.scope !== undefined && obstacleOf(stages.scope)) return undefined;
			const slots = stages.take();
			const freeSlots = () => {
				for (const slot of slots) slot.free();
			};
			const reply = await takeShared(queued).catch((error: unknown) => {
				freeSlots();
				throw error;
			});
			all.lastCause = waitTime.longestCause;
			// A refusal may have come meanwhile.
			if (reply.isTaken && stages.pausedMs <= 0) {
				stages.own.scope.tickets.use();
				return new Permit(slots, shared, stages, reply.used, waitTime);
			}
			freeSlots();
			if (reply.isTaken) shared?.free();
			else if (reply.isOfScope) return reply;
			else {
				await sleep(reply.retryMs, signal);
				waitTime.spentFor(reply.window);
			}
		}
	});
}

/** Waits until no obstacle is left; takes no slot. @throws WaitTooLongError, the signal's reason */
async function untilRoom(
	stage: Stage,
	{ stages, signal, waitTime, deadline }: QueuedRequest,
): Promise<void> {
	for (;;) {
		stages.refuseLongPause(deadline - performance.now());
		const obstacle = obstacleOf(stage);
		if (obstacle === undefined) return;
		await obstacle.untilGone(signal);
		waitTime.spentFor(obstacle.cause);
	}
}

interface Obstacle {
	cause: WaitCause;
	/** Waits until the obstacle may be gone. */
	untilGone: (signal: AbortSignal) => Promise<void>;
}

/** A pause, a full window, or, while other clients are known, a request that has to end first. */
function obstacleOf({ pausedMs, windows, otherClients }: Stage): Obstacle | undefined {
	if (pausedMs > 0) {
		const ms = Math.min(Math.ceil(pausedMs), LONGEST_TIMER_MS);
		const cause = otherClients.isKnown || otherClients.isRefusing ? REFUSAL : PAUSE;
		return { cause, untilGone: async (signal) => await sleep(ms, signal) };
	}
	const full = windows.find(({ window, room }) => window.used >= room);
	if (full !== undefined) {
		// Room also appears as the estimate of other clients fades.
		const turnMs = otherClients.isKnown ? full.windowMs / full.max : undefined;
		return {
			cause: full,
			untilGone: async (signal) => await full.window.untilFreed(signal, turnMs),
		};
	}
	const { underWay, forgottenInMs } = otherClients;
	if (underWay === undefined) return undefined;
	const untilGone = async (signal: AbortSignal) => await sleep(forgottenInMs, signal, underWay);
	return { cause: REFUSAL, untilGone };
}

/** @throws WaitTooLongError when the turn comes too late, RedisError, the signal's reason */
async function takeShared({ shared, signal, deadline }: QueuedRequest): Promise<SharedReply> {
	const reply = (await shared?.take(signal)) ?? { isTaken: true, used: [] };
	if (reply.isTaken || performance.now() + reply.waitMs <= deadline) return reply;
	throw new WaitTooLongError(reply.waitMs);
}
