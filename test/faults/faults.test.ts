// 2,500 random requests through the built node in n8n's engine, over many executions at once, some of which
// are stopped, against a service that goes wrong in every way there is.
//
// FAULTS_SEED repeats a run; FAULTS_REQUESTS makes it longer or shorter.

import { createHash } from 'node:crypto';
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
import { TcpProxy } from '../support/tcpProxy';
import { actedTwice, contradictions, type Ending, endingOf } from './judge';
import { ListenerWatch } from './listeners';
import { KEYS, type PlannedExecution, planOf } from './plan';

const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 1e6));
const REQUESTS = Number(process.env.FAULTS_REQUESTS ?? 2_500);
const EXECUTIONS_AT_ONCE = 10;
/** What a process may hold more after the run than before: some kilobytes per request would show. */
const HEAP_GROWTH_BYTES = 8 * 1024 * 1024;
const RESULTS = ['done', 'skipped', 'notSent', 'refused', 'unknown', 'notTried', 'canceled'];
/** How long (ms) slots and what was learned from refusals may last when nothing goes out any more. */
const LONGEST_HOLD_MS = 3 * 3_600_000;

const keys = Array.from({ length: KEYS }, (_, index) => `${index}`.repeat(64));
const apiKeys = Object.fromEntries(keys.map((key) => [key, { state: 'active' as const }]));
const bench = useBench({ apiKeys, latency: { minMs: 0, maxMs: 6, seed: SEED } });
const store = useDeduplicator();

/** Executions of a plan, several at once, and what became of them. */
class Play {
	readonly endings: Ending[] = [];

	private readonly doors: TcpProxy[] = [];

	/** The last request of the journal when a stopped execution had ended, by execution. */
	private readonly lastRequests = new Map<string, number>();

	constructor(private readonly listeners: ListenerWatch) {}

	async play(plan: PlannedExecution[]): Promise<void> {
		const executions = plan.values();
		const playOnAndOn = async () => {
			for (const execution of executions) await this.execute(execution);
		};
		await Promise.all(Array.from({ length: EXECUTIONS_AT_ONCE }, playOnAndOn));
		const end = performance.now() + LONGEST_HOLD_MS;
		while (limiters().size > 0 && performance.now() < end) await after(60_000);
		for (const door of this.doors) await door.close();
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
		const { name, rules, items, parameters, settings, cancelAfterMs } = execution;
		for (const rule of rules) bench.sandbox.fault(rule);
		const credential = await this.credentialOf(execution);
		const workflow = workflowOf(items, parameters, settings);
		const ended = await this.listeners.during(name, async () => {
			const running = bench.engine.start(workflow, { key: credential });
			const timer = setTimeout(() => running.cancel(), cancelAfterMs ?? 2 ** 30);
			return await running.finally(() => clearTimeout(timer));
		});
		if (ended.status === 'canceled') {
			// Lets the service count what was on its way.
			await after(10);
			this.lastRequests.set(name, bench.sandbox.journal.all().length);
		}
		this.endings.push(endingOf(execution, readRun(ended)));
		// It holds all that n8n has logged.
		bench.engine.log.length = 0;
	}

	/** Lets the execution reach the service at its address, if it has one of its own. */
	private async credentialOf({ name, key, reachableAfterMs = 0 }: PlannedExecution) {
		if (key !== 'own') return { ...bench.credential, apiKey: keys[key] ?? '' };
		const door = await TcpProxy.to(Number(new URL(bench.sandbox.baseUrl).port));
		await door.refuse();
		this.doors.push(door);
		if (reachableAfterMs < Infinity) setTimeout(() => door.accept(), reachableAfterMs);
		// The limits count per key: at another address it would be another key to the node.
		const apiKey = createHash('sha256').update(name).digest('hex');
		bench.sandbox.setKeyState(apiKey, 'active');
		return { ...bench.credential, baseUrl: `http://127.0.0.1:${door.port}`, apiKey };
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
	const listeners = new ListenerWatch();
	const play = new Play(listeners);
	const plan = planOf(seed, count);
	await play.play(plan).finally(listeners.stop);
	const { journal } = bench.sandbox;
	const entries = journal.all();
	const { endings, lateRequests } = play;
	const faults = new Map(
		plan.flatMap(({ requests }) => requests.map(({ marker, fault }) => [marker, fault?.name])),
	);
	const scripted = entries.filter((entry) => entry.scripted);
	const met = scripted.map(({ headers }) => faults.get(headers[MARKER_HEADER] ?? ''));
	// Reads run side by side: the first that fails, also of an attempt, leaves the others behind, to be dropped.
	const mayBeUnderWay = endings.filter(
		({ status, execution: { kind, settings } }) =>
			status === 'canceled' ||
			(kind === 'read' && (status === 'error' || settings.retryOnFail === true)),
	);
	for (const { execution } of mayBeUnderWay) listeners.left.delete(execution.name);
	const found = {
		contradictions: contradictions(endings, entries),
		actedTwice: actedTwice(entries),
		refused: journal.refused().length,
		afterCancel: lateRequests,
		listeners: [...listeners.left],
		listenersAtTheEnd: listeners.size,
		limiters: limiters().size,
		unmet: FAULT_NAMES.filter((name) => !met.includes(name)),
	};
	const results = tally(endings.flatMap((ending) => ending.results.map(String)));
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

	const nothing = { contradictions: [], actedTwice: [], refused: 0, afterCancel: [] };
	const none = { listeners: [], listenersAtTheEnd: 0, limiters: 0, unmet: [] };
	expect(found).toEqual({ ...nothing, ...none });
	expect({ ...left, heapBytes: 0 }).toEqual({ ...before, heapBytes: 0 });
	expect(warnings).toEqual([]);
	expect(Object.keys(results)).toEqual(expect.arrayContaining(RESULTS));
	// The others were stopped, not tried, or never reached it.
	expect(requests).toBeGreaterThan(REQUESTS * 0.7);
	expect(results.done).toBeGreaterThan(REQUESTS / 2);
	expect(left.heapBytes - before.heapBytes).toBeLessThan(HEAP_GROWTH_BYTES);
}, 600_000);
