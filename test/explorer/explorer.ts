/**
 * Runs real code in every order in which its parties can reach given points, with a bounded number of faults. It is a
 * depth-first search: an order is replayed from the start, in logical time, by its list of choices; then the last choice
 * with an untried alternative takes the next one, until none is left. Orders that reach the same state continue in the
 * same way, so only one of them is played further.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { inspect } from 'node:util';

export interface Bound {
	/** The most faults in one play. */
	faults: number;
	/** The most times that another choice than the first in line is taken; unbounded by default. */
	reorderings?: number;
	/** How long the parties may take (ms of logical time). */
	longestMs: number;
}

export interface Scenario {
	/** Resets everything, and returns the parties in the order in which they begin. */
	begin(play: Play): Promise<Array<() => Promise<unknown>>>;
	/** Called when all parties have ended and nothing is left to happen. Throws if the result is wrong. */
	check(): void | Promise<void>;
	/**
	 * Everything that the parties share, and that spontaneous faults change. Omit it if parties share more, such as the
	 * memory of a process.
	 */
	shared?(): unknown;
}

export interface Exploration {
	/** All orders within the bound, or those until the first failure. */
	orders: number;
	/** The number of plays, some of which stopped at a known state. */
	plays: number;
	/** The choices of the failed play, and its error. */
	failure: { chosen: string[]; error: unknown } | undefined;
}

interface Choice {
	name: string;
	isFault: boolean;
	choose(): void;
}

interface Call {
	/** The call without a fault, and with each of its faults. */
	choices: Choice[];
	/** Whether time may pass while it waits to be chosen. */
	isPatient: boolean;
}

/** Lets time pass until a party reaches a point. */
const PASS_TIME: Choice = {
	name: 'time passes',
	isFault: false,
	choose: () => jest.advanceTimersToNextTimer(),
};

/** The moment (ms since 1970) at which every play begins. */
const BEGINS_AT = Date.UTC(2026, 0, 5);
/** After this many turns, every party has reached its next point. */
const TURNS = 4;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The party whose code is running. */
const parties = new AsyncLocalStorage<string | undefined>();

const inWords = (value: unknown) =>
	inspect(value, { depth: Infinity, maxArrayLength: null, maxStringLength: null, sorted: true });

export class Play {
	readonly chosen: string[] = [];
	isOver = false;
	private calls: Call[] = [];
	private readonly events: Choice[] = [];
	/** What each party has observed, in order. */
	private readonly observed = new Map<string, string[]>();
	private readonly faults: string[] = [];
	private faultsLeft: number;
	private reorderingsLeft: number;

	constructor({ faults, reorderings = Infinity }: Bound) {
		this.faultsLeft = faults;
		this.reorderingsLeft = reorderings;
	}

	/**
	 * A point: waits until this call is chosen, then runs it.
	 * @param faults alternative outcomes of the call, by name
	 */
	async call<T>(
		name: string,
		run: () => T | Promise<T>,
		faults: Record<string, () => T | Promise<T>> = {},
		isPatient = false,
	): Promise<T> {
		const party = parties.getStore();
		return await new Promise<T>((resolve, reject) => {
			const choices = Object.entries({ '': run, ...faults }).map(([fault, outcome]) => ({
				name: fault === '' ? name : `${name}: ${fault}`,
				isFault: fault !== '',
				choose: () => {
					this.calls = this.calls.filter((one) => one !== call);
					// Turns synchronous errors into rejections too.
					const came = new Promise<T>((done) => done(outcome()));
					const observe = (result: unknown) => this.observe(party, [name, fault, result]);
					came.then(observe, observe);
					came.then(resolve, reject);
				},
			}));
			const call = { choices, isPatient };
			this.calls.push(call);
		});
	}

	async begin(name: string, party: () => Promise<unknown>): Promise<unknown> {
		this.observed.set(name, []);
		return await parties.run(name, party);
	}

	/** A hash of the state: equal for all orders that continue in the same way. */
	state(shared: unknown): string {
		const { observed, faults } = this;
		const event = this.events.find(({ name }) => name === this.chosen.at(-1))?.name;
		const state = [Date.now(), observed, faults, event, shared];
		const ids: string[] = [];
		const text = inWords(state).replace(UUID, (id) => {
			if (!ids.includes(id)) ids.push(id);
			return `ID ${ids.indexOf(id)}`;
		});
		return hash('sha256', text);
	}

