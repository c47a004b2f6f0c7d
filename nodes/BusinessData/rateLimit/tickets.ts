/**
 * Tickets for executions that wait for room outside the limiter, for example parked by n8n. A ticket reserves nothing:
 * it only makes later tickets later, so that executions waiting for the same room wake one after the other. It ends
 * when a request has used the room, or by itself.
 */

/** How long (ms) a ticket counts beyond its moment: its holder may wake a minute late, or never. */
export const TICKET_KEPT_MS = 90_000;
/** How long (ms) before its moment a ticket may be used: clocks and timers differ. */
export const TICKET_EARLY_MS = 2_000;

/** Room for one request of its holder, from a moment (ms, `performance.now()`) on. */
export interface Ticket {
	holder: string;
	at: number;
}

export class Tickets {
	/** @param all in the order of their moments */
	constructor(private all: Ticket[] = []) {}

	/**
	 * The moments of the tickets that go before new ones: of those of all other holders, unless the holder has not used
	 * its old ones, so that it keeps its place.
	 */
	before(holder: string, count: number): number[] {
		const place = this.placeOf(holder, count);
		// Of two with the same moment, all processes put the same one first.
		const isBefore = (one: Ticket) => one.at < place || (one.at === place && one.holder < holder);
		const others = this.kept().filter((one) => one.holder !== holder);
		return others.filter(isBefore).map(({ at }) => at);
	}

	/** The moment of new tickets, for which there is room from `at` on. */
	momentOf(holder: string, count: number, at: number): number {
		// A holder that wakes late keeps its place before tickets of later moments.
		return at <= performance.now() ? Math.min(at, this.placeOf(holder, count)) : at;
	}

	issue(holder: string, count: number, at: number): void {
		const others = this.all.filter((one) => one.holder !== holder);
		const issued = Array.from({ length: count }, () => ({ holder, at }));
		this.all = [...others, ...issued].sort((a, b) => a.at - b.at);
	}

	/** A request goes out: it uses the first ticket whose moment has come, whichever execution holds it. */
	use(): void {
		const [first] = this.kept();
		if (first && first.at <= performance.now() + TICKET_EARLY_MS) this.all.shift();
	}

	/** In how many ms the last one has lapsed; 0 without any. */
	get lapsedInMs(): number {
		const last = this.kept().at(-1);
		return last === undefined ? 0 : last.at + TICKET_KEPT_MS - performance.now();
	}

	/** The moment of as many tickets that were not used; Infinity without them. */
	private placeOf(holder: string, count: number): number {
		const own = this.kept().filter((one) => one.holder === holder);
		return own.length >= count ? (own[0]?.at ?? Infinity) : Infinity;
	}

	private kept(): Ticket[] {
		const lapsedAt = performance.now() - TICKET_KEPT_MS;
		return (this.all = this.all.filter(({ at }) => at > lapsedAt));
	}
}
