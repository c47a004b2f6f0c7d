/**
 * Send Once in one process: two runs with one key, a person who marks or releases it, and a store whose writes fail
 * before they land, after, or land late. Each access of the store and each request is a point.
 */
import { processState } from '../../nodes/BusinessData/sendOnce/processState';
import { AlreadySentError, SendOnce } from '../../nodes/BusinessData/sendOnce';
import { abortController } from '../../nodes/BusinessData/async';
import type { Bound, Play, Scenario } from './explorer';

/** What the service makes of a document: it acts and says so, it refuses, or its response is lost. */
export type Service = 'acts' | 'refuses' | 'is lost';

export interface OrdersSettings {
	/** What it makes of the first request, and of all that follow. */
	service: [Service, Service];
	/** Whether the second run begins when the request of the first is on its way, or the first has ended. */
	isLater?: boolean;
	/** What a person does meanwhile. */
	person?: 'sent' | 'notSent';
	/** Whether the process may end at any moment. */
	crashes?: boolean;
}

const BOUND = { faults: 1, reorderings: 1, longestMs: 60_000 };

export const ORDERS: Array<{ name: string; settings: OrdersSettings; narrow: Bound; wide: Bound }> =
	(
		[
			['a service that acts', { service: ['acts', 'acts'] }],
			['a service that refuses once', { service: ['refuses', 'acts'] }],
			['a service that refuses', { service: ['refuses', 'refuses'] }],
			['a service that refuses the first, later', { service: ['refuses', 'acts'], isLater: true }],
			['a response that is lost', { service: ['is lost', 'acts'] }],
			['a person who marks it as sent', { service: ['refuses', 'refuses'], person: 'sent' }],
			['a person who releases it', { service: ['is lost', 'is lost'], person: 'notSent' }],
			['a process that ends', { service: ['acts', 'acts'], crashes: true }],
		] as const
	).map(([name, settings]) => ({
		name,
		settings: { ...settings, service: [...settings.service] },
		narrow: BOUND,
		wide: { ...BOUND, faults: 2 },
	}));

/** The store of n8n as the runs of a play see it. */
class Store {
	private readonly rows = new Map<string, string[]>();

	play: Play | undefined;

	/** Whether the process has ended: nothing in it goes on. */
	isDead = false;

	private get service() {
		return {
			getProcessedDataCount: async (_: string, row: object) =>
				await this.access('count', () => (this.rows.get(JSON.stringify(row)) ?? []).length),
			checkProcessedAndRecord: async (entries: string[], _: string, row: object) => {
				let processed: string[] = [];
				await this.write('add', row, (before) => {
					processed = entries.filter((entry) => before.includes(entry));
					return [...before, ...entries.filter((entry) => !before.includes(entry))];
				});
				return { new: [], processed };
			},
			removeProcessed: async (entries: string[], _: string, row: object) =>
				await this.write('remove', row, (before) =>
					before.filter((entry) => !entries.includes(entry)),
				),
		};
	}

	/** As n8n-core has it. */
	get core() {
		return { DataDeduplicationService: { getInstance: () => this.service } };
	}

	clear(): void {
		this.rows.clear();
	}

	/** What comes back to the process; nothing does when it has ended. */
	async alive<T>(promise: Promise<T>): Promise<T> {
		const settle = async () => await (this.isDead ? new Promise<never>(() => undefined) : promise);
		return await promise.then(settle, settle);
	}

	private async write(name: string, row: object, change: (before: string[]) => string[]) {
		const key = JSON.stringify(row);
		const write = () => void this.rows.set(key, change(this.rows.get(key) ?? []));
		const fail = () => {
			throw new Error('the database is away');
		};
		await this.access(name, write, {
			before: fail,
			after: () => {
				write();
				fail();
			},
			late: () => {
				// The whole row, as it was read.
				const late = change(this.rows.get(key) ?? []);
				setTimeout(() => this.rows.set(key, late), 3_000);
				fail();
			},
		});
	}

	private async access<T>(name: string, run: () => T, faults: Record<string, () => T> = {}) {
		return this.play === undefined ? run() : await this.alive(this.play.call(name, run, faults));
	}
}

export const store = new Store();

export class Orders implements Scenario {
	/** What the service has made of each request. */
	private handled: Service[] = [];

