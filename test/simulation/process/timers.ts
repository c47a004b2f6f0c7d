/**
 * `setTimeout` and the like with the behaviour of Node.js that programs rely on: whole milliseconds from the start of
 * the event loop's turn, timers of the same duration in the order in which they were set, late if the loop is busy, and
 * independent of the wall clock.
 */
import type { Owner, World, WorldEvent } from '../world/world';
import type { Random } from '../world/random';
import type { Clock } from './clock';

/** For more, Node.js warns and uses 1 ms. */
const LONGEST_MS = 2 ** 31 - 1;

type Callback = (...parameters: unknown[]) => void;

export class Timer {
	dueAt = 0;
	isActive = false;

	constructor(
		private readonly timers: Timers,
		readonly ms: number,
		readonly callback: Callback,
		readonly parameters: unknown[],
		readonly repeats: boolean,
	) {}

	/** No-op, because no timer keeps the world alive. */
	unref(): this {
		return this;
	}

	refresh(): this {
		if (this.isActive) this.timers.start(this);
		return this;
	}
}

export class Timers {
	/** By duration. Each list is in the order in which its timers were set. */
	private readonly lists = new Map<number, Set<Timer>>();
	private next: WorldEvent | undefined;
	/** The list in progress: Node.js finishes one list before the next. */
	private current: Set<Timer> | undefined;

	constructor(
		private readonly world: World,
		private readonly owner: Owner,
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly onWarning: (text: string) => void,
	) {}

	set(callback: Callback, ms: unknown, parameters: unknown[], repeats: boolean): Timer {
		const asked = Number(ms);
		if (asked > LONGEST_MS) this.onWarning(`TimeoutOverflowWarning: ${asked} ms`);
		const isUsable = asked >= 1 && asked <= LONGEST_MS;
		const timer = new Timer(this, isUsable ? Math.trunc(asked) : 1, callback, parameters, repeats);
		this.start(timer);
		return timer;
	}

	clear(timer: unknown): void {
		if (!(timer instanceof Timer)) return;
		this.lists.get(timer.ms)?.delete(timer);
		timer.isActive = false;
	}

	start(timer: Timer): void {
		let list = this.lists.get(timer.ms);
		if (list === undefined) this.lists.set(timer.ms, (list = new Set()));
		list.delete(timer);
		list.add(timer);
		timer.dueAt = Math.floor(this.clock.monotonic()) + timer.ms;
		timer.isActive = true;
		this.plan();
	}

	get active(): Timer[] {
		return [...this.lists.values()].flatMap((list) => [...list]);
	}

	private plan(): void {
		const first = this.earliest();
		const head = first === undefined ? undefined : headOf(first);
		if (head === undefined) return;
		const dueAt = this.clock.worldTimeOf(head.dueAt);
		if (this.next !== undefined && !this.next.isCanceled && this.next.at <= dueAt) return;
		if (this.next !== undefined) this.next.isCanceled = true;
		this.next = this.world.at(dueAt + this.latenessMs(), () => this.fire(), this.owner);
	}

	private latenessMs(): number {
		return this.random.chance(0.02) ? this.random.between(1, 20) : this.random.between(0.01, 0.6);
	}

	private earliest(): Set<Timer> | undefined {
		let found: Set<Timer> | undefined;
		let dueAt = Infinity;
		for (const [ms, list] of this.lists) {
			const head = headOf(list);
			if (head === undefined) this.lists.delete(ms);
			else if (head.dueAt < dueAt) {
				found = list;
				dueAt = head.dueAt;
			}
		}
		return found;
	}

	/** Runs one timer. The promises that it settles run before the next one. */
	private fire(): void {
		this.next = undefined;
		const now = Math.floor(this.clock.monotonic());
		const isDue = (list: Set<Timer> | undefined) => {
			const head = list === undefined ? undefined : headOf(list);
			return head !== undefined && head.dueAt <= now;
		};
		this.current = isDue(this.current) ? this.current : this.earliest();
		const list = this.current;
		const timer = list === undefined || !isDue(list) ? undefined : headOf(list);
		if (timer !== undefined) {
			list?.delete(timer);
			timer.isActive = false;
			if (isDue(list) || isDue(this.earliest())) {
				this.next = this.world.after(0, () => this.fire(), this.owner);
			}
			timer.callback(...timer.parameters);
			if (timer.repeats) this.start(timer);
		}
		this.plan();
	}
}

function headOf(list: Set<Timer>): Timer | undefined {
	for (const timer of list) return timer;
	return undefined;
}
