/** How the service counts the requests of a key: in a sliding log, or in windows with a fixed beginning. */

export interface Limit {
	max: number;
	windowSeconds: number;
}

/** As the credential's field Limits writes it. */
export interface LimitTable {
	general: Limit[];
	/** By `METHOD /path`. */
	endpoints: Record<string, Limit>;
}

interface CountersSettings {
	limits: LimitTable;
	windows: 'sliding' | 'fixed';
	phaseMs: number;
	countsRefused: boolean;
}

interface Counter {
	limit: Limit;
	/** The endpoint that it counts; undefined for all. */
	endpoint: string | undefined;
	/** When (ms) each request of the current windows came, in order. */
	times: number[];
}

export class Counters {
	private readonly byKey = new Map<string, Counter[]>();

	constructor(private readonly settings: CountersSettings) {}

	/** Counts a request. Returns undefined when it is let through, or how long (ms) to wait. */
	count(key: string, endpoint: string, now: number): number | undefined {
		const counters = this.countersOf(key).filter(
			(counter) => counter.endpoint === undefined || counter.endpoint === endpoint,
		);
		const waits = counters.map((counter) => this.waitFor(counter, now));
		const waitMs = Math.max(0, ...waits);
		if (waitMs === 0 || this.settings.countsRefused) {
			for (const { times } of counters) times.push(now);
		}
		return waitMs === 0 ? undefined : waitMs;
	}

	/** How long (ms) until there is room; 0 when there is. */
	private waitFor({ limit, times }: Counter, now: number): number {
		const { windows, phaseMs } = this.settings;
		const windowMs = limit.windowSeconds * 1000;
		const isSliding = windows === 'sliding';
		const begin = isSliding ? now - windowMs : now - ((now + phaseMs) % windowMs);
		const isOver = (time: number) => (isSliding ? time <= begin : time < begin);
		while (times[0] !== undefined && isOver(times[0])) times.shift();
		const first = times[times.length - limit.max];
		if (first === undefined) return 0;
		return (isSliding ? first : begin) + windowMs - now;
	}

	private countersOf(key: string): Counter[] {
		let counters = this.byKey.get(key);
		if (counters === undefined) {
			const { general, endpoints } = this.settings.limits;
			counters = [
				...general.map((limit) => ({ limit, endpoint: undefined, times: [] })),
				...Object.entries(endpoints).map(([endpoint, limit]) => ({ limit, endpoint, times: [] })),
			];
			this.byKey.set(key, counters);
		}
		return counters;
	}
}