	/** How often the service had acted when a run skipped it. */
	private skipped: number[] = [];

	/** Called when a request is on its way. */
	private onLeaving: () => void = () => undefined;

	private hasEnded = false;

	private changed = false;

	private play: Play | undefined;

	constructor(private readonly settings: OrdersSettings) {}

	async begin(play: Play) {
		const { person, crashes = false, isLater = false } = this.settings;
		[this.handled, this.skipped, this.play] = [[], [], play];
		this.hasEnded = this.changed = false;
		store.clear();
		store.play = play;
		store.isDead = false;
		forgetProcess();
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		if (crashes) {
			play.mayStrike('the process ends', () => {
				this.hasEnded = store.isDead = true;
				end();
			});
		}
		const leaving = new Promise<void>((resolve) => (this.onLeaving = resolve));
		const runs = ['A', 'B'].map((name) => async () => {
			if (name === 'B' && isLater) await leaving;
			await Promise.race([this.send(play, name), ended]);
			this.onLeaving();
		});
		const change = async () => {
			try {
				await guardOf().change(person ?? 'sent');
				this.changed = true;
			} catch {
				// It is being sent, or the store is away: nothing was changed.
			}
		};
		return await Promise.resolve(person === undefined ? runs : [...runs, change]);
	}

	async check(): Promise<void> {
		const { person } = this.settings;
		const faults = (this.play?.chosen ?? []).filter((name) => name.includes(':'));
		const isDisturbed = faults.length > 0 || this.hasEnded;
		store.play = undefined;
		store.isDead = false;
		// Only a release lets it go out again.
		if (!(this.changed && person === 'notSent')) expect(this.timesActed).toBeLessThanOrEqual(1);
		// Nobody skips what was not sent.
		if (person !== 'sent') expect(this.skipped.filter((times) => times === 0)).toEqual([]);
		forgetProcess();
		const state = await guardOf().get();
		if (this.changed) return;
		const exact =
			this.timesActed === 0 ? 'notSent' : this.handled.includes('is lost') ? 'perhapsSent' : 'sent';
		// A fault may leave open whether it was sent, but not block what was not while the process lives.
		const mayBeOpen = this.timesActed > 0 ? isDisturbed : this.hasEnded;
		// A change that failed has changed all or nothing.
		const meant = person === undefined || faults.length === 0 ? [] : [person];
		expect([exact, ...meant, ...(mayBeOpen ? ['perhapsSent'] : [])]).toContain(state);
	}

	private get timesActed(): number {
		return this.handled.filter((one) => one !== 'refuses').length;
	}

	private async send(play: Play, name: string): Promise<void> {
		const guard = guardOf();
		try {
			const state = await guard.state();
			if (state !== 'notSent') throw new AlreadySentError(state);
			for (;;) {
				const claimed = await guard.acquire();
				if (claimed === undefined) break;
				await claimed.ended;
			}
		} catch (error) {
			if (error instanceof AlreadySentError) this.skipped.push(this.timesActed);
			else if ((error as Error).name !== 'RequestError') throw error;
			return;
		}
		const [first, next] = this.settings.service;
		const arrive = () => {
			const made = this.handled.length === 0 ? first : next;
			this.handled.push(made);
			return made;
		};
		this.onLeaving();
		const outcome = await store.alive(play.call(`${name} arrives`, arrive));
		await guard.complete(
			({ acts: 'sent', refuses: 'notSent', 'is lost': 'perhapsSent' } as const)[outcome],
		);
	}
}

function guardOf(): SendOnce {
	const credentials = { businessDataApi: { id: 'credential' } };
	const party = {
		context: { getNode: () => ({ credentials }) },
		account: { baseUrl: 'https://api.example.com' },
		signal: abortController().signal,
	};
	const endpoint = { method: 'POST', path: '/send' } as const;
	return new SendOnce(party as never, {
		...{ workflowId: 'workflow', endpoint, key: 'a', maxEntries: 10, timeoutMs: 1_000 },
		content: { body: {}, mustMatch: true, ignoreFields: [] },
	});
}

/** What another process, or a later life of this one, does not know. */
function forgetProcess(): void {
	const { turns, watched, claims } = processState();
	for (const map of [turns, watched, claims]) map.clear();
}
