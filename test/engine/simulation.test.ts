// The simulated n8n follows n8n's rules: each scenario ends alike in n8n's engine with the sandbox and in the simulation.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { CONTINUE_ON_ERROR, deleteMany, ONCE, RETRY_ON_FAIL, send } from '../support/parameters';
import { type End, endOf, ITEMS, type Scenario } from '../support/scenarios';

const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();
let simulated: End[];

beforeAll(async () => {
	simulated = await simulateAll();
});

const scenarios: Scenario[] = [
	[send(), {}, []],
	[send(), {}, [400]],
	[send(), {}, [500]],
	[send(), {}, ['cutBefore']],
	[send(), CONTINUE_ON_ERROR, [400, 500]],
	[send(), RETRY_ON_FAIL, [400]],
	[send(), RETRY_ON_FAIL, [400, 400, 400]],
	[send(), RETRY_ON_FAIL, ['cutAfter']],
	[send(), { ...RETRY_ON_FAIL, ...CONTINUE_ON_ERROR }, [400, 500]],
	[send(ONCE), CONTINUE_ON_ERROR, [400, 500], 2],
	[send(ONCE), RETRY_ON_FAIL, ['cutAfter', 400], 2],
	[deleteMany({ batchSize: 2 }), {}, [500]],
	[deleteMany({ batchSize: 2 }), RETRY_ON_FAIL, [400]],
	[deleteMany({ batchSize: 2 }), CONTINUE_ON_ERROR, [400]],
].map(([parameters, settings, faults, executions = 1]) => ({
	name: JSON.stringify([parameters, settings, faults, executions]),
	parameters,
	settings,
	faults,
	executions,
})) as Scenario[];

test.each(scenarios)('the simulation ends like n8n: $name', async (scenario) => {
	const real = await playForReal(scenario);
	expect(real.requests).toBeGreaterThan(0);
	// The simulation's result came as JSON, without undefined properties.
	expect(simulated[scenarios.indexOf(scenario)]).toEqual(JSON.parse(JSON.stringify(real)));
});

async function simulateAll(): Promise<End[]> {
	const program = join(__dirname, '../support/simulateScenarios.ts');
	const parameters = ['--import', 'tsx', program, JSON.stringify(scenarios)];
	const { stdout } = await promisify(execFile)(process.execPath, parameters);
	return JSON.parse(stdout) as End[];
}

async function playForReal({ parameters, settings, faults, executions }: Scenario): Promise<End> {
	for (const fault of faults) {
		const action = {
			400: { type: 'status', status: 400 },
			500: { type: 'status', status: 500, act: true },
			cutBefore: { type: 'hangUpBeforeActing' },
			cutAfter: { type: 'hangUpAfterActing' },
		}[fault];
		bench.sandbox.fault({ after: 1, action } as never);
	}
	const ends: End['executions'] = [];
	for (let execution = 0; execution < executions; execution++) {
		const result = await bench.run(ITEMS, parameters, settings);
		const { status, data } = result.run;
		const { error } = data.resultData;
		ends.push(endOf(status, status === 'success' ? result.items(NODE) : [], error?.context));
	}
	const { journal } = bench.sandbox;
	const bodies = journal.all().filter(({ acted }) => acted);
	return {
		executions: ends,
		acted: bodies.flatMap(({ body }) => idsIn(body)),
		requests: journal.count(),
	};
}

function idsIn(body: unknown): string[] {
	const { id, ids = [id] } = body as { id?: string; ids?: string[] };
	return ids.filter((one) => one !== undefined);
}
