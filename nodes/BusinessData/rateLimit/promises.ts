/**
 * Room that was promised to executions that wait for it elsewhere, such as without a process. A promise reserves
 * nothing: it only makes later promises later, so that those who wait for the same room wake one after the
 * other. It ends when requests have used the room, or by itself.
 */

/** How long (ms) a promise counts beyond its moment: whoever has it may wake a minute late, or never. */
export const PROMISE_KEPT_MS = 90_000;
/** So much (ms) before its moment a promise may be used: clocks and timers differ. */
export const PROMISE_EARLY_MS = 2_000;

/** Room that somebody asks for. */
export interface RoomWanted {
	/** Who waits for it: a promise that it has already is replaced. */
	name: string;
	/** For how many requests. */
	count: number;
	/** How long (ms) the wait may be; nothing is promised when it is longer. */
	maxWaitMs: number;
}

/** Room for some requests at a moment. */
export interface Promised {
	/** Who has it; a new promise of the same name takes the place of the old one. */
	name: string;
	/** When (ms, `performance.now()`) there is room. */
	at: number;
	/** For how many requests that have not gone out yet. */
	left: number;
}

/** The promises of a scope, in this process. */
export class Promises {
	/** In the order of their moments. */
	private all: Promised[] = [];

	/**
	 * The promises that one of this name for `count` requests comes after: all others. One whose room was not
	 * used, because nothing had to be sent or there was none after all, keeps its place.
	 */
	before(name: string, count: number): Promised[] {
		const mine = this.kept().find((one) => one.name === name);
		const placeAt = mine !== undefined && mine.left >= count ? mine.at : Infinity;
		return this.all.filter((one) => one !== mine && one.at < placeAt);
	}

	make(promised: Promised): void {
		this.withdraw(promised.name);
		this.all = [...this.all, promised].sort((a, b) => a.at - b.at);
	}

	withdraw(name: string): void {
		this.all = this.all.filter((one) => one.name !== name);
	}

	/** A request goes out: it uses the room of the first promise whose moment has come, whoever has it. */
	use(): void {
		const [first] = this.kept();
		if (first === undefined || first.at > performance.now() + PROMISE_EARLY_MS) return;
		if (--first.left <= 0) this.all.shift();
	}

	/** In how many ms the last one has lapsed; 0 without any. */
	get lapsedInMs(): number {
		const last = this.kept().at(-1);
		return last === undefined ? 0 : last.at + PROMISE_KEPT_MS - performance.now();
	}

	private kept(): Promised[] {
		const lapsedAt = performance.now() - PROMISE_KEPT_MS;
		return (this.all = this.all.filter(({ at }) => at > lapsedAt));
	}
}
