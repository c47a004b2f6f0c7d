/** Lets the faults of a plan strike when their moment has come. */
import type { StoreFault } from '../n8n/deduplication';
import type { CommandFault } from '../redis/redisServer';
import type { Exchange } from '../service/exchange';
import type { ExchangeFault } from '../service/faults';
import type { Step } from '../service/network';
import type { Moment, Plan, PlannedFault, RedisEvent } from './plan';
import type { Player } from './player';

type Of<K extends PlannedFault['kind']> = PlannedFault & { kind: K };

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
	/** What strikes when something happens that it is asked about. */
	private readonly traps: Array<Trap<PlannedFault>> = [];

	/** What strikes at a step of a request, or at a command. */
	private readonly steps: Array<{ step: Moment['step']; trap: Trap<() => void> }> = [];

	constructor(
		private readonly plan: Plan,
		private readonly player: Player,
	) {}

	get needsReplica(): boolean {
		return this.plan.faults.some(
			(fault) => fault.kind === 'redis' && fault.event.what === 'failOver',
		);
	}

	planAll(): void {
		for (const fault of this.plan.faults) this.planOne(fault);
	}

	/** Nothing lies in wait any more. */
	end(): void {
		this.traps.length = 0;
		this.steps.length = 0;
	}

	faultOfRequest(): ExchangeFault | undefined {
		return this.sprung('request')?.fault;
	}

	faultOfCommand(): CommandFault | undefined {
		const fault = this.sprung('command')?.fault;
		this.onStep('command');
		return fault;
	}

	faultOfTable(access: 'read' | 'write'): StoreFault | undefined {
		return this.sprung('table', access)?.moment;
	}

	faultOfHost(access: 'credential' | 'file'): boolean {
		return this.sprung('host', access) !== undefined;
	}

	onStep(step: Step | 'command', exchange?: Exchange): void {
		if (exchange !== undefined) {
			const { id, method, path, caller, items, fault, status } = exchange;
			const details = { request: id, execution: caller?.execution, items, fault, status };
			this.player.world.history.add(`request ${step}`, { what: `${method} ${path}`, ...details });
		}
		for (const one of this.steps) {
			// Not in the midst of what a process is doing, but before it does anything else.
			if (one.step === step && one.trap.isSprung(this.now)) {
				this.player.world.after(0, one.trap.fault);
			}
		}
	}

	private planOne(fault: PlannedFault): void {
		const { player } = this;
		const { world } = player;
		const at = (time: number, happens: () => void) =>
			world.at(time, () => {
				this.tell(fault);
				happens();
			});
		switch (fault.kind) {
			case 'kill':
				return this.when(fault.when, () => {
					if (player.life(fault.process) === undefined) return;
					this.tell(fault);
					player.killProcess(fault.process);
					world.after(fault.downMs, () => player.startProcess(fault.process));
				});
			case 'stall':
				return this.when(fault.when, () => {
					this.tell(fault);
					player.life(fault.process)?.process.stall(fault.ms);
				});
			case 'stop':
				return this.when(fault.when, () => {
					this.tell(fault);
					player.stop(fault.execution);
				});
			case 'clock':
				at(fault.at, () => player.life(fault.process)?.process.clock.step(fault.stepMs));
				return;
			case 'redis':
				at(fault.at, () => this.strikeRedis(fault.event));
				return;
			case 'edit':
				at(fault.at, () => player.edit(fault.credential, fault.fields));
				return;
			case 'foreign':
				for (let index = 0; index < fault.count; index++) {
					world.at(fault.at + index * fault.everyMs, () =>
						player.service.otherClientRequest(fault.key, fault.endpoint),
					);
				}
				return;
			default:
				this.traps.push(new Trap(fault.when, fault));
		}
	}

	private strikeRedis(event: RedisEvent): void {
		const { redis } = this.player;
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
				for (const link of redis.links) link.isSilent = true;
		}
	}

	private when(moment: Moment, strike: () => void): void {
		if (moment.step === undefined) this.player.world.at(moment.after, strike);
		else this.steps.push({ step: moment.step, trap: new Trap(moment, strike) });
	}

	/** The fault of this kind whose moment has come, and of this access where it has one. */
	private sprung<K extends PlannedFault['kind']>(kind: K, access?: string): Of<K> | undefined {
		const fault = this.traps.find(
			(trap) =>
				trap.fault.kind === kind &&
				(!('access' in trap.fault) || trap.fault.access === access) &&
				trap.isSprung(this.now),
		)?.fault;
		if (fault !== undefined) this.tell(fault);
		return fault as Of<K> | undefined;
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
