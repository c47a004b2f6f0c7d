/** Generates a plan from a seed: a day of a small n8n, with a few busy minutes and faults. */
import { DOCUMENTED_LIMITS, type LimitTable } from '../../../sandbox/limits';
import { Random } from '../world/random';
import { executionsOf, finalRuns, HOUR_MS, rushesOf } from './generateExecutions';
import { faultsOf } from './generateFaults';
import { nodesOf } from './generateNodes';
import { loweredLimits, type Plan, type PlannedProcess, type Span } from './plan';

const ORIGIN = 'https://books.example';

export function planOf(seed: number): Plan {
	const random = new Random(`seed ${seed}`);
	const store = random.chance(0.4) ? 'memory' : 'redis';
	const isMixed = store === 'redis' && random.chance(0.15);
	const limits = isMixed ? LIMITS_OF_MIXED_LOAD : limitsOf(random);
	const key = random.key();
	const nodes = nodesOf(random.of('nodes'), limits, isMixed);
	const rushes = rushesOf(random);
	const processes = processesOf(random, store, isMixed);
	const executions = executionsOf(random.of('executions'), nodes, rushes, processes, isMixed);
	const lastAt = (rushes.at(-1)?.until ?? 0) + HOUR_MS;
	const plan: Plan = {
		seed: String(seed),
		store,
		service: {
			limits,
			windows: random.one(['sliding', 'fixed']),
			phaseMs: random.between(0, 600_000),
			countsRefused: random.chance(0.5),
			retryAfter: random.one(['none', 'none', 'seconds', 'date']),
			actingMs: random.one<Span>([
				[1, 30],
				[5, 400],
				[50, 4_000],
			]),
		},
		keys: [{ key, origin: ORIGIN }],
		latencies: {
			http: random.one<Span>([
				[1, 20],
				[20, 300],
				[80, 1_500],
			]),
			redis: random.one<Span>([
				[0.1, 2],
				[0.5, 60],
			]),
			table: random.one<Span>([
				[0.2, 3],
				[1, 80],
			]),
		},
		redisDrift: driftOf(random),
		processes,
		credentials: { main: credentialOf(random, store, key, limits) },
		nodes: nodes.map(({ node }) => node),
		executions: [...executions, ...finalRuns(nodes, executions, lastAt)],
		hasLowerLimits: false,
		faults: [],
		endsAt: lastAt + HOUR_MS,
	};
	addOtherCredential(random.of('second credential'), plan);
	plan.faults = faultsOf(random.of('faults'), plan, rushes);
	plan.hasLowerLimits =
		plan.credentials.other !== undefined || plan.faults.some(({ kind }) => kind === 'edit');
	return plan;
}

/** Limits under which reads keep the general windows full, and many sends get through their own windows. */
const LIMITS_OF_MIXED_LOAD: LimitTable = {
	general: [
		{ max: 4, windowSeconds: 1 },
		{ max: 8, windowSeconds: 10 },
		{ max: 20, windowSeconds: 60 },
	],
	endpoints: {
		'POST /txndata/sendTxn': { max: 2, windowSeconds: 20 },
		'POST /txndata/sendPayment': { max: 1, windowSeconds: 20 },
	},
};

/** The documented limits, or smaller ones that a few requests fill. */
function limitsOf(random: Random): LimitTable {
	if (random.chance(0.15)) return DOCUMENTED_LIMITS;
	const window = () => random.one([20, 20, 20, 60, 60, 120, 600]);
	return {
		general: [
			{ max: random.whole(2, 4), windowSeconds: 1 },
			{ max: random.whole(4, 8), windowSeconds: 10 },
			...(random.chance(0.6) ? [{ max: random.whole(8, 14), windowSeconds: 60 }] : []),
		],
		endpoints: {
			'POST /txndata/sendTxn': { max: random.whole(1, 3), windowSeconds: window() },
			'POST /txndata/sendPayment': { max: random.whole(1, 3), windowSeconds: window() },
		},
	};
}

function credentialOf(
	random: Random,
	store: 'memory' | 'redis',
	apiKey: string,
	limits: LimitTable,
) {
	const isDocumented = limits === DOCUMENTED_LIMITS && random.chance(0.5);
	return {
		baseUrl: ORIGIN,
		apiKey,
		limitStore: store,
		redisHost: 'redis',
		redisPort: 6379,
		customize: !isDocumented,
		...(isDocumented ? {} : { limits: JSON.stringify(limits) }),
	};
}

function addOtherCredential(random: Random, plan: Plan): void {
	const { main } = plan.credentials;
	if (main === undefined || random.chance(0.85)) return;
	const limits = loweredLimits(plan, () => 1);
	plan.credentials.other = { ...main, customize: true, limits };
	for (const node of plan.nodes) if (random.chance(0.4)) node.credential = 'other';
}

function driftOf(random: Random): number {
	// A little less than the drift of clocks that are being adjusted.
	return random.chance(0.5) ? random.between(-1, 1) * 0.0002 : 0;
}

function processesOf(
	random: Random,
	store: 'memory' | 'redis',
	isMixed: boolean,
): PlannedProcess[] {
	const count = store === 'memory' ? 1 : isMixed ? 2 : random.one([1, 2, 2, 3]);
	return Array.from({ length: count }, (_, index) => ({
		name: index === 0 ? 'main' : `worker${index}`,
		drift: driftOf(random),
		copies: random.chance(0.15) ? 2 : 1,
	}));
}
