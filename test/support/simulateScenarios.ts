/**
 * Plays scenarios in the simulation. A separate program, because Jest cannot load modules into other global objects.
 * Takes a list of scenarios as its argument and prints the list of their ends.
 */
import { executions, planWith } from '../simulation/directed/plays';
import { equip } from '../simulation/play';
import type { Plan, PlannedFault } from '../simulation/scenario/plan';
import { type Equipment, Player } from '../simulation/scenario/player';
import { type End, endOf, type Fault, ITEMS, type Scenario } from './scenarios';

async function main([scenarios = '[]']: string[]): Promise<void> {
	const equipment = await equip();
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

function planFor({ parameters, settings, faults, executions: count }: Scenario): Plan {
	const faultOf = (fault: Fault): PlannedFault => ({
		kind: 'request',
		when: { after: 0, skip: 1 },
		fault:
			typeof fault === 'number'
				? { kind: 'status', status: fault, acts: fault === 500 }
				: { kind: 'cut', moment: fault === 'cutBefore' ? 'beforeActing' : 'afterActing' },
	});
	const node = { id: 'n', workflowId: 'w', credential: 'main', parameters, ...settings };
	const ids = ITEMS.map(({ id }) => id);
	const times = [1_000, 61_000].slice(0, count);
	return planWith([node], {
		executions: executions(...times.map((at) => [at, 'n', ids] as [number, string, string[]])),
		faults: faults.map(faultOf),
	});
}

void main(process.argv.slice(2)).then(() => process.exit());
