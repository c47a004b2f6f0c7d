/** One request in the limit store: its slots, and its place in the queues. */
import { randomUUID } from 'node:crypto';

import type { RedisScript } from '../../redis';
import type { LimitedWindow, Stages } from '../scope';
import type { RedisLimitStore, ScriptCall } from './redisLimitStore';
import { LEARN } from './roomScripts';
import { KEEP_PLACE, COMPLETE, TAKE } from './scripts';

/** The result of one attempt to take a slot in all windows. */
export type SharedReply =
	| {
			isTaken: true;
			/** How many slots all processes hold in each window, in the order of the stages. */
			used: number[];
	  }
	| {
			isTaken: false;
			/** The full window; undefined while all requests wait for a moment. */
			window: LimitedWindow | undefined;
			/** Whether the window is one of the scope, so that the request must leave the general gate. */
			isOfScope: boolean;
			/** How long (ms) it takes at the least until it is this request's turn. */
			waitMs: number;
			/** After how long (ms) to retry, so that the place in the queue is kept. */
			retryMs: number;
	  };

/** What a script returns: its kind, and more. */
type Reply = [kind: string, ...more: Array<string | number>];

/** A request that goes at once needs no place. */
const FIRST_PLACE_AFTER_MS = 100;
/** How often (ms) a place is renewed. */
const PLACE_RENEWED_MS = 1_000;
/** Slots that were taken so long (ms) ago may run out while the request is under way. */
const TAKEN_LONG_AGO_MS = 1_000;

export class RedisRequest {
	/** Unique over all processes; undefined when Redis knows nothing of the request. */
	private id: string | undefined;

	private placeTimer: NodeJS.Timeout | undefined;

	/** When (ms, `performance.now()`) Redis was asked for the slots that it has. */
	private takenAt = -Infinity;

	constructor(
		private readonly limitStore: RedisLimitStore,
		private readonly stages: Stages,
		private readonly inFlightMs: number,
	) {}

	/** Keeps a place in the queue, so that later requests of other processes go later. */
	standInLine(): void {
		if (this.placeTimer !== undefined || this.stages.windows.length === 0) return;
		const renew = () => {
			this.id ??= randomUUID();
			this.send(KEEP_PLACE, PLACE_RENEWED_MS);
			this.placeTimer = setTimeout(renew, PLACE_RENEWED_MS).unref();
		};
		this.placeTimer = setTimeout(renew, FIRST_PLACE_AFTER_MS).unref();
	}

	/**
	 * Tries once to take a slot in every window of the request, or in none.
	 * @throws RedisError when Redis cannot be reached for a bounded time, or the signal's reason
	 */
	async take(signal: AbortSignal): Promise<SharedReply> {
		const { windows } = this.stages;
		if (windows.length === 0) return { isTaken: true, used: [] };
		for (;;) {
			this.id ??= randomUUID();
			const askedAt = performance.now();
			const [kind, ...more] = await this.run(TAKE, this.inFlightMs, signal);
			if (kind === 'snapshot') this.merge(more);
			else if (kind === 'full') return this.full(more as number[]);
			else if (kind === 'taken') {
				this.leaveLine();
				this.takenAt = askedAt;
				this.limitStore.hold(this.id, this.stages, askedAt + this.inFlightMs);
				return { isTaken: true, used: more as number[] };
			}
		}
	}

	/**
	 * Whether the slots last for a request that goes out now: they are taken anew if they were taken long ago.
	 * @throws RedisError, or the signal's reason
	 */
	async confirm(signal: AbortSignal): Promise<boolean> {
		if (this.id === undefined || performance.now() - this.takenAt < TAKEN_LONG_AGO_MS) return true;
		return (await this.take(signal)).isTaken;
	}

	/** Publishes what this process has learned of other clients. Nothing waits for it. */
	publish(): void {
		const { scope, general } = this.stages;
		const ofScope = scope?.otherClients.snapshot ?? ['', 0, 0];
		this.send(LEARN, 0, [...ofScope, ...general.otherClients.snapshot, randomUUID()]);
	}

	/** Holds the slots for their window plus `lateMs` (ms) from now. Nothing waits for it. */
	hold(lateMs: number): void {
		if (this.id === undefined) return;
		this.limitStore.hold(this.id, this.stages, performance.now() + lateMs);
		this.send(COMPLETE, lateMs);
	}

	/** Gives up slots and places in queues at once. Nothing waits for it. */
	free(): void {
		this.leaveLine();
		if (this.id === undefined) return;
		this.limitStore.free(this.id);
		this.send(COMPLETE, -1);
		// The command may be retried late, so slots that are taken from now on get another ID.
		this.id = undefined;
	}

	private full([waitMs = 0, retryMs = 0, fullest = 0]: number[]): SharedReply {
		const window = this.stages.windows[fullest - 1];
		const isOfScope = window !== undefined && fullest <= (this.stages.scope?.windows.length ?? 0);
		return { isTaken: false, window, isOfScope, waitMs, retryMs };
	}

	private merge([version, ...snapshot]: Array<string | number>): void {
		const { scope, general, own } = this.stages;
		scope?.otherClients.merge(String(snapshot[0]), Number(snapshot[1]), Number(snapshot[2]));
		general.otherClients.merge(String(snapshot[3]), Number(snapshot[4]), Number(snapshot[5]));
		own.scope.otherClientsVersion = String(version);
	}

	private leaveLine(): void {
		clearTimeout(this.placeTimer);
		this.placeTimer = undefined;
	}

	/** Sends a command that nothing waits for. If it is lost, the time-out of the slots makes up for it. */
	private send(script: RedisScript, number: number, more?: ScriptCall['more']): void {
		if (this.id === undefined) return;
		this.run(script, number, undefined, more).catch(() => undefined);
	}

	private async run(
		script: RedisScript,
		number: number,
		signal?: AbortSignal,
		more?: ScriptCall['more'],
	): Promise<Reply> {
		const { limitStore, stages, id } = this;
		const reply = await limitStore.run<Reply>(script, { id, number, stages, more }, signal);
		const [kind, version] = reply;
		if (kind === 'learned') stages.own.scope.otherClientsVersion = String(version);
		return reply;
	}
}
