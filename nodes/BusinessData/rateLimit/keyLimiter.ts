/**
 * Admits the requests of one key, each as soon as all windows that count it have room. A request takes its slots in all of
 * them at once, so while it waits, it holds nothing that another could use.
 */
import { boundedSignal, LONGEST_TIMER_MS, onAbort } from '../async';
import { type AppliedLimits, EndpointLimiter, type EndpointUse } from './endpointLimiter';
import { estimateWait, windowStates } from './estimate';
import { GENERAL, type Limits, limitsOfEndpoint } from './limits';
import { type LimitedRequest, Permit, type PermitRequest, type RequestLimits } from './permit';
import { Queue } from './queue';
import { WaitTooLongError } from './waitTime';

/** How long (ms) the limiter itself may take, Redis included. */
const OWN_WORK_MS = 100;
/** After how long (ms) to ask the limit store again when only this process has no room. */
const RETRY_MS = 100;
/** A shorter wait (ms) for tickets counts as none, because timers are no finer. */
const SHORTEST_WAIT_MS = 1;
/** How much later (ms) than in the limit store a slot may be freed in this process. */
const FREED_LATE_MS = 5;

export class KeyLimiter {
	private readonly endpoints = new Map<string, EndpointLimiter>();
	/** In the order of their turns. */
	private readonly queues = new Map<string, Queue>();
	/** How many requests are waiting or under way. */
	private open = 0;
	/** The request that is taking its slots. */
	private admitted: Permit | undefined;
	private timer: NodeJS.Timeout | undefined;

	/** @param onChange called with whether the limiter holds nothing */
	constructor(private readonly onChange: (isIdle: boolean) => void) {}

	/**
	 * Resolves when the request may go out, with a slot in every window that applies.
	 * @throws WaitTooLongError when it would wait longer than `maxWaitMs`, or the service has asked for a pause longer
	 * than all of its windows; RedisError; the signal's reason. No slot is taken then.
	 */
	async acquire(request: PermitRequest): Promise<Permit> {
		const { maxWaitMs } = request;
		request.signal.throwIfAborted();
		const queue = this.queueOf(request);
		// Without limits, there is nothing to count with other processes.
		const hasLimits = queue.limitedBy.some(({ limits }) => limits.length > 0);
		const limitStore = hasLimits ? request.limitStore : undefined;
		const pauseError = queue.pauseError();
		if (pauseError !== undefined) throw pauseError;
		const expectedMs = maxWaitMs === Infinity ? 0 : leastWaitOf(queue, queue.aheadOf(request));
		if (expectedMs > maxWaitMs) throw new WaitTooLongError(expectedMs);

		const tooLate = () =>
			limitStore?.connection.failure() ?? new WaitTooLongError(Math.max(1, leastWaitOf(queue, 0)));
		const boundMs = Math.max(maxWaitMs, OWN_WORK_MS);
		const { signal, release } = boundedSignal(request.signal, boundMs, tooLate);
		const applied = this.apply(request.limits, request.endpoint ?? GENERAL);
		const isLimited = queue.limitedBy.some(({ endpoint }) => endpoint === applied.endpoint);
		// Even if the request has no limits for its endpoint, other credentials may have some that count it.
		const countedBy = isLimited ? queue.limitedBy : [...queue.limitedBy, applied];
		const end = () => {
			this.open--;
			this.dispatch();
		};
		const permit = new Permit({ ...request, limitStore, signal }, queue.limitedBy, countedBy, end);
		this.open++;
		queue.add(permit);
		const stopListening = onAbort(signal, (reason) => {
			// While the permit takes its slots, `admit` checks the signal.
			if (this.admitted !== permit) queue.refuse(permit, reason);
		});
		this.onChange(false);
		this.dispatch();
		try {
			await permit.granted;
			return permit;
		} catch (error) {
			permit.unused();
			throw error;
		} finally {
			stopListening();
			release();
		}
	}

