// 2,500 random requests through the built node in n8n's engine, over many executions at once, some of which
// are stopped, against a service that goes wrong in every way there is.
//
// FAULTS_SEED repeats a run; FAULTS_REQUESTS makes it longer or shorter.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext, runInThisContext } from 'node:vm';

import { MARKER_HEADER } from '../../sandbox/server';
import { useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { readRun } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { FAULT_NAMES } from '../support/faults';
import { limiters } from '../support/limiters';
import { after, realNow } from '../support/logicalTime';
import { report } from '../support/report';
import { contradictions, type Ending, endingOf, resultOf } from './judge';
import { KEYS, type PlannedExecution, planOf } from './plan';

const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 1e6));
const REQUESTS = Number(process.env.FAULTS_REQUESTS ?? 2_500);
const EXECUTIONS_AT_ONCE = 10;
/** What a process may hold more after the run than before: some kilobytes per request would show. */
const HEAP_GROWTH_BYTES = 8 * 1024 * 1024;
const RESULTS = ['done', 'notSent', 'refused', 'unknown', 'notTried'];
/** How long (ms) slots and what was learned from refusals may last when nothing goes out any more. */
const LONGEST_HOLD_MS = 3 * 3_600_000;

const keys = Array.from({ length: KEYS }, (_, index) => `${index}`.repeat(64));
const apiKeys = Object.fromEntries(keys.map((key) => [key, { state: 'active' as const }]));
const bench = useBench({ apiKeys, latency: { minMs: 0, maxMs: 6, seed: SEED } });
const store = useDeduplicator();

/** Executions of a plan, several at once, and what became of them. */
class Play {
	readonly endings: Ending[] = [];

	/** The last request of the journal when a stopped execution had ended, by execution. */
	private readonly lastRequests = new Map<string, number>();

	async play(plan: PlannedExecution[]): Promise<void> {
		const executions = plan.values();
		const playOnAndOn = async () => {
			for (const execution of executions) await this.execute(execution);
		};
		await Promise.all(Array.from({ length: EXECUTIONS_AT_ONCE }, playOnAndOn));
		const end = performance.now() + LONGEST_HOLD_MS;
		while (limiters().size > 0 && performance.now() < end) await after(60_000);
	}

	/** Requests of stopped executions that came when they had ended. */
	get lateRequests(): string[] {
		return bench.sandbox.journal.all().flatMap(({ headers, sequence }) => {
			const marker = headers[MARKER_HEADER] ?? '';
			const last = this.lastRequests.get(marker.split('.')[0] ?? '') ?? Infinity;
			return sequence > last ? [marker] : [];
		});
	}

	private async execute(execution: PlannedExecution): Promise<void> {
		const { name, rules, items, parameters, settings, cancelAfterMs, key } = execution;
		for (const rule of rules) bench.sandbox.fault(rule);
		const credential = { ...bench.credential, apiKey: keys[key] ?? '' };
		const running = bench.engine.start(workflowOf(items, parameters, settings), {
			key: credential,
		});
		const timer = setTimeout(() => running.cancel(), cancelAfterMs ?? 2 ** 30);
		const ended = await running.finally(() => clearTimeout(timer));
		if (ended.status === 'canceled') {
			// Lets the service count what was on its way.
			await after(10);
			this.lastRequests.set(name, bench.sandbox.journal.all().length);
		}
		this.endings.push(endingOf(execution, readRun(ended)));
		// It holds all that n8n has logged.
		bench.engine.log.length = 0;
	}
}

/** How many there are of each. */
function tally(names: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}

/** What is left in the process when nothing is under way: memory, timers, connections and servers. */
async function remains() {
	await after(1_000);
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	for (let times = 0; times < 3; times++) collectGarbage();
	return {
		heapBytes: process.memoryUsage().heapUsed,
		timers: jest.getTimerCount(),
		open: tally(process.getActiveResourcesInfo().filter((name) => name.endsWith('Wrap'))),
	};
}

/** Plays a plan, and holds what its executions report against what the service has done. */
async function playPlan(seed: number, count: number) {
	const play = new Play();
	const plan = planOf(seed, count);
	await play.play(plan);
	const { journal } = bench.sandbox;
	const entries = journal.all();
	const { endings, lateRequests } = play;
	const faults = new Map(
		plan.flatMap(({ requests }) => requests.map(({ marker, fault }) => [marker, fault?.name])),
	);
	const scripted = entries.filter((entry) => entry.scripted);
	const met = scripted.map(({ headers }) => faults.get(headers[MARKER_HEADER] ?? ''));
	const found = {
		contradictions: contradictions(endings, entries),
		refused: journal.refused().length,
		afterCancel: lateRequests,
		limiters: limiters().size,
		unmet: FAULT_NAMES.filter((name) => !met.includes(name)),
	};
	const results = tally(
		endings.flatMap(({ reports }) => reports.map((one) => (one ? resultOf(one) : 'nothing'))),
	);
	bench.sandbox.reset();
	store.clear();
	return { found, results, requests: entries.length };
}

test(`FAULTS_SEED=${SEED}: ${REQUESTS} requests end as the service has seen them`, async () => {
	const warnings: string[] = [];
	const warn = (warning: Error) => warnings.push(String(warning.stack));
	const realProcess = runInThisContext('process') as NodeJS.Process;
	realProcess.on('warning', warn);
	// Loads and compiles what the first requests of a process load and compile.
	await playPlan(SEED + 1, REQUESTS / 4);
	const before = await remains();
	const startedAt = realNow();
	const { found, results, requests } = await playPlan(SEED, REQUESTS);
	const seconds = Math.round((realNow() - startedAt) / 1_000);
	const left = await remains();
	const heap = [before, left].map(({ heapBytes }) => (heapBytes / 2 ** 20).toFixed(1)).join(' → ');
	report(`${requests} requests in ${seconds} s: ${JSON.stringify(results)}; heap ${heap} MB`);
	realProcess.off('warning', warn);

	const nothing = { contradictions: [], refused: 0, afterCancel: [], limiters: 0, unmet: [] };
	expect(found).toEqual(nothing);
	expect({ ...left, heapBytes: 0 }).toEqual({ ...before, heapBytes: 0 });
	expect(warnings).toEqual([]);
	expect(Object.keys(results)).toEqual(expect.arrayContaining(RESULTS));
	// The others were stopped, not tried, or never reached it.
	expect(requests).toBeGreaterThan(REQUESTS * 0.7);
	expect(results.done).toBeGreaterThan(REQUESTS / 2);
	expect(left.heapBytes - before.heapBytes).toBeLessThan(HEAP_GROWTH_BYTES);
}, 600_000);
