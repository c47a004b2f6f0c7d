/**
 * Tickets for executions that wait for room outside the limiter, for example parked by n8n. A ticket reserves nothing:
 * it only makes later tickets later, so that executions waiting for the same room wake one after the other. It ends
 * when requests have used the room, or by itself.
 */

/** How long (ms) a ticket counts beyond its moment: its holder may wake a minute late, or never. */
export const TICKET_KEPT_MS = 90_000;
/** How long (ms) before its moment a ticket may be used: clocks and timers differ. */
export const TICKET_EARLY_MS = 2_000;

/** The ticket that an execution asks for. */
export interface WantedTicket {
	/** The holder: a new ticket replaces its old one. */
	name: string;
	/** For how many requests. */
	count: number;
	/** How long (ms) the wait may be; no ticket is issued when it is longer. */
	maxWaitMs: number;
}

/** Room for some requests at a moment. */
export interface Ticket {
	/** The holder; a new ticket of the same name replaces the old one. */
	name: string;
	/** When (ms, `performance.now()`) there is room. */
	at: number;
	/** For how many requests that have not gone out yet. */
	left: number;
}

/** The tickets of a scope, in this process. */
export class Tickets {
	/** In the order of their moments. */
	private all: Ticket[] = [];

	/**
	 * The tickets that go before one of this name for `count` requests: all others, unless the room of its old ticket
	 * was not used, so that it keeps its place.
	 */
	before(name: string, count: number): Ticket[] {
		const placeAt = this.placeOf(name, count);
		// Of two tickets with the same moment, all processes put the same one first.
		const isBefore = (one: Ticket) => one.at < placeAt || (one.at === placeAt && one.name < name);
		return this.kept().filter((one) => one.name !== name && isBefore(one));
	}

	make({ name, at, left }: Ticket): void {
		// A holder that wakes late keeps its place before tickets of later moments.
		const place = at <= performance.now() ? Math.min(at, this.placeOf(name, left)) : at;
		this.withdraw(name);
		this.all = [...this.all, { name, at: place, left }].sort((a, b) => a.at - b.at);
	}

	withdraw(name: string): void {
		this.all = this.all.filter((one) => one.name !== name);
	}

	/** A request goes out: it uses the room of the first ticket whose moment has come, whichever execution holds it. */
	use(): void {
		const [first] = this.kept();
		if (first === undefined || first.at > performance.now() + TICKET_EARLY_MS) return;
		if (--first.left <= 0) this.all.shift();
	}

	/** In how many ms the last one has lapsed; 0 without any. */
	get lapsedInMs(): number {
		const last = this.kept().at(-1);
		return last === undefined ? 0 : last.at + TICKET_KEPT_MS - performance.now();
	}

	/** The moment of a ticket whose room was not used; Infinity without one. */
	private placeOf(name: string, count: number): number {
		const mine = this.kept().find((one) => one.name === name);
		return mine !== undefined && mine.left >= count ? mine.at : Infinity;
	}

	private kept(): Ticket[] {
		const lapsedAt = performance.now() - TICKET_KEPT_MS;
		return (this.all = this.all.filter(({ at }) => at > lapsedAt));
	}
}
