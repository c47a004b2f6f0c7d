/** What is played with, and what has been played. */
import type { Execution } from '../n8n/execution';
import type { Host } from '../n8n/host';
import type { Patch } from '../process/modules';
import type { SimulatedProcess } from '../process/simulatedProcess';
import type { Lua } from '../redis/lua';
import type { LimitTable } from '../../../sandbox/limits';
import type { PlannedExecution } from './plan';

/** What every player needs, once per thread. */
export interface Equipment {
	/** Runs Redis's scripts. */
	lua: Lua;
	n8nSources: string;
	patches: Patch[];
}

/** A process of the plan in one of its lives. */
export interface Life {
	process: SimulatedProcess;
	host: Host;
	bornAt: number;
	diedAt?: number;
}

/** An execution of the plan, and where it has run. */
export interface Played {
	planned: PlannedExecution;
	execution: Execution;
	life: Life;
	startedAt: number;
	endedAt?: number;
}

/** In the silence after the day: a limit is filled, and Get Status asked before and after. */
export interface Night {
	life: Life;
	/** Those of the credential. */
	limits: LimitTable;
	before: Execution;
	filling: Execution;
	after: Execution;
}
