/**
 * A plan: everything that will happen in a simulated world, except for small random variations. It is plain data, so
 * that it can be printed, and shortened as long as it fails in the same way.
 */
import type { CredentialFields, SavedNode } from '../n8n/workflow';
import type { CommandFault } from '../redis/redisServer';
import type { ExchangeFault } from '../service/exchange';
import type { LimitTable } from '../../../sandbox/limits';
import type { Step } from '../service/network';
import type { ServiceSettings } from '../service/service';

export interface Plan {
	seed: string;
	store: 'memory' | 'redis';
	service: ServiceSettings;
	/** The API keys that the service knows, with their origins. */
	keys: Array<{ key: string; origin: string }>;
	/** One-way latencies (ms), mostly near the first value. */
	latencies: { http: Span; redis: Span; table: Span };
	/** Seconds that Redis's clock gains per second. */
	redisDrift: number;
	processes: PlannedProcess[];
	credentials: Record<string, CredentialFields>;
	nodes: SavedNode[];
	executions: PlannedExecution[];
	/** Whether any credential ever has lower limits than the service, by up to 2. */
	hasLowerLimits: boolean;
	faults: PlannedFault[];
	/** When (ms) the day is over. Everything in flight may then end. */
	endsAt: number;
}

export type Span = [number, number];

export interface PlannedProcess {
	name: string;
	drift: number;
	copies: 1 | 2;
}

export interface PlannedExecution {
	id: string;
	at: number;
	process: number;
	node: string;
	items: Array<{ id: string }>;
	copy: number;
	tool?: 'agent' | 'mcp';
}

/** The next occurrence of `step` after `skip` others since `after` (ms); without a step, `after` itself. */
export interface Moment {
	after: number;
	step?: Step | 'command';
	skip: number;
}

export type PlannedFault =
	| { kind: 'kill'; process: number; when: Moment; downMs: number }
	| { kind: 'stall'; process: number; when: Moment; ms: number }
	/** The wall clock of a process's machine is set. */
	| { kind: 'clock'; process: number; at: number; stepMs: number }
	| { kind: 'stop'; execution: string; when: Moment }
	| { kind: 'request'; when: Moment; fault: ExchangeFault }
	| { kind: 'command'; when: Moment; fault: CommandFault }
	| { kind: 'redis'; at: number; event: RedisEvent }
	/** An access to n8n's database fails before or after it takes effect. */
	| { kind: 'table'; when: Moment; access: 'read' | 'write'; moment: 'before' | 'after' }
	/** A credential cannot be read, a file cannot be stored. */
	| { kind: 'host'; when: Moment; access: 'credential' | 'file' }
	| { kind: 'edit'; at: number; credential: string; fields: CredentialFields }
	| {
			kind: 'otherClient';
			at: number;
			key: string;
			endpoint: string;
			count: number;
			everyMs: number;
	  };

export type RedisEvent =
	| { what: 'flush' }
	| { what: 'pause'; ms: number }
	| { what: 'outage'; ms: number }
	| { what: 'restart'; ms: number; keepsData: boolean }
	| { what: 'failOver'; ms: number; lostMs: number }
	/** A firewall silently drops the connections. */
	| { what: 'silence' }
	| { what: 'clock'; stepMs: number };

/** The earliest time (ms) at which a fault can strike. */
export function beginOf(fault: PlannedFault): number {
	return 'when' in fault ? fault.when.after : fault.at;
}

/** The limits of a credential, or else those of its service. */
export function limitsOf(fields: CredentialFields, documented: LimitTable): LimitTable {
	return fields.customize === true && typeof fields.limits === 'string'
		? (JSON.parse(fields.limits) as LimitTable)
		: documented;
}

/** The limits of the service, with each general one lowered. */
export function loweredLimits({ service: { limits } }: Plan, by: () => number): string {
	const general = limits.general.map(({ max, windowSeconds }) => ({
		max: Math.max(1, max - by()),
		windowSeconds,
	}));
	return JSON.stringify({ ...limits, general });
}

/** The scope of a node's Send Once Keys: workflow, credential and endpoint. */
export function keysOf({ workflowId, credential, parameters }: SavedNode): string {
	const { resource, operation, method, path } = parameters;
	return JSON.stringify([workflowId, credential, resource, operation, method, path]);
}

export function memoryOf({ parameters }: SavedNode): number {
	const { sendOnceMaxEntries = Infinity } = (parameters.options ?? {}) as {
		sendOnceMaxEntries?: number;
	};
	return sendOnceMaxEntries;
}

export function isSendOnce({ parameters }: SavedNode): boolean {
	return JSON.stringify(parameters).includes('sendOnceKey');
}
