/**
 * Hand-written plays: what must hold whenever a fault strikes. Each is played for many moments of the fault.
 */
import type { SavedNode } from '../n8n/workflow';
import { planOf } from '../scenario/generate';
import type { Plan, PlannedExecution, PlannedFault } from '../scenario/plan';
import type { LimitTable } from '../../../sandbox/limits';

export interface DirectedPlay {
	name: string;
	plans: Plan[];
	sent: string[];
}

const NO_LIMITS: LimitTable = { general: [{ max: 100_000, windowSeconds: 1 }], endpoints: {} };
const ONE_PER_20_S: LimitTable = { general: [{ max: 1, windowSeconds: 20 }], endpoints: {} };

/** A plan with two processes that share a Redis, and a slow database. */
export function planWith(nodes: SavedNode[], changes: Partial<Plan>, limits = NO_LIMITS): Plan {
	const plan = planOf(1);
	const fields = { limitStore: 'redis', customize: true, limits: JSON.stringify(limits) };
	return {
		...plan,
		store: 'redis',
		service: { ...plan.service, limits, windows: 'sliding', actingMs: [5, 5] },
		latencies: { http: [5, 5], redis: [1, 1], table: [200, 200] },
		redisDrift: 0,
		processes: ['main', 'worker'].map((name) => ({ name, drift: 0, copies: 1 })),
		credentials: { main: { ...plan.credentials.main, ...fields } },
		nodes,
		faults: [],
		endsAt: 120_000,
		...changes,
	};
}

export function executions(
	...all: Array<[at: number, node: string, items: string[], process?: number]>
) {
	return all.map(([at, node, items, process = 0], index): PlannedExecution => {
		return { id: `e${index}`, at, node, process, copy: 0, items: items.map((id) => ({ id })) };
	});
}

function sender(id: string, workflowId = 'w'): SavedNode {
	const options = { sendOnceKey: '={{ $json.id }}' };
	const operation = { resource: 'transaction', operation: 'send', dataMode: 'autoMapInputData' };
	return { id, workflowId, credential: 'main', parameters: { ...operation, options } };
}

function reader(id: string, timeout = 10): SavedNode {
	const parameters = [{ name: 'item', value: '={{ $json.id }}' }];
	const options = { timeout, queryParameters: { parameters } };
	const operation = { resource: 'apiRequest', operation: 'send', method: 'GET', path: '/echo' };
	return { id, workflowId: 'w', credential: 'main', parameters: { ...operation, options } };
}

/** A fault: the service counts the first request this long (ms) after it was sent. */
function countedLate(ms: number): PlannedFault {
	return {
		kind: 'request',
		when: { after: 0, skip: 0 },
		fault: { kind: 'late', what: 'request', ms },
	};
}

const moments = (from: number, to: number, everyMs: number) =>
	Array.from({ length: (to - from) / everyMs }, (_, index) => from + index * everyMs);

export const DIRECTED_PLAYS: DirectedPlay[] = [
	{
		name: 'two executions with one Send Once Key send once, whenever Redis is emptied',
		plans: moments(66_000, 76_000, 400).map((at) =>
			// The store is slower than the time in which a new Redis may lack leases.
			planWith([sender('n')], {
				executions: executions([1_000, 'n', ['z']], [60_000, 'n', ['a']], [60_600, 'n', ['a'], 1]),
				faults: [{ kind: 'redis', at, event: { what: 'flush' } }],
				latencies: { http: [5, 5], redis: [1, 1], table: [3_000, 3_000] },
			}),
		),
		sent: ['z', 'a'],
	},
	...[
		{ name: 'two nodes of a workflow share keys', other: sender('m'), sent: ['a'] },
		{
			name: 'two workflows do not share keys',
			other: sender('m', 'another'),
			sent: ['a', 'a'],
		},
	].map(({ name, other, sent }) => ({
		name,
		plans: [
			planWith([sender('n'), other], {
				executions: executions([1_000, 'n', ['a']], [9_000, 'm', ['a']]),
			}),
		],
		sent,
	})),
	{
		name: 'no limit is exceeded when the service counts a read after its timeout',
		plans: moments(5_500, 10_000, 500).map((ms) =>
			planWith(
				[reader('r', 5)],
				{ executions: executions([1_000, 'r', ['a']]), faults: [countedLate(ms)] },
				ONE_PER_20_S,
			),
		),
		sent: [],
	},
	{
		name: 'no limit is exceeded when the service counts a read after its stop, at any moment',
		plans: moments(1_100, 9_100, 500).map((after) => {
			const stop: PlannedFault = { kind: 'stop', execution: 'e0', when: { after, skip: 0 } };
			const changes = {
				executions: executions([1_000, 'r', ['a']], [1_050, 'r', ['b']]),
				faults: [countedLate(9_000), stop],
			};
			return planWith([reader('r')], changes, ONE_PER_20_S);
		}),
		sent: [],
	},
];
