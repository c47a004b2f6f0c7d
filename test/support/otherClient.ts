/**
 * A service in logical time that refuses what exceeds a limit in sliding or fixed windows, and another client of the
 * key that knows nothing of the node.
 */
import type { Limit } from '../../nodes/BusinessData/rateLimit';
import { LimitCounters } from '../../sandbox/limits';
import { seededRandom } from '../../sandbox/random';

export type Pattern = 'even' | 'poisson' | 'bursts';

export interface Program {
	pattern: Pattern;
	/** The share of the longest limit that it uses. */
	share: number;
	/** When it begins and ends (ms since the start). */
	fromMs?: number;
	toMs?: number;
}

const BURST = 10;
const WITHIN_A_BURST_MS = 20;

/** When (ms) the other client sends its requests within `untilMs`. */
function timesOf(
	{ pattern, share, fromMs = 0, toMs = Infinity }: Program,
	longest: Limit,
	untilMs: number,
	random: () => number,
): number[] {
	const everyMs = longest.windowMs / (share * longest.max);
	const end = Math.min(toMs, untilMs);
	const times: number[] = [];
	if (pattern === 'poisson') {
		for (let at = fromMs; at < end;) times.push((at -= Math.log(1 - random()) * everyMs));
	} else if (pattern === 'even') {
		for (let at = fromMs + random() * everyMs; at < end; at += everyMs) times.push(at);
	} else {
		for (let at = fromMs + random() * 10_000; at < end; at += BURST * everyMs) {
			for (let index = 0; index < BURST; index++) times.push(at + index * WITHIN_A_BURST_MS);
		}
	}
	return times;
}

export class SharedService {
	/** The requests of the node and of the other client, and how many of each were refused. */
	readonly own = { requests: 0, refused: 0 };
	readonly other = { requests: 0, refused: 0 };
	private readonly counters: LimitCounters;
	private readonly otherTimes: number[];
	private next = 0;

	/** @param countRefused whether refused requests count in the windows, too */
	constructor(
		limits: Limit[],
		program: Program | undefined,
		countRefused: boolean,
		seed: number,
		private readonly startedAt = performance.now(),
	) {
		const random = seededRandom(seed);
		const [longest = { max: 1, windowMs: 1 }] = [...limits].sort((a, b) => b.windowMs - a.windowMs);
		const general = limits.map(({ max, windowMs }) => ({ max, windowSeconds: windowMs / 1000 }));
		this.counters = new LimitCounters({
			limits: { general, endpoints: {} },
			windowMode: 'both',
			timeScale: 1,
			countRefused,
			phaseMs: random() * longest.windowMs,
		});
		this.otherTimes =
			program === undefined ? [] : timesOf(program, longest, 60 * longest.windowMs, random);
	}

	/** A request of the node at this moment. Returns whether it is let through. */
	request(): boolean {
		const now = performance.now() - this.startedAt;
		this.catchUp(now);
		this.own.requests++;
		const isTaken = this.count(now);
		if (!isTaken) this.own.refused++;
		return isTaken;
	}

	/** Sends the requests of the other client up to `now` (ms since the start). */
	catchUp(now: number): void {
		for (let time = this.otherTimes[this.next]; time !== undefined && time <= now;) {
			this.other.requests++;
			if (!this.count(time)) this.other.refused++;
			time = this.otherTimes[++this.next];
		}
	}

	private count(now: number): boolean {
		return this.counters.admit('', '', now).exceeded.length === 0;
	}
}
