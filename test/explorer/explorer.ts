/**
 * Runs real code in every order in which its parties may come to chosen points, with up to so many faults. An
 * order is played from the beginning, in logical time, by the choices that lead to it; then the last choice that
 * has another alternative takes it, until none is left.
 */

export interface Bound {
	/** How many faults strike in one play, at the most. */
	faults: number;
	/** How often another than the one that came first goes on, at the most; as often as possible unless given. */
	reorderings?: number;
	/** How long (ms of logical time) the parties may take. */
	longestMs: number;
}

export interface Scenario {
	/** Makes everything anew, and returns the parties, which begin in this order. */
	begin(play: Play): Promise<Array<() => Promise<unknown>>>;
	/** Throws what is wrong, when the parties have come to their end and nothing is left to happen. */
	check(): void | Promise<void>;
}

export interface Exploration {
	/** How many were played: all that the bound gives, or until one went wrong. */
	plays: number;
	/** What was chosen in the one that went wrong, and what was wrong. */
	failure: { chosen: string[]; error: unknown } | undefined;
}

interface Choice {
	name: string;
	isFault: boolean;
	choose(): void;
}

interface Call {
	/** Without a fault, and with each of its faults. */
	choices: Choice[];
	/** Whether time may pass before it is chosen. */
	isPatient: boolean;
}

/** Until somebody comes to a point. */
const PASS_TIME: Choice = {
	name: 'time passes',
	isFault: false,
	choose: () => jest.advanceTimersToNextTimer(),
};

/** The moment (ms since 1970) at which every play begins. */
const BEGINS_AT = Date.UTC(2026, 0, 5);
/** How long (ms of logical time) it takes until all have come to their next point. */
const SETTLED_MS = 4;

export class Play {
	readonly chosen: string[] = [];
	isOver = false;
	private calls: Call[] = [];
	private readonly events: Choice[] = [];
	private faultsLeft: number;
	private reorderingsLeft: number;

	constructor({ faults, reorderings = Infinity }: Bound) {
		this.faultsLeft = faults;
		this.reorderingsLeft = reorderings;
	}

	/**
	 * A chosen point: waits until it is this call's turn, then runs it.
	 * @param faults what may come of the call instead, by name
	 */
	async call<T>(
		name: string,
		run: () => T | Promise<T>,
		faults: Record<string, () => T | Promise<T>> = {},
		isPatient = false,
	): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			const choices = Object.entries({ '': run, ...faults }).map(([fault, outcome]) => ({
				name: fault === '' ? name : `${name}: ${fault}`,
				isFault: fault !== '',
				choose: () => {
					this.calls = this.calls.filter((one) => one !== call);
					// An error comes as a rejection, also from what is not asynchronous.
					new Promise<T>((done) => done(outcome())).then(resolve, reject);
				},
			}));
			const call = { choices, isPatient };
			this.calls.push(call);
		});
	}

	/** Something that nobody waits for happens at any moment from now on, also after time has passed. */
	later(name: string, run: () => unknown): void {
		void this.call(name, run, {}, true);
	}

	/** A fault that may strike at any moment, but not twice before anything else happens. */
	mayStrike(name: string, strike: () => void): void {
		this.events.push({ name, isFault: true, choose: strike });
	}

	get choices(): Choice[] {
		const calls = [...this.calls].sort((a, b) => Number(a.isPatient) - Number(b.isPatient));
		const all = [
			...calls.filter(({ isPatient }) => !isPatient).flatMap(({ choices }) => choices),
			...(this.mayPassTime ? [PASS_TIME] : []),
			...calls.filter(({ isPatient }) => isPatient).flatMap(({ choices }) => choices),
			...this.events.filter(({ name }) => name !== this.chosen.at(-1)),
		];
		return all.filter(({ isFault }, index) =>
			isFault ? this.faultsLeft > 0 : index === 0 || this.reorderingsLeft > 0,
		);
	}

	/** Takes one of the choices, and resolves when all have come to their next point. */
	async choose(choices: Choice[], index: number): Promise<void> {
		const choice = choices[index];
		if (choice === undefined) throw new Error('The same choices lead to another play');
		this.chosen.push(choice.name);
		if (choice.isFault) this.faultsLeft--;
		else if (index > 0) this.reorderingsLeft--;
		choice.choose();
		await settle();
		while (choice === PASS_TIME && !this.isOver && this.mayPassTime) {
			jest.advanceTimersToNextTimer();
			await settle();
		}
	}

	private get mayPassTime(): boolean {
		return this.calls.every(({ isPatient }) => isPatient) && jest.getTimerCount() > 0;
	}
}

export async function explore(scenario: Scenario, bound: Bound): Promise<Exploration> {
	let first: number[] | undefined = [];
	let plays = 0;
	while (first !== undefined) {
		const play = new Play(bound);
		plays++;
		const taken: Array<{ index: number; of: number }> = [];
		try {
			await playOne(scenario, bound, play, first, taken);
		} catch (error) {
			return { plays, failure: { chosen: play.chosen, error } };
		} finally {
			jest.useRealTimers();
		}
		const last = taken.findLastIndex(({ index, of }) => index + 1 < of);
		const before = taken.slice(0, last).map(({ index }) => index);
		first = last < 0 ? undefined : [...before, (taken[last]?.index ?? 0) + 1];
	}
	return { plays, failure: undefined };
}

/**
 * @param first what is chosen first, and then always what comes first
 * @param taken receives what was chosen, of how many
 */
async function playOne(
	scenario: Scenario,
	{ longestMs }: Bound,
	play: Play,
	first: number[],
	taken: Array<{ index: number; of: number }>,
): Promise<void> {
	jest.useFakeTimers({ now: BEGINS_AT, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	const parties = await scenario.begin(play);
	const endsAt = Date.now() + longestMs;
	const all = Promise.all(parties.map(async (party) => await party()));
	const end = () => (play.isOver = true);
	all.then(end, end);
	await settle();
	while (!play.isOver) {
		const { choices } = play;
		if (choices.length === 0) throw new Error('The parties wait for ever');
		if (Date.now() > endsAt) throw new Error(`The parties go on for more than ${longestMs} ms`);
		const index = first[taken.length] ?? 0;
		taken.push({ index, of: choices.length });
		await play.choose(choices, index);
	}
	await all;
	// What is left to happen needs no more orders.
	while (play.choices[0]?.isFault === false) await play.choose(play.choices, 0);
	await scenario.check();
}

/** Runs what is left in promises to its end. Turns of the event loop would do the same, but take twice as long. */
async function settle(): Promise<void> {
	for (let ms = 0; ms < SETTLED_MS; ms++) {
		jest.advanceTimersByTime(1);
		await new Promise<void>((resolve) => process.nextTick(resolve));
	}
}
