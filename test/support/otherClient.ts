/**
 * A service in logical time that refuses what exceeds a limit, in sliding windows and in fixed ones, and a
 * second program on the same key that knows nothing of us.
 */
import type { Limit } from '../../nodes/BusinessData/rateLimit';
import { LimitCounters } from '../../sandbox/limits';
import { seededRandom } from '../../sandbox/random';

export type Pattern = 'even' | 'poisson' | 'bursts';

export interface Program {
	pattern: Pattern;
	/** Of the longest limit, how much it uses. */
	share: number;
	/** When (ms) it begins and ends, counted from the start. */
	fromMs?: number;
	toMs?: number;
}

const BURST = 10;
const WITHIN_A_BURST_MS = 20;

/** When (ms) the program sends its requests within `untilMs`. */
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
	/** Of our own requests and of the program's, how many came and how many were refused. */
	readonly own = { requests: 0, refused: 0 };
	readonly other = { requests: 0, refused: 0 };
	private readonly counters: LimitCounters;
	private readonly otherTimes: number[];
	private next = 0;

	/** @param countRefused whether a request that was refused counts in the windows too */
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

	/** One of our own requests, now. Returns whether it is let through. */
	request(): boolean {
		const now = performance.now() - this.startedAt;
		this.catchUp(now);
		this.own.requests++;
		const isTaken = this.count(now);
		if (!isTaken) this.own.refused++;
		return isTaken;
	}

	/** Lets the program send what it has sent by `now` (ms since the start). */
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
