/** Triggers the faults of a plan at their moments. */
import type { Exchange } from '../service/exchange';
import type { Step } from '../service/network';
import type { Moment, Plan, PlannedFault, RedisEvent } from './plan';
import type { Player } from './player';

type Of<K extends PlannedFault['kind']> = PlannedFault & { kind: K };

/** A fault that strikes once, at its moment. */
class Trap<T> {
	private passed = 0;
	private hasStruck = false;

	constructor(
		private readonly moment: Moment,
		readonly fault: T,
	) {}

	/** Called when an event of its kind happens. Returns whether the fault strikes now. */
	springs(now: number): boolean {
		if (this.hasStruck || now < this.moment.after) return false;
		if (this.passed++ < this.moment.skip) return false;
		this.hasStruck = true;
		return true;
	}
}

export class FaultBook {
	/** Faults that strike when an event asks for them. */
	private readonly traps: Array<Trap<PlannedFault>> = [];

	/** Faults that strike at a step of a request, or at a command. */
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

	end(): void {
		this.traps.length = 0;
		this.steps.length = 0;
	}

	onStep(step: Step | 'command', exchange?: Exchange): void {
		if (exchange !== undefined) {
			const { id, endpoint, caller, items, fault, status } = exchange;
			const details = { request: id, execution: caller?.execution, items, fault, status };
			this.player.world.history.add(`request ${step}`, { what: endpoint, ...details });
		}
		for (const one of this.steps) {
			// Not in the middle of the process's current work, but before its next event.
			if (one.step === step && one.trap.springs(this.now)) {
				this.player.world.after(0, one.trap.fault);
			}
		}
	}

	private planOne(fault: PlannedFault): void {
		const { world, service } = this.player;
		switch (fault.kind) {
			case 'request':
			case 'command':
			case 'table':
			case 'host':
				this.traps.push(new Trap(fault.when, fault));
				return;
			case 'otherClient':
				for (let index = 0; index < fault.count; index++) {
					world.at(fault.at + index * fault.everyMs, () =>
						service.otherClientRequest(fault.key, fault.endpoint),
					);
				}
				return;
			default: {
				const { after, step, skip } = 'when' in fault ? fault.when : atOnce(fault.at);
				const strike = () => this.strike(fault);
				if (step === undefined) world.at(after, strike);
				else this.steps.push({ step, trap: new Trap({ after, skip }, strike) });
			}
		}
	}

	private strike(fault: PlannedFault): void {
		const { player } = this;
		const life = 'process' in fault ? player.life(fault.process) : undefined;
		if (fault.kind === 'kill' && life === undefined) return;
		this.record(fault);
		switch (fault.kind) {
			case 'kill':
				player.killProcess(fault.process);
				player.world.after(fault.downMs, () => player.startProcess(fault.process));
				return;
			case 'stall':
				return life?.process.stall(fault.ms);
			case 'clock':
				return life?.process.clock.step(fault.stepMs);
			case 'stop':
				return player.stop(fault.execution);
			case 'redis':
				return this.strikeRedis(fault.event);
			case 'edit':
				return player.edit(fault.credential, fault.fields);
		}
	}

	private strikeRedis(event: RedisEvent): void {
		const { redis } = this.player;
		switch (event.what) {
			case 'flush':
				return redis.data.clear();
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

	/** The fault of this kind (and access, if it has one) that strikes now, and never again. */
	next<K extends PlannedFault['kind']>(kind: K, access?: string): Of<K> | undefined {
		const fault = this.traps.find(
			(trap) =>
				trap.fault.kind === kind &&
				(!('access' in trap.fault) || trap.fault.access === access) &&
				trap.springs(this.now),
		)?.fault;
		if (fault !== undefined) this.record(fault);
		return fault as Of<K> | undefined;
	}

	private record(fault: PlannedFault): void {
		const { world, struck } = this.player;
		struck.push({ at: world.now, fault });
		world.history.add(`fault: ${fault.kind}`, { fault });
	}

	private get now(): number {
		return this.player.world.now;
	}
}

const atOnce = (after: number): Moment => ({ after, skip: 0 });
