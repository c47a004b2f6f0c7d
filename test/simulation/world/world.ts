/**
 * The world: its time and its events, one after the other. After each event, everything that it has started in
 * promises, streams and `process.nextTick` runs to its end, and no time passes.
 */
import { History } from './history';
import { Random } from './random';

/** Separates two events that must keep their order (ms). */
const STEP_MS = 1e-4;

/** More events mean an endless loop in the simulation itself. */
const MOST_EVENTS = 5_000_000;

export interface WorldEvent {
	/** In ms of world time. */
	at: number;
	/** Orders events at the same time. */
	tie: number;
	isCanceled: boolean;
	run: () => void;
	/** The owner of the event. The events of a process wait while it is frozen, and end with it. */
	owner: Owner | undefined;
}

/** An owner whose events may be delayed or dropped. */
export interface Owner {
	readonly isAlive: boolean;
	/** Until when (ms of world time) it is frozen. */
	readonly stalledUntil: number;
	/** Called when the promises that one of its events has settled have run. */
	afterEvent(): void;
}

/** Earliest first; events at the same time in the order of `tie`. */
class EventQueue {
	/** Sorted, with the earliest last. */
	private readonly events: WorldEvent[] = [];

	push(event: WorldEvent): void {
		const { events } = this;
		let from = 0;
		let to = events.length;
		while (from < to) {
			const middle = (from + to) >> 1;
			if (isBefore(event, events[middle] as WorldEvent)) from = middle + 1;
			else to = middle;
		}
		events.splice(from, 0, event);
	}

	pop(): WorldEvent | undefined {
		return this.events.pop();
	}
}

function isBefore(a: WorldEvent, b: WorldEvent): boolean {
	return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}

export class World {
	/** Since the world began (ms). */
	now = 0;
	events = 0;
	readonly random: Random;
	readonly history = new History(() => this.now);
	private readonly queue = new EventQueue();
	private readonly ties: Random;

	constructor(seed: string) {
		this.random = new Random(seed);
		this.ties = this.random.of('ties');
	}

	/** Schedules an event at `time` (ms), now at the earliest. */
	at(time: number, run: () => void, owner?: Owner): WorldEvent {
		const at = Math.max(time, this.now);
		const event = { at, tie: this.ties.next(), isCanceled: false, run, owner };
		this.queue.push(event);
		return event;
	}

	after(ms: number, run: () => void, owner?: Owner): WorldEvent {
		return this.at(this.now + ms, run, owner);
	}

	/** Resolves after `ms`, in an event of `owner`. */
	async sleep(ms: number, owner: Owner | undefined): Promise<void> {
		await new Promise<void>((resolve) => this.after(ms, resolve, owner));
	}

	/** Plays until `isOver`, `until` (ms), or until nothing is left to happen. */
	async play(until: number, isOver: () => boolean = () => false): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			setImmediate(() => {
				// Turns synchronous errors into rejections.
				new Promise<void>((done) => done(this.playNow(until, isOver))).then(resolve, reject);
			});
		});
	}

	private playNow(until: number, isOver: () => boolean): void {
		while (!isOver()) {
			const event = this.queue.pop();
			if (event === undefined) {
				this.now = until;
				return;
			}
			if (event.isCanceled || event.owner?.isAlive === false) continue;
			if (event.at > until) {
				this.queue.push(event);
				this.now = until;
				return;
			}
			if (this.isHeldUp(event)) continue;
			this.now = event.at;
			if (++this.events > MOST_EVENTS) throw new Error('The world does not come to an end');
			event.run();
			if (event.owner !== undefined) {
				drain();
				event.owner.afterEvent();
			}
		}
	}

	/** Delays an event of a frozen process until it continues, in the same order. */
	private isHeldUp(event: WorldEvent): boolean {
		const { owner } = event;
		if (owner === undefined || owner.stalledUntil <= event.at) return false;
		const step = (this.heldUp.get(owner) ?? 0) + 1;
		this.heldUp.set(owner, step);
		event.at = owner.stalledUntil + step * STEP_MS;
		this.queue.push(event);
		return true;
	}

	private readonly heldUp = new WeakMap<Owner, number>();
}

/**
 * Runs all pending promise, `nextTick` and stream callbacks of this thread. A turn of the event loop would do the same,
 * but takes many times as long, which is why this calls a private function of Node.js.
 */
function drain(): void {
	(process as unknown as { _tickCallback(): void })._tickCallback();
}
