/**
 * Tickets for executions that wait for room outside the limiter, such as parked ones. A ticket reserves nothing: it only
 * delays later ones, so that executions do not all wake for the same room. It ends when a request uses it, or lapses.
 */

/** How long (ms) a ticket outlasts its time, because the holder may wake a minute late, or never. */
export const TICKET_KEPT_MS = 90_000;
/** How long (ms) before its time a ticket may be used, because clocks and timers differ. */
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
	 * The times of other holders' tickets that go before new ones of the holder. If it has enough unused tickets, these keep
	 * its place, so that only the tickets before them count.
	 */
	before(holder: string, count: number): number[] {
		const own = this.keptBy(holder);
		const place = own.length >= count ? (own[0]?.at ?? Infinity) : Infinity;
		// With the same time, the holder decides, so that all processes agree.
		const isBefore = (one: Ticket) => one.at < place || (one.at === place && one.holder < holder);
		const others = this.kept().filter((one) => one.holder !== holder);
		return others.filter(isBefore).map(({ at }) => at);
	}

	/** Whether the holder has exactly `count` tickets, and may use them now. */
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

	/** How long (ms) until the last ticket lapses; 0 if there are none. */
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