	/** Without a party, every party may observe it. */
	private observe(party: string | undefined, what: unknown[]): void {
		const text = inWords([Date.now(), ...what]);
		for (const [name, all] of this.observed)
			if (party === undefined || name === party) all.push(text);
	}

	/** An event that may happen at any moment from now on, even after time has passed. Nobody waits for it. */
	later(name: string, run: () => unknown): void {
		void this.call(name, run, {}, true);
	}

	/** A fault that may strike at any moment, but not twice in a row. */
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

	/** Takes one of the choices. Resolves when all parties have reached their next point. */
	async choose(choices: Choice[], index: number): Promise<void> {
		const choice = choices[index];
		if (choice === undefined) throw new Error('The same choices lead to another play');
		this.chosen.push(choice.name);
		if (choice.isFault) this.faults.push(choice.name);
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

/** A choice on the path of a play. */
interface Step {
	state: string | undefined;
	/** Which of how many choices it took. */
	index: number;
	choices: number;
	/** How many orders from here on were explored. */
	orders: number;
}

export async function explore(scenario: Scenario, bound: Bound): Promise<Exploration> {
	/** The number of orders from each fully explored state. */
	const known = new Map<string, number>();
	const path: Step[] = [];
	let plays = 0;
	let orders = 0;
	for (;;) {
		const play = new Play(bound);
		plays++;
		try {
			const explored = await playOne(scenario, bound, play, path, known);
			orders += explored;
			for (const step of path) step.orders += explored;
		} catch (error) {
			return { orders: orders + 1, plays, failure: { chosen: play.chosen, error } };
		} finally {
			jest.useRealTimers();
		}
		let last = path.at(-1);
		for (; last !== undefined && last.index + 1 === last.choices; last = path.at(-1)) {
			if (last.state !== undefined) known.set(last.state, last.orders);
			path.pop();
		}
		if (last === undefined) return { orders, plays, failure: undefined };
		last.index++;
	}
}

/**
 * @param path the choices to replay; further choices, always the first in line, are appended
 * @returns the number of orders that the play stands for
 */
async function playOne(
	scenario: Scenario,
	{ longestMs, reorderings }: Bound,
	play: Play,
	path: Step[],
	known: Map<string, number>,
): Promise<number> {
	jest.useFakeTimers({ now: BEGINS_AT, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	const { setTimeout: fake } = globalThis;
	const ofParty = (callback: () => void, ms?: number) => {
		const party = parties.getStore();
		return fake(() => parties.run(party, callback), ms);
	};
	globalThis.setTimeout = Object.assign(ofParty, fake);
	const begun = await scenario.begin(play);
	const endsAt = Date.now() + longestMs;
	const all = Promise.all(
		begun.map(async (party, index) => await play.begin(`party ${index}`, party)),
	);
	const end = () => (play.isOver = true);
	all.then(end, end);
	await settle();
	for (let depth = 0; !play.isOver; depth++) {
		const { choices } = play;
		if (choices.length === 0) throw new Error('The parties wait for ever');
		if (Date.now() > endsAt) throw new Error(`The parties go on for more than ${longestMs} ms`);
		let step = path[depth];
		if (step === undefined) {
			// With bounded reorderings, the order of arrival is part of the state too.
			const shared = reorderings === undefined ? scenario.shared?.() : undefined;
			const state = shared === undefined ? undefined : play.state(shared);
			const orders = known.get(state ?? '');
			if (orders !== undefined) return orders;
			step = { state, index: 0, choices: choices.length, orders: 0 };
			path.push(step);
		}
		await play.choose(choices, step.index);
	}
	await all;
	// The order of the remaining events does not matter.
	while (play.choices[0]?.isFault === false) await play.choose(play.choices, 0);
	await scenario.check();
	return 1;
}

/** Settles all pending promises. Turns of the event loop would do the same, but take twice as long. */
async function settle(): Promise<void> {
	for (let turn = 0; turn < TURNS; turn++) {
		// No time passes, so that different orders can reach the same state.
		jest.advanceTimersByTime(0);
		await new Promise<void>((resolve) => process.nextTick(resolve));
	}
}
