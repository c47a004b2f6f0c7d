/** Lets the faults of a plan strike when their moment has come. */
import type { StoreFault } from '../n8n/deduplication';
import type { CommandFault } from '../redis/redisServer';
import type { Exchange } from '../service/exchange';
import type { ExchangeFault } from '../service/faults';
import type { Step } from '../service/network';
import type { Moment, Plan, PlannedFault, RedisEvent } from './plan';
import type { Player } from './player';

type Kind = PlannedFault['kind'];
type Of<K extends Kind> = PlannedFault & { kind: K };

/** Strikes once, at its moment. */
class Trap<T> {
	private passed = 0;

	private hasStruck = false;

	constructor(
		private readonly moment: Moment,
		readonly fault: T,
	) {}

	/** Something of its kind happens: is it this fault's turn? */
	isSprung(now: number): boolean {
		if (this.hasStruck || now < this.moment.after) return false;
		if (this.passed++ < this.moment.skip) return false;
		this.hasStruck = true;
		return true;
	}
}

export class FaultBook {
	private readonly requests: Array<Trap<Of<'request'>>>;

	private readonly commands: Array<Trap<Of<'command'>>>;

	private readonly table: Array<Trap<Of<'table'>>>;

	private readonly host: Array<Trap<Of<'host'>>>;

	/** What strikes at a step of a request, or at a command. */
	private readonly steps: Array<{ step: Moment['step']; trap: Trap<() => void> }> = [];

	constructor(
		private readonly plan: Plan,
		private readonly player: Player,
	) {
		this.requests = this.traps('request');
		this.commands = this.traps('command');
		this.table = this.traps('table');
		this.host = this.traps('host');
	}

	get needsReplica(): boolean {
		return this.plan.faults.some(({ kind, ...fault }) => {
			return kind === 'redis' && 'event' in fault && fault.event.what === 'failOver';
		});
	}

	planAll(): void {
		for (const fault of this.plan.faults) this.planOne(fault);
	}

	/** Nothing lies in wait any more. */
	end(): void {
		const { requests, commands, table, host, steps } = this;
		for (const traps of [requests, commands, table, host, steps]) traps.length = 0;
	}

	faultOfRequest(): ExchangeFault | undefined {
		return this.sprung(this.requests)?.fault;
	}

	faultOfCommand(): CommandFault | undefined {
		const fault = this.sprung(this.commands)?.fault;
		this.onStep('command');
		return fault;
	}

	faultOfTable(access: 'read' | 'write'): StoreFault | undefined {
		return this.sprung(this.table.filter(({ fault }) => fault.access === access))?.moment;
	}

	faultOfHost(access: 'credential' | 'file'): boolean {
		return this.sprung(this.host.filter(({ fault }) => fault.access === access)) !== undefined;
	}

	onStep(step: Step | 'command', exchange?: Exchange): void {
		if (exchange !== undefined) {
			const { id, method, path, caller, items, fault, status } = exchange;
			const details = { request: id, execution: caller?.execution, items, fault, status };
			this.player.world.history.add(`request ${step}`, { what: `${method} ${path}`, ...details });
		}
		for (const one of this.steps) {
			if (one.step === step && one.trap.isSprung(this.now)) this.soon(one.trap.fault);
		}
	}

	private planOne(fault: PlannedFault): void {
		const { player } = this;
		const { world } = player;
		const strike = (happens: () => void) => () => {
			this.tell(fault);
			happens();
		};
		switch (fault.kind) {
			case 'kill': {
				const end = strike(() => player.killProcess(fault.process));
				const begin = () => player.startProcess(fault.process);
				return this.when(fault.when, () => {
					if (player.life(fault.process) === undefined) return;
					end();
					world.after(fault.downMs, begin);
				});
			}
			case 'stall':
				return this.when(
					fault.when,
					strike(() => player.life(fault.process)?.process.stall(fault.ms)),
				);
			case 'stop':
				return this.when(
					fault.when,
					strike(() => player.stop(fault.execution)),
				);
			case 'clock':
				return this.at(
					fault.at,
					strike(() => player.life(fault.process)?.process.clock.step(fault.stepMs)),
				);
			case 'redis':
				return this.at(
					fault.at,
					strike(() => this.strikeRedis(fault.event)),
				);
			case 'edit':
				return this.at(
					fault.at,
					strike(() => player.edit(fault.credential, fault.fields)),
				);
			case 'foreign':
				for (let index = 0; index < fault.count; index++) {
					this.at(fault.at + index * fault.everyMs, () =>
						player.service.otherClientRequest(fault.key, fault.endpoint),
					);
				}
				return;
			default:
				// The others lie in wait.
				return;
		}
	}

	private at(time: number, strike: () => void): void {
		this.player.world.at(time, strike);
	}

	private strikeRedis(event: RedisEvent): void {
		const { redis, links } = this.player;
		switch (event.what) {
			case 'flush':
				return redis.flush();
			case 'pause':
				return redis.pause(event.ms);
			case 'outage':
				return redis.goDown(event.ms);
			case 'restart':
				return redis.restart(event.ms, event.keepsData);
			case 'failOver':
				return redis.failOver(event.ms, event.lostMs);
			case 'clock':
				return redis.clock.step(event.stepMs);
			case 'silence':
				for (const link of links) link.isSilent = true;
		}
	}

	private when(moment: Moment, strike: () => void): void {
		if (moment.step === undefined) this.player.world.at(moment.after, strike);
		else this.steps.push({ step: moment.step, trap: new Trap(moment, strike) });
	}

	/** Not in the midst of what a process is doing, but before it does anything else. */
	private soon(strike: () => void): void {
		this.player.world.after(0, strike);
	}

	private traps<K extends 'request' | 'command' | 'table' | 'host'>(kind: K) {
		return this.plan.faults
			.filter((fault): fault is Of<K> => fault.kind === kind)
			.map((fault) => new Trap(fault.when, fault));
	}

	private sprung<T extends PlannedFault>(traps: Array<Trap<T>>): T | undefined {
		const fault = traps.find((trap) => trap.isSprung(this.now))?.fault;
		if (fault !== undefined) this.tell(fault);
		return fault;
	}

	private tell(fault: PlannedFault): void {
		const { world, struck } = this.player;
		struck.push({ at: world.now, fault });
		world.history.add(`fault: ${fault.kind}`, { fault });
	}

	private get now(): number {
		return this.player.world.now;
	}
}
