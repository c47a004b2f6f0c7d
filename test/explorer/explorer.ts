/**
 * Runs real code in every order in which its parties may come to chosen points, with up to so many faults. An
 * order is played from the beginning, in logical time, by the choices that lead to it; then the last choice that
 * has another alternative takes it, until none is left. Orders that come to the same state go on alike, so they are
 * played on only once.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { inspect } from 'node:util';

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
	/**
	 * All that parties share, with what faults that may strike at any moment change. To be left out where parties have
	 * more in common, such as the memory of a process.
	 */
	shared?(): unknown;
}

export interface Exploration {
	/** All that the bound gives, or until one went wrong. */
	orders: number;
	/** How many were played, some until they came to a known state. */
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
/** So many turns take all to their next point. */
const TURNS = 4;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The party whose code runs. */
const parties = new AsyncLocalStorage<string | undefined>();

const inWords = (value: unknown) =>
	inspect(value, { depth: Infinity, maxArrayLength: null, maxStringLength: null, sorted: true });

export class Play {
	readonly chosen: string[] = [];
	isOver = false;
	private calls: Call[] = [];
	private readonly events: Choice[] = [];
	/** What each party has met, in order. */
	private readonly met = new Map<string, string[]>();
	private readonly faults: string[] = [];
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
		const party = parties.getStore();
		return await new Promise<T>((resolve, reject) => {
			const choices = Object.entries({ '': run, ...faults }).map(([fault, outcome]) => ({
				name: fault === '' ? name : `${name}: ${fault}`,
				isFault: fault !== '',
				choose: () => {
					this.calls = this.calls.filter((one) => one !== call);
					// An error comes as a rejection, also from what is not asynchronous.
					const came = new Promise<T>((done) => done(outcome()));
					const meet = (result: unknown) => this.meet(party, [name, fault, result]);
					came.then(meet, meet);
					came.then(resolve, reject);
				},
			}));
			const call = { choices, isPatient };
			this.calls.push(call);
		});
	}

	async begin(name: string, party: () => Promise<unknown>): Promise<unknown> {
		this.met.set(name, []);
		return await parties.run(name, party);
	}

	/** The same for all orders that go on alike from here. */
	state(shared: unknown): string {
		const { met, faults } = this;
		const event = this.events.find(({ name }) => name === this.chosen.at(-1))?.name;
		const state = [Date.now(), met, faults, event, shared];
		const ids: string[] = [];
		const text = inWords(state).replace(UUID, (id) => {
			if (!ids.includes(id)) ids.push(id);
			return `ID ${ids.indexOf(id)}`;
		});
		return hash('sha256', text);
	}

	/** Whatever happens outside of a party may be met by each. */
	private meet(party: string | undefined, what: unknown[]): void {
		const text = inWords([Date.now(), ...what]);
		for (const [name, all] of this.met) if (party === undefined || name === party) all.push(text);
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

/** A choice on the way of a play. */
interface Step {
	state: string | undefined;
	index: number;
	of: number;
	/** How many orders that go on from here were explored. */
	orders: number;
}

export async function explore(scenario: Scenario, bound: Bound): Promise<Exploration> {
	/** How many orders go on from a state, all of them explored. */
	const known = new Map<string, number>();
	const way: Step[] = [];
	let plays = 0;
	let orders = 0;
	for (;;) {
		const play = new Play(bound);
		plays++;
		try {
			const explored = await playOne(scenario, bound, play, way, known);
			orders += explored;
			for (const step of way) step.orders += explored;
		} catch (error) {
			return { orders: orders + 1, plays, failure: { chosen: play.chosen, error } };
		} finally {
			jest.useRealTimers();
		}
		let last = way.at(-1);
		for (; last !== undefined && last.index + 1 === last.of; last = way.at(-1)) {
			if (last.state !== undefined) known.set(last.state, last.orders);
			way.pop();
		}
		if (last === undefined) return { orders, plays, failure: undefined };
		last.index++;
	}
}

/**
 * @param way what is chosen first; receives what is chosen then, which is always what comes first
 * @returns how many orders it stands for
 */
async function playOne(
	scenario: Scenario,
	{ longestMs, reorderings }: Bound,
	play: Play,
	way: Step[],
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
		let step = way[depth];
		if (step === undefined) {
			// Where they are bounded, it counts who came first.
			const shared = reorderings === undefined ? scenario.shared?.() : undefined;
			const state = shared === undefined ? undefined : play.state(shared);
			const orders = known.get(state ?? '');
			if (orders !== undefined) return orders;
			step = { state, index: 0, of: choices.length, orders: 0 };
			way.push(step);
		}
		await play.choose(choices, step.index);
	}
	await all;
	// What is left to happen needs no more orders.
	while (play.choices[0]?.isFault === false) await play.choose(play.choices, 0);
	await scenario.check();
	return 1;
}

/** Runs what is left in promises to its end. Turns of the event loop would do the same, but take twice as long. */
async function settle(): Promise<void> {
	for (let turn = 0; turn < TURNS; turn++) {
		// No time passes, so that orders can come to the same state.
		jest.advanceTimersByTime(0);
		await new Promise<void>((resolve) => process.nextTick(resolve));
	}
}