	/**
	 * Replaces the holder's tickets with `count` new ones; 0 only withdraws them. Tickets issued later get later times.
	 * @returns how long (ms) until that many requests have room
	 * @throws WaitTooLongError if that is longer than `maxWaitMs`, RedisError; nothing is issued then
	 */
	async issueTickets(
		request: LimitedRequest & { holder: string; count: number; maxWaitMs: number },
	): Promise<number> {
		const { holder, count, maxWaitMs, limitStore } = request;
		const queue = this.queueOf(request);
		for (;;) {
			// Without a limit store, nothing is awaited, so no other call gets a ticket for the same room meanwhile.
			const uses = limitStore ? await limitStore.read(queue.limitedBy) : usesOf(queue.limitedBy);
			const own = uses[0] as EndpointUse;
			const { tickets, countedAt, queued } = own;
			countedAt.push(...tickets.before(holder, count));
			const ahead = Math.max(queued, this.queuedFor(own.endpoint));
			const ms = waitOf(uses, ahead, count);
			const waitMs = ms < SHORTEST_WAIT_MS ? 0 : ms;
			if (waitMs > maxWaitMs) throw new WaitTooLongError(waitMs);
			// If they were issued anew, they would lose their place to tickets of nearly the same time.
			if (waitMs === 0 && tickets.areDue(holder, count)) return 0;
			const at = performance.now() + waitMs;
			if (limitStore === undefined) {
				tickets.issue(holder, count, at);
				this.onChange(false);
				this.dispatch();
				return waitMs;
			}
			if (await limitStore.issueTickets(own, holder, count, at)) return waitMs;
		}
	}

	/** When (ms from now) the first and the last of `count` requests go out at the earliest. @throws RedisError */
	async estimate(request: LimitedRequest, count: number) {
		const queue = this.queueOf(request);
		const uses = (await request.limitStore?.read(queue.limitedBy)) ?? usesOf(queue.limitedBy);
		return { nextMs: waitOf(uses, 0), lastMs: waitOf(uses, Math.max(0, count - 1)) };
	}

	/**
	 * One entry per window, general ones first. `used` counts the requests of this process, or of all that share the limit
	 * store; `queued` only those of this process. @throws RedisError
	 */
	async status({ limits, limitStore }: LimitedRequest) {
		const all = [GENERAL, ...Object.keys(limits.endpoints)].map((key) => this.apply(limits, key));
		const uses = (await limitStore?.read(all)) ?? usesOf(all);
		return uses.flatMap((use) => {
			const { key, otherClients } = use.endpoint;
			const queued = this.queuedFor(key === GENERAL ? undefined : use.endpoint);
			// Requests that wait for the limits of their endpoint do not hold up others.
			const ahead = this.queuedFor(use.endpoint);
			return windowStates(use).map((state) => {
				const { name, max, windowMs, room, freeAt } = state;
				const waitMs = Math.max(otherClients.waitMs(use.limits), estimateWait([state], ahead));
				return {
					limit: name,
					max,
					windowSeconds: windowMs / 1000,
					used: freeAt.length,
					usedByOthers: Math.round(otherClients.usedIn(windowMs)),
					remaining: Math.max(0, room - freeAt.length),
					availableInMs: Math.ceil(waitMs),
					queued,
				};
			});
		});
	}

	/** How many requests are waiting, in all or for the endpoint. */
	private queuedFor(endpoint?: EndpointLimiter): number {
		const isMeant = ({ limitedBy: [own] }: Queue) => !endpoint || own.endpoint === endpoint;
		return [...this.queues.values()].reduce((sum, one) => sum + (isMeant(one) ? one.size : 0), 0);
	}

	private queueOf({ limits, endpoint = GENERAL }: LimitedRequest): Queue {
		const general = this.apply(limits, GENERAL);
		const hasOwn = limitsOfEndpoint(limits, endpoint).length > 0;
		const all: RequestLimits = hasOwn ? [this.apply(limits, endpoint), general] : [general];
		const key = JSON.stringify(all.map((one) => [one.endpoint.key, one.limits]));
		const queue = this.queues.get(key) ?? new Queue(key, all);
		this.queues.set(key, queue);
		return queue;
	}

