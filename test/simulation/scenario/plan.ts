/**
 * A plan: everything that is going to happen in a simulated world, but for chance in the small. It is plain
 * data, so that it can be printed, and shortened while it fails in the same way.
 */
import type { CredentialFields, SavedNode } from '../n8n/workflow';
import type { CommandFault } from '../redis/redisServer';
import type { ExchangeFault } from '../service/faults';
import type { LimitTable } from '../../../sandbox/limits';
import type { Step } from '../service/network';
import type { ServiceSettings } from '../service/service';

export interface Plan {
	seed: string;
	/** Where the credential says that limits are counted. */
	store: 'memory' | 'redis';
	service: ServiceSettings;
	/** The keys that the service knows, with their origins. */
	keys: Array<{ key: string; origin: string }>;
	/** One way each (ms): mostly near the first. */
	latencies: { http: Span; redis: Span; table: Span };
	/** Seconds that Redis's clock gains per second. */
	redisDrift: number;
	processes: PlannedProcess[];
	credentials: Record<string, CredentialFields>;
	nodes: SavedNode[];
	executions: PlannedExecution[];
	/** Whether some credential at some time has lower limits than the service: by up to 2. */
	hasLowerLimits: boolean;
	faults: PlannedFault[];
	/** When (ms) the day is over; what is under way then comes to its end. */
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
	/** Which of the processes. */
	process: number;
	/** The ID of its node. */
	node: string;
	items: Array<{ id: string }>;
	copy: number;
	tool?: 'agent' | 'mcp';
}

/** From `after` (ms) on, when this has happened `skip` times and happens again; without a step, right then. */
export interface Moment {
	after: number;
	step?: Step | 'command';
	skip: number;
}

export type PlannedFault =
	/** A process ends, and is started again. */
	| { kind: 'kill'; process: number; when: Moment; downMs: number }
	| { kind: 'stall'; process: number; when: Moment; ms: number }
	/** Somebody sets the wall clock of a process's machine. */
	| { kind: 'clock'; process: number; at: number; stepMs: number }
	/** Somebody stops an execution. */
	| { kind: 'stop'; execution: string; when: Moment }
	/** The request that begins at this moment. */
	| { kind: 'request'; when: Moment; fault: ExchangeFault }
	/** The command to Redis at this moment. */
	| { kind: 'command'; when: Moment; fault: CommandFault }
	| { kind: 'redis'; at: number; event: RedisEvent }
	/** The access to n8n's database at this moment. */
	| { kind: 'table'; when: Moment; access: 'read' | 'write'; moment: 'before' | 'after' }
	/** A credential cannot be read, a file cannot be stored. */
	| { kind: 'host'; when: Moment; access: 'credential' | 'file' }
	/** Somebody edits a credential. */
	| { kind: 'edit'; at: number; credential: string; fields: CredentialFields }
	/** Another program uses the key. */
	| { kind: 'foreign'; at: number; key: string; endpoint: string; count: number; everyMs: number };

export type RedisEvent =
	| { what: 'flush' }
	| { what: 'pause'; ms: number }
	| { what: 'outage'; ms: number }
	| { what: 'restart'; ms: number; keepsData: boolean }
	| { what: 'failOver'; ms: number; lostMs: number }
	/** A firewall forgets the connections. */
	| { what: 'silence' }
	| { what: 'clock'; stepMs: number };

/** When (ms) a fault can strike at the earliest. */
export function beginOf(fault: PlannedFault): number {
	return 'when' in fault ? fault.when.after : fault.at;
}

/** The limits that a credential names, those of its service when it names none. */
export function limitsOf(fields: CredentialFields, documented: LimitTable): LimitTable {
	return fields.customize === true && typeof fields.limits === 'string'
		? (JSON.parse(fields.limits) as LimitTable)
		: documented;
}
