/**
 * Tickets for executions that wait for room outside the limiter, such as parked ones. A ticket reserves nothing: it
 * makes later tickets later, so that executions do not all wake for the same room. It ends when a request uses it, or
 * lapses.
 */

/** How long (ms) a ticket lasts after its time: the holder may wake a minute late, or never. */
export const TICKET_KEPT_MS = 90_000;
/** How long (ms) before its time a ticket may be used: clocks and timers differ. */
export const TICKET_EARLY_MS = 2_000;

/** Room for one request from a time (ms, `performance.now()`) on. */
interface Ticket {
	holder: string;
	at: number;
}

export class Tickets {
	/** @param all in the order of their times */
	constructor(private all: Ticket[] = []) {}

	/**
	 * The times of the tickets of other holders that go before new ones: all, or only those before the holder's own unused
	 * tickets, which keep its place.
	 */
	before(holder: string, count: number): number[] {
		const own = this.keptBy(holder);
		const place = own.length >= count ? (own[0]?.at ?? Infinity) : Infinity;
		// All processes sort tickets of the same time alike.
		const isBefore = (one: Ticket) => one.at < place || (one.at === place && one.holder < holder);
		const others = this.kept().filter((one) => one.holder !== holder);
		return others.filter(isBefore).map(({ at }) => at);
	}

	/** Whether the holder has just so many tickets, and they may be used. */
	areDue(holder: string, count: number): boolean {
		const own = this.keptBy(holder);
		return own.length === count && isUsable(own[0]);
	}

	issue(holder: string, count: number, at: number): void {
		const others = this.all.filter((one) => one.holder !== holder);
		const issued = Array.from({ length: count }, () => ({ holder, at }));
		this.all = [...others, ...issued].sort((a, b) => a.at - b.at);
	}

	/** A request that goes out uses the first ticket whose time has come, of any holder. */
	use(): void {
		if (isUsable(this.kept()[0])) this.all.shift();
	}

	/** How long (ms) until the last ticket lapses; 0 without any. */
	get lapsedInMs(): number {
		const last = this.kept().at(-1);
		return last === undefined ? 0 : last.at + TICKET_KEPT_MS - performance.now();
	}

	private keptBy(holder: string): Ticket[] {
		return this.kept().filter((one) => one.holder === holder);
	}

	private kept(): Ticket[] {
		const lapsedAt = performance.now() - TICKET_KEPT_MS;
		return (this.all = this.all.filter(({ at }) => at > lapsedAt));
	}
}

function isUsable(ticket: Ticket | undefined): boolean {
	return ticket !== undefined && ticket.at <= performance.now() + TICKET_EARLY_MS;
}
