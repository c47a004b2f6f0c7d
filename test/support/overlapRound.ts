/**
 * A round of executions that overlap: they send documents with overlapping keys through one node, while
 * the service goes wrong and some of them are stopped; then one execution sends all of them again.
 */
import { seededRandom } from '../../sandbox/random';
import type { Sandbox } from '../../sandbox/server';
import { randomFault } from './faults';
import { after } from './logicalTime';

/** What a user is told of an item: it was sent, skipped, may have been sent, or was not. */
export type ItemEnd = 'sent' | 'skipped' | 'unknown' | 'failed';

/** How an execution ended; one that was stopped, or whose process died, tells nothing of its items. */
export type ExecutionEnd = ItemEnd[] | 'stopped' | 'died';

export interface Execution {
	ended: Promise<ExecutionEnd>;
	stop: () => void;
}

export interface Task {
	/** The keys of the documents `{ "key": … }` to send, in order. */
	keys: string[];
	/** Goes with each request in the header for the sandbox. */
	marker: string;
	/** Stands for where to run it: from 0 to 1. */
	place: number;
	/** Default: one that all share. */
	workflowId?: string;
}

export type Start = (task: Task) => Execution;

export class Round {
	private readonly marker: string;

	private readonly random: () => number;

	private readonly keys: string[];

	private readonly ends: Array<{ keys: string[]; end: ExecutionEnd }> = [];

	constructor(
		private readonly sandbox: Sandbox,
		private readonly start: Start,
		private readonly number: number,
		seed: number,
	) {
		this.marker = `round-${number}`;
		this.random = seededRandom(seed + number);
		const count = this.pick(2, 6);
		this.keys = Array.from({ length: count }, (_, index) => `${this.marker}-${index}`);
	}

	/** How many executions have died with their process. */
	get died(): number {
		return this.ends.filter(({ end }) => end === 'died').length;
	}

	/** Runs two to eight executions side by side. */
	async play(): Promise<void> {
		const { marker } = this;
		for (let faults = this.pick(0, 4); faults > 0; faults--) {
			const action = randomFault(this.random);
			this.sandbox.fault({ action, marker, after: this.pick(0, 3) });
		}
		const planned = Array.from({ length: this.pick(2, 8) }, () => ({
			task: { keys: this.someKeys(), marker, place: this.random() },
			startAfterMs: this.pick(0, 30),
			stopAfterMs: this.random() < 0.2 ? this.pick(0, 100) : undefined,
		}));
		await Promise.all(
			planned.map(async ({ task, startAfterMs, stopAfterMs }) => {
				await after(startAfterMs);
				const execution = this.start(task);
				if (stopAfterMs !== undefined) setTimeout(() => execution.stop(), stopAfterMs);
				this.ends.push({ keys: task.keys, end: await execution.ended });
			}),
		);
	}

	/**
	 * Sends all of it again, and judges: each document once, and none missing without a word.
	 * @param wasEmptied whether Redis has forgotten the leases of what was on its way; somebody may have been
	 * told "skipped" of that, and then the service refused it
	 */
	async playAgain(wasEmptied = false): Promise<void> {
		const { keys } = this;
		const before = this.timesActedOn();
		const lost = this.lostResponses();
		const task = { keys, marker: `${this.marker} again`, place: this.random() };
		const again = await this.start(task).ended;
		const after = this.timesActedOn();
		const missing: Array<{ key: string }> = [];
		for (const [index, key] of keys.entries()) {
			const [first, last] = [before.get(key) ?? 0, after.get(key) ?? 0];
			const what = { key, first, last, reported: this.reportedOf(key), again: again[index] };
			// Once; and nobody is told "sent" of what was not.
			expect([what, last]).toEqual([what, Math.min(last, 1)]);
			expect([what, what.reported.sent]).toEqual([what, Math.min(what.reported.sent, first)]);
			// Nobody is told "skipped" of what was not sent and is not on its way.
			const mayBeMissing = lost.has(key) || what.reported.died > 0 || wasEmptied;
			if (what.reported.skipped > 0 && first === 0)
				expect([what, mayBeMissing]).toEqual([what, true]);
			if (last === 0 && !lost.has(key)) missing.push(what);
		}
		// An execution sends one after the other, so it has died with one of its documents at the most. One
		// that was stopped may have done so too: it lets go of its document after it has ended.
		const ends = this.died > 0 ? ['died', 'stopped'] : [];
		const diedWith = new Map<string, string[]>();
		/** Finds a document for an execution; one that may have died with several leaves another what it needs. */
		const explain = (own: string[], tried = new Set<string>()): boolean =>
			own.some((key) => {
				if (tried.has(key) || !missing.some((what) => what.key === key)) return false;
				tried.add(key);
				const other = diedWith.get(key);
				if (other !== undefined && !explain(other, tried)) return false;
				diedWith.set(key, own);
				return true;
			});
		for (const { keys: own, end } of this.ends) if (ends.includes(String(end))) explain(own);
		const unexplained = missing.filter(({ key }) => !diedWith.has(key));
		expect({ round: this.number, unexplained }).toEqual({ round: this.number, unexplained: [] });
	}

	/** How many executions have told what of a document. */
	private reportedOf(key: string) {
		const reported = { sent: 0, skipped: 0, unknown: 0, failed: 0, stopped: 0, died: 0 };
		for (const { keys, end } of this.ends) {
			const index = keys.indexOf(key);
			const one = typeof end === 'string' ? end : end[index];
			if (index >= 0 && one !== undefined) reported[one]++;
		}
		return reported;
	}

	private requests() {
		return this.sandbox.journal
			.all()
			.map(({ acted, status, body }) => ({ acted, status, key: (body as { key: string }).key }))
			.filter(({ key }) => this.keys.includes(key));
	}

	private timesActedOn(): Map<string, number> {
		const times = new Map<string, number>();
		for (const { acted, key } of this.requests()) {
			if (acted) times.set(key, (times.get(key) ?? 0) + 1);
		}
		return times;
	}

	/**
	 * The documents that have arrived and were not acted on, and nobody was told so: the response does not say it,
	 * or it came when the execution had been stopped or had waited long enough.
	 */
	private lostResponses(): Set<string> {
		// Of a refusal, and of a redirect by 307 or 308, it is clear that it did not act.
		const isClear = (status = 0) => status !== 408 && /^(4\d\d|30[78])$/.test(String(status));
		const wasRead = (key: string) => {
			const { unknown, stopped } = this.reportedOf(key);
			return unknown + stopped === 0;
		};
		const lost = this.requests().filter(
			({ acted, status, key }) => !acted && !(isClear(status) && wasRead(key)),
		);
		return new Set(lost.map(({ key }) => key));
	}

	private pick(from: number, to: number): number {
		return from + Math.floor(this.random() * (to - from + 1));
	}

	/** Some of the keys, in any order. */
	private someKeys(): string[] {
		return this.keys
			.map((key) => ({ key, order: this.random() }))
			.sort((a, b) => a.order - b.order)
			.slice(0, this.pick(1, this.keys.length))
			.map(({ key }) => key);
	}
}

/** Plays rounds, several at once. */
export async function playRounds(
	rounds: Round[],
	atOnce: number,
	play: (round: Round) => Promise<void>,
): Promise<void> {
	const left = rounds.values();
	const playOnAndOn = async () => {
		for (const round of left) await play(round);
	};
	await Promise.all(Array.from({ length: atOnce }, playOnAndOn));
}
