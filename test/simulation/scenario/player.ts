/** Plays a plan: creates its world, runs its events, and records the results. */
import { Execution } from '../n8n/execution';
import { Host, type Installation } from '../n8n/host';
import { DeduplicationTable } from '../n8n/deduplication';
import { Clock } from '../process/clock';
import type { Patch } from '../process/modules';
import { SimulatedProcess } from '../process/simulatedProcess';
import type { Lua } from '../redis/lua';
import { RedisServer } from '../redis/redisServer';
import { Network } from '../service/network';
import { Service } from '../service/service';
import type { LimitTable } from '../../../sandbox/limits';
import { throwUnsupported } from '../world/unsupported';
import { WORLD_BEGINS_AT } from '../world/history';
import { World } from '../world/world';
import { FaultBook } from './faultBook';
import { limitsOf, type Plan, type PlannedExecution, type PlannedFault } from './plan';

export interface Equipment {
	lua: Lua;
	n8nSources: string;
	patches: Patch[];
}

export interface Life {
	process: SimulatedProcess;
	host: Host;
	bornAt: number;
	diedAt?: number;
}

export interface Played {
	planned: PlannedExecution;
	execution: Execution;
	life: Life;
	startedAt: number;
	endedAt?: number;
}

/** After the day: a limit is filled, with a Get Status before and after. */
export interface Night {
	life: Life;
	limits: LimitTable;
	before: Execution;
	filling: Execution;
	after: Execution;
}

/** How long (ms) after a day everything must have ended. */
const LONGEST_EVENING_MS = 12 * 3_600_000;
/** How long (ms) anything may be held after the last request. */
export const LONGEST_HOLD_MS = 1_500_000;

/** How long (ms) an execution after the day may take. */
const LONGEST_NIGHT_MS = 3_600_000;
/** The largest limit that is filled, because a larger one would take too long. */
const MOST_FILLED = 30;
/** The nodes that fill the general limits and the one of an endpoint. */
const SEND = 'POST /txndata/sendTxn';
const FILLING = {
	general: { resource: 'apiRequest', operation: 'send', method: 'GET', path: '/echo' },
	[SEND]: { resource: 'transaction', operation: 'send', dataMode: 'autoMapInputData' },
};
const GET_STATUS = { resource: 'rateLimit', operation: 'getStatus' };

export class Player {
	readonly world: World;
	readonly service: Service;
	readonly network: Network;
	readonly redis: RedisServer;
	readonly table: DeduplicationTable;
	readonly lives: Life[] = [];
	readonly played: Played[] = [];
	readonly texts: string[] = [];
	/** The executions after everything has ended, which show whether anything is still held. */
	readonly nights: Night[] = [];
	documents: string[] = [];
	keysLeft: string[] = [];
	/** Warnings and unhandled rejections. */
	readonly complaints: string[] = [];

	/** The faults that have struck, with their times (ms). */
	readonly struck: Array<{ at: number; fault: PlannedFault }> = [];

	private readonly current: Array<Life | undefined>;
	private readonly installation: Installation;
	private readonly book: FaultBook;

	constructor(
		readonly plan: Plan,
		private readonly equipment: Equipment,
	) {
		const { latencies } = plan;
		this.world = new World(plan.seed);
		const { world } = this;
		this.book = new FaultBook(plan, this);
		const { book } = this;
		this.service = new Service(world, plan.service);
		for (const { key, origin } of plan.keys) this.service.addKey(key, origin);
		this.network = new Network(world, this.service, {
			latencyMs: latencies.http,
			faultOf: () => book.next('request')?.fault,
			onStep: (step, exchange) => book.onStep(step, exchange),
		});
		const clock = new Clock(() => world.now, WORLD_BEGINS_AT, plan.redisDrift, 0);
		this.redis = new RedisServer(world, clock, equipment.lua, latencies.redis, {
			faultOf: () => {
				const fault = book.next('command')?.fault;
				book.onStep('command');
				return fault;
			},
			onCommand: (command) => this.texts.push(command.join(' ')),
			hasReplica: book.needsReplica,
		});
		this.table = new DeduplicationTable(
			world,
			latencies.table,
			(access) => book.next('table', access)?.moment,
		);
		const databaseLatency = world.random.of('database');
		this.installation = {
			credentials: new Map(Object.entries(plan.credentials)),
			table: this.table,
			n8nSources: equipment.n8nSources,
			faultOf: (access) => book.next('host', access) !== undefined,
			latency: () => databaseLatency.skewed(...latencies.table),
			log: (text) => this.texts.push(text),
		};
		this.current = plan.processes.map(() => undefined);
	}

