/**
 * Runs a plan in a process of its own, so that its heap, timers and warnings can be measured, and sends the
 * report to its parent. Started with the seed and the number of requests.
 */
import { type JournalEntry, MARKER_HEADER } from '../../sandbox/server';
import { useDeduplicator } from '../support/deduplicator';
import { Engine } from '../support/engine';
import { limiters } from '../support/limiters';
import { FaultRun, pause } from './faultRun';
import { actedTwice, contradictions, type Ending } from './judge';
import { planOf } from './plan';
import type { Remains, Report } from './report';
import { Watch } from './watch';

const watch = new Watch();
const originalRandom = Math.random;
// Back-offs of a quarter of their time; the numbers still differ.
Math.random = () => originalRandom() / 4;

/** What is left when nothing is under way. */
async function remains(): Promise<Remains> {
	await pause(50);
	for (let round = 0; round < 3; round++) {
		global.gc?.();
		await pause(20);
	}
	return {
		heapBytes: process.memoryUsage().heapUsed,
		resources: tally(process.getActiveResourcesInfo()),
		timers: watch.timersLeft,
		listeners: watch.listenersLeft,
		limiters: limiters().size,
	};
}

function tally<T extends string>(names: T[]): Record<T, number> {
	const counts = {} as Record<T, number>;
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}

/** Plays a plan against a sandbox of its own and tells what was found. */
async function playPlan(engine: Engine, seed: number, count: number) {
	const run = await FaultRun.start(engine, watch, seed);
	const plan = planOf(seed, count);
	const startedAt = performance.now();
	await run.play(plan);
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	const { journal } = run.sandbox;
	const entries = journal.all();
	const results = tally(
		run.endings.flatMap((ending) => ending.results.filter((result) => result !== undefined)),
	);
	const found = {
		seed,
		executions: plan.length,
		requests: entries.length,
		results,
		faults: faultsMet(run.endings, entries),
		canceled: run.endings.filter(({ status: end }) => end === 'canceled').length,
		seconds,
		contradictions: contradictions(run.endings, entries),
		actedTwice: actedTwice(entries),
		refused: journal.refused().length,
		afterCancel: run.lateRequests(),
		windowsInUse: await run.windowsInUse(),
		leftoverListeners: leftoverListeners(run.endings),
	};
	await run.stop();
	return found;
}

/** How many requests met each fault: the journal tells which request met one, the plan which one it was. */
function faultsMet(endings: Ending[], entries: JournalEntry[]): Record<string, number> {
	const names = new Map<string, string>();
	for (const { execution } of endings) {
		for (const { marker, fault } of execution.requests) {
			if (fault !== undefined && execution.kind !== 'delete') names.set(marker, fault.name);
		}
	}
	return tally(
		entries.flatMap(({ scripted, headers }) => {
			const name = names.get(headers[MARKER_HEADER] ?? '');
			return scripted && name !== undefined ? [name] : [];
		}),
	);
}

/** Where nothing was under way at the end, no listener may be left on the run's own signal. */
function leftoverListeners(endings: Ending[]): string[] {
	return endings.flatMap(({ execution: { name, kind }, status: end }) => {
		const left = watch.leftoverListeners.get(name) ?? 0;
		// Reads run side by side: the first that fails leaves the others behind, to be dropped.
		const mayBeUnderWay = end === 'canceled' || (end === 'error' && kind === 'read');
		return left > 0 && !mayBeUnderWay ? [`${name} (${kind}): ${left}`] : [];
	});
}

async function main(seed: number, count: number): Promise<Report> {
	const engine = await Engine.load();
	const store = await useDeduplicator();
	// Loads and compiles what the first requests of a process load and compile.
	await playPlan(engine, seed + 1, Math.ceil(count / 8));
	store.clear();
	const before = await remains();
	const found = await playPlan(engine, seed, count);
	store.clear();
	const after = await remains();
	return { ...found, before, after, complaints: watch.complaints };
}

const [seed = 1, count = 100] = process.argv.slice(2).map(Number);
main(seed, count).then(
	(report) => process.send?.(report, () => process.disconnect()),
	(error) => {
		console.error(error);
		process.exit(1);
	},
);
