/**
 * The way of a request through the gates, which one request passes at a time: that of its scope, where it
 * waits for the windows of the scope, and the general one, where it waits for all of them. It takes a slot in
 * all windows at once, or in none, so that whoever waits holds nothing that another could use.
 */
import { LONGEST_TIMER_MS, onceAborted, sleep } from '../waiting';
import type { Priority } from './bottleneck';
import { Permit } from './permit';
import type { RedisRequest, SharedReply } from './redis/redisRequest';
import type { Stage, Stages } from './scope';
import { REFUSAL, type Wait, WaitTooLongError } from './wait';

/** In the general gate: who has waited for its scope, and others of it behind, need not wait for everybody. */
const PRIORITY_OF_SCOPES = 4;

export interface Waiting {
	stages: Stages;
	priority: Priority;
	signal: AbortSignal;
	/** The same request in Redis, where processes share the count. */
	shared: RedisRequest | undefined;
	wait: Wait;
	/** The moment (ms, `performance.now()`) up to which it may wait. */
	deadline: number;
}

/** @throws WaitTooLongError, RedisError, the signal's reason; no slot is taken then */
export async function passGates(waiting: Waiting): Promise<Permit> {
	const { stages, priority, signal, wait, shared } = waiting;
	const { scope } = stages;
	if (scope === undefined) return (await passGeneral(waiting, priority)) as Permit;
	// Whoever waits for the scope, for minutes perhaps, does not stand in the general gate.
	return await scope.inGate(priority, signal, async () => {
		wait.spentFor(scope.windows[0]);
		shared?.standInLine();
		for (;;) {
			await untilRoom([scope], waiting);
			const permit = await passGeneral(waiting, Math.min(priority, PRIORITY_OF_SCOPES) as Priority);
			if (permit instanceof Permit) return permit;
			await sleep(permit.retryMs, signal);
			wait.spentFor(permit.window ?? REFUSAL);
		}
	});
}

/** Returns a permit, or what other processes say who have filled the scope's windows. */
async function passGeneral(waiting: Waiting, priority: Priority) {
	const { stages, shared, signal, wait } = waiting;
	const { scope: all } = stages.general;
	return await stages.general.inGate(priority, signal, async () => {
		wait.spentFor(all.lastCause);
		for (;;) {
			await untilRoom(stages.all, waiting);
			const slots = stages.takeSlots();
			const freeSlots = () => {
				for (const slot of slots) slot.free();
			};
			const reply = await takeShared(waiting).catch((error: unknown) => {
				freeSlots();
				throw error;
			});
			all.lastCause = wait.longestCause ?? all.lastCause;
			// A refusal may have come meanwhile.
			if (reply.isTaken && stages.pausedMs <= 0) {
				stages.own.scope.promises.use();
				return new Permit(slots, shared, stages, reply.used, wait);
			}
			freeSlots();
			if (reply.isTaken) shared?.free();
			else if (reply.isOfScope) return reply;
			else {
				await sleep(reply.retryMs, signal);
				wait.spentFor(reply.window ?? REFUSAL);
			}
		}
	});
}

/** Waits for the end of pauses and for room in each window, and takes none. */
async function untilRoom(stages: Stage[], { signal, wait }: Waiting): Promise<void> {
	for (;;) {
		const pausedMs = Math.max(...stages.map((stage) => stage.pausedMs));
		const full = stages
			.flatMap(({ windows }) => windows)
			.find(({ window, room }) => window.used >= room);
		const underWay = stages.map(({ foreign }) => foreign.underWay).find(Boolean);
		if (pausedMs > 0) await sleep(Math.min(Math.ceil(pausedMs), LONGEST_TIMER_MS), signal);
		else if (full !== undefined) await full.untilRoom(signal);
		else if (underWay !== undefined) await onceAborted(underWay, signal);
		else return;
		wait.spentFor(pausedMs > 0 ? REFUSAL : (full ?? REFUSAL));
	}
}

/** @throws WaitTooLongError when the turn comes too late, RedisError, the signal's reason */
async function takeShared({ shared, signal, deadline }: Waiting): Promise<SharedReply> {
	const reply = (await shared?.take(signal)) ?? { isTaken: true, used: [] };
	if (reply.isTaken || performance.now() + reply.waitMs <= deadline) return reply;
	throw new WaitTooLongError(reply.waitMs);
}