	/** Plays the day, the evening in which everything ends, and the night with nothing else in flight. */
	async play(): Promise<void> {
		const { plan, world } = this;
		for (const index of plan.processes.keys()) this.startProcess(index);
		for (const planned of plan.executions) world.at(planned.at, () => this.start(planned));
		this.book.planAll();
		await world.play(plan.endsAt);
		await world.play(plan.endsAt + LONGEST_EVENING_MS, () => this.isOver);
		await world.play(world.now + LONGEST_HOLD_MS);
		this.keysLeft = [...this.redis.data.copy().keys()];
		this.book.end();
		this.documents = this.service.actions.map(({ item }) => item);
		for (const life of this.lives) {
			if (life.diedAt === undefined) await this.playNight(life);
		}
		throwUnsupported();
	}

	/** Releases what other plans can use. */
	close(): void {
		for (const { process } of this.lives) {
			process.kill();
			process.realm.release();
		}
	}

	life(index: number): Life | undefined {
		return this.current[index];
	}

	startProcess(index: number): void {
		const { processes } = this.plan;
		const planned = processes[index];
		if (planned === undefined) return;
		const { drift, copies } = planned;
		const lifeNumber = this.lives.filter(({ process }) =>
			process.name.startsWith(planned.name),
		).length;
		const process = new SimulatedProcess(this.world, {
			name: `${planned.name}.${lifeNumber + 1}`,
			drift,
			copies,
			patches: this.equipment.patches,
			network: this.network,
			redis: this.redis,
		});
		const host = new Host(process, this.installation);
		const life: Life = { process, host, bornAt: this.world.now };
		this.lives.push(life);
		this.current[index] = life;
		this.world.history.add('process starts', { process: process.name });
	}

	killProcess(index: number): void {
		const life = this.current[index];
		if (life === undefined) return;
		this.current[index] = undefined;
		life.diedAt = this.world.now;
		life.process.kill();
		this.world.history.add('process killed', { process: life.process.name });
	}

	stop(id: string): void {
		const played = this.played.find(({ planned }) => planned.id === id);
		if (played === undefined || played.life.diedAt !== undefined) return;
		this.world.after(0, () => played.execution.stop(), played.life.process);
	}

	edit(credential: string, fields: Record<string, unknown>): void {
		const known = this.installation.credentials.get(credential);
		this.installation.credentials.set(credential, { ...known, ...fields });
	}

	private get isOver(): boolean {
		return this.played.every(
			({ execution, life }) => execution.isOver || life.diedAt !== undefined,
		);
	}

	/** Starts an execution on its process, or on another one that is alive. */
	private start(planned: PlannedExecution): void {
		const { world } = this;
		const life = this.current[planned.process] ?? this.current.find((other) => other !== undefined);
		const node = this.plan.nodes.find(({ id }) => id === planned.node);
		if (node === undefined) return;
		if (life === undefined) {
			world.after(5_000, () => this.start(planned));
			return;
		}
		const { id, items, copy, tool } = planned;
		const execution = new Execution(life.host, { id, node, items, copy, tool }, () => {
			played.endedAt = world.now;
			const { status } = execution.ending ?? {};
			world.history.add('execution ends', { execution: id, status });
		});
		const played: Played = { planned, execution, life, startedAt: world.now };
		this.played.push(played);
		world.history.add('execution starts', {
			execution: id,
			process: life.process.name,
			node: planned.node,
			items: items.map((item) => item.id),
		});
		world.after(0, () => void execution.run(), life.process);
	}

	/** Fills a limit, and runs Get Status before and after. */
	private async playNight(life: Life): Promise<void> {
		const [[credential, fields] = ['', {}]] = this.installation.credentials;
		const limits = limitsOf(fields, this.plan.service.limits);
		for (const scope of ['general', SEND] as const) {
			const { max = Infinity } = limits.endpoints[scope] ?? limits.general.at(-1) ?? {};
			if (max > MOST_FILLED) continue;
			const run = async (parameters: object, count = 1) => {
				const id = `night ${scope} ${life.process.name}`;
				const node = {
					id,
					workflowId: 'night',
					credential,
					parameters: { options: {}, ...parameters },
				};
				const items = Array.from({ length: count }, (_, index) => ({ id: `${id} ${index}` }));
				const execution = new Execution(life.host, { id, node, items, copy: 0 }, () => undefined);
				this.world.after(0, () => void execution.run(), life.process);
				await this.world.play(this.world.now + LONGEST_NIGHT_MS, () => execution.isOver);
				return execution;
			};
			const before = await run(GET_STATUS);
			const filling = await run(FILLING[scope], max);
			this.nights.push({ life, limits, before, filling, after: await run(GET_STATUS) });
			await this.world.play(this.world.now + LONGEST_HOLD_MS);
		}
	}
}
