/**
 * Plays scenarios in the simulation. A program of its own, because Jest does not let modules be loaded into other
 * global objects. Takes a list of scenarios as its argument, and prints the list of their ends.
 */
import { ensureN8nSources } from '../../scripts/host/n8nSources';
import { planOf } from '../simulation/scenario/generate';
import type { Plan, PlannedFault } from '../simulation/scenario/plan';
import type { Equipment } from '../simulation/scenario/played';
import { Player } from '../simulation/scenario/player';
import { type End, endOf, type Fault, ITEMS, type Scenario } from './scenarios';

const NO_LIMITS = { general: [{ max: 100_000, windowSeconds: 1 }], endpoints: {} };

async function main([scenarios = '[]']: string[]): Promise<void> {
	const equipment = { n8nSources: await ensureN8nSources(), patches: [] };
	const ends: End[] = [];
	for (const scenario of JSON.parse(scenarios) as Scenario[]) {
		ends.push(await simulate(scenario, equipment));
	}
	console.log(JSON.stringify(ends));
}

async function simulate(scenario: Scenario, equipment: Equipment): Promise<End> {
	const player = new Player(planFor(scenario), equipment);
	await player.play();
	player.close();
	return {
		executions: player.played.map(({ execution: { ending } }) => {
			const items = ending?.status === 'success' ? ending.items : [];
			const error = ending?.status === 'error' ? ending.error : undefined;
			return endOf(ending?.status ?? 'none', items, error?.context);
		}),
		acted: player.service.actions.map(({ item }) => item),
		requests: player.network.exchanges.length,
	};
}

function planFor({ parameters, settings, faults, executions }: Scenario): Plan {
	const plan = planOf(1);
	const faultOf = (fault: Fault): PlannedFault => ({
		kind: 'request',
		when: { after: 0, skip: 1 },
		fault:
			typeof fault === 'number'
				? { kind: 'status', status: fault, acts: fault === 500 }
				: { kind: 'cut', moment: fault === 'cutBefore' ? 'beforeActing' : 'afterActing' },
	});
	return {
		...plan,
		store: 'memory',
		service: { ...plan.service, limits: NO_LIMITS },
		processes: [{ name: 'main', drift: 0, copies: 1 }],
		credentials: {
			main: { ...plan.credentials.main, customize: true, limits: JSON.stringify(NO_LIMITS) },
		},
		nodes: [{ id: 'n', workflowId: 'w', credential: 'main', parameters, ...(settings as object) }],
		executions: Array.from({ length: executions }, (_, index) => ({
			...{
				id: `e${index}`,
				at: 1_000 + index * 60_000,
				process: 0,
				node: 'n',
				items: ITEMS,
				copy: 0,
			},
		})),
		faults: faults.map(faultOf),
	};
}

void main(process.argv.slice(2)).then(() => process.exit());