	/** Endpoints without limits are not kept, because users may send to any number of paths. */
	private apply(limits: Limits, key: string): AppliedLimits {
		const own = key === GENERAL ? limits.general : limitsOfEndpoint(limits, key);
		const endpoint = this.endpoints.get(key) ?? new EndpointLimiter(key, this.dispatch);
		if (own.length > 0 || key === GENERAL) this.endpoints.set(key, endpoint);
		return endpoint.under(own, limits.names?.[key] ?? key);
	}

	/** Admits the next request if there is room, and checks again when something may have changed. */
	private readonly dispatch = (): void => {
		const againMs = this.admitted === undefined ? this.admitNext() : Infinity;
		clearTimeout(this.timer);
		const isWaiting = this.queuedFor() > 0;
		const keepMs = Math.max(0, ...[...this.endpoints.values()].map((one) => one.keepMs));
		if (!isWaiting && keepMs === 0) return this.onChange(this.open === 0);
		const ms = Math.ceil(isWaiting ? againMs : keepMs + 1);
		this.timer = setTimeout(this.dispatch, Math.min(ms, LONGEST_TIMER_MS));
		// Held slots, tickets and what was learned about other clients must not keep the process alive.
		if (!isWaiting) this.timer.unref();
	};

	/** @returns after how long (ms) to check again */
	private admitNext(): number {
		let next: [Queue, Permit] | undefined;
		let againMs = Infinity;
		for (const queue of this.queues.values()) {
			const permit = queue.next();
			if (permit === undefined) continue;
			// Asking the limit store keeps the place in the queue of all processes, so do it even if the windows here are full.
			const obstacle = queue.obstacle(permit.request.limitStore === undefined);
			permit.waitsFor(obstacle?.cause, queue.lastCause);
			if (obstacle !== undefined) againMs = Math.min(againMs, obstacle.againMs);
			else if (!next || permit.request.priority < next[1].request.priority) next = [queue, permit];
		}
		if (next !== undefined) void this.admit(...next);
		return againMs;
	}

	/** Grants the permit, if the limit store has room as well. */
	private async admit(queue: Queue, permit: Permit): Promise<void> {
		const { request } = permit;
		this.admitted = permit;
		try {
			const reply = await request.limitStore?.take(permit, request.signal);
			request.signal.throwIfAborted();
			const now = performance.now();
			const obstacle = queue.obstacle(true);
			if (reply !== undefined && !reply.isTaken) {
				if (reply.waitMs > permit.leftMs) throw new WaitTooLongError(reply.waitMs);
				queue.backoff = { cause: reply.limit, until: now + reply.retryMs + FREED_LATE_MS };
			} else if (obstacle !== undefined) {
				// Meanwhile a refusal has come, or Redis has lost slots of this process.
				request.limitStore?.complete(permit, -Infinity);
				queue.backoff = { cause: obstacle.cause, until: now + RETRY_MS };
			} else {
				queue.delete(permit);
				queue.lastCause = permit.waitedFor;
				this.queues.delete(queue.key);
				this.queues.set(queue.key, queue);
				queue.limitedBy[0].endpoint.tickets.use();
				permit.grant(reply?.used);
			}
		} catch (error) {
			queue.refuse(permit, error as Error);
		}
		this.admitted = undefined;
		this.dispatch();
	}
}

/** As `estimateWait`, but no shorter than a pause. */
function waitOf(uses: EndpointUse[], ahead: number, count = 1): number {
	const all = uses.map(({ endpoint, limits }) => endpoint.otherClients.waitMs(limits));
	return Math.max(...all, estimateWait(uses.flatMap(windowStates), ahead, count));
}

/** The shortest wait (ms) behind `ahead` requests in this process, as other clients may leave at any moment. */
function leastWaitOf({ limitedBy, pausedMs }: Queue, ahead: number): number {
	const states = usesOf(limitedBy).flatMap(windowStates);
	const withoutOthers = states.map((one) => ({ ...one, room: one.max }));
	return Math.max(pausedMs, estimateWait(withoutOthers, ahead));
}

function usesOf(all: AppliedLimits[]): EndpointUse[] {
	const now = performance.now();
	return all.map((applied) => {
		const { holders, tickets } = applied.endpoint;
		const countedAt = holders.map((holder) => holder.countedAt ?? now);
		return { ...applied, countedAt, queued: 0, tickets, version: 0 };
	});
}
