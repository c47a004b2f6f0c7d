/**
 * `npm run test:simulation:seeds` plays 200 fixed seeds.
 *
 * SIMULATION_SEEDS=100000  plays that many new seeds instead
 * SIMULATION_SEED=42       plays one seed, prints its history, and shortens its plan if it fails
 */
import { randomInt } from 'node:crypto';

import type { Outcome } from '../play';
import { replay } from './replay';
import type { Job } from './worker';
import { playAll } from './workers';

const FIXED_SEEDS = 200;
/** New seeds begin at a random number between the fixed seeds and this. */
const LAST_SEED = 2 ** 47;
/** The first seeds are played twice, to check that plays are reproducible. */
const SEEDS_REPLAYED = 10;
/** The number of failing seeds whose history is printed. */
const MOST_REPORTED = 3;
const LINES_REPORTED = 40;

async function main(): Promise<boolean> {
	const { SIMULATION_SEED, SIMULATION_SEEDS } = process.env;
	if (SIMULATION_SEED !== undefined) return await replay(Number(SIMULATION_SEED));
	const isWhole = SIMULATION_SEEDS === undefined;
	const first = isWhole ? 1 : randomInt(FIXED_SEEDS + 1, LAST_SEED);
	const count = isWhole ? FIXED_SEEDS : Number(SIMULATION_SEEDS);
	const seeds = Array.from({ length: count }, (_, index) => first + index);
	const { failedSeeds, firstOutcomes } = await playSeeds(seeds);
	const problems = await replayed(firstOutcomes);
	for (const text of problems) console.log(text);
	const total = 1 + firstOutcomes.size;
	const failed = Math.min(1, failedSeeds) + problems.length;
	console.log(`Tests: ${total - failed} passed, ${failed} failed, ${total} total`);
	return failed === 0;
}

const jobsOf = (seeds: number[]) => seeds.map((seed): Job => ({ seed, patches: [] })).values();

/** Returns how many fail, and the outcomes of the first ones. */
async function playSeeds(seeds: number[]) {
	const firstOutcomes = new Map<number, string>();
	const startedAt = performance.now();
	let simulatedMs = 0;
	let requests = 0;
	let failedSeeds = 0;
	await playAll(jobsOf(seeds), ({ seed }, outcome) => {
		simulatedMs += outcome.simulatedMs;
		requests += outcome.requests;
		if (seed <= SEEDS_REPLAYED) firstOutcomes.set(seed, JSON.stringify(outcome));
		if (outcome.violations.length > 0) reportFailure(seed, outcome, failedSeeds++ < MOST_REPORTED);
	});
	const seconds = (performance.now() - startedAt) / 1000;
	console.log(`Seeds ${seeds[0]} to ${seeds.at(-1)}: ${failedSeeds} of ${seeds.length} failed`);
	const hours = simulatedMs / 3_600_000;
	console.log(
		`${Math.round(hours)} hours and ${requests} requests in ${seconds.toFixed(0)} s: ${Math.round(hours / seconds)} hours per second`,
	);
	return { failedSeeds, firstOutcomes };
}

/** A sentence on each seed that plays differently in another process or after other seeds. */
async function replayed(outcomes: Map<number, string>): Promise<string[]> {
	const sentences: string[] = [];
	await playAll(jobsOf([...outcomes.keys()]), ({ seed }, outcome) => {
		const isSame = outcomes.get(seed) === JSON.stringify(outcome);
		if (!isSame) sentences.push(`Seed ${seed} does not play the same again`);
	});
	return sentences;
}

function reportFailure(seed: number, { violations, history }: Outcome, withHistory: boolean): void {
	console.log(
		`Seed ${seed} failed. To play it again: SIMULATION_SEED=${seed} npm run test:simulation:seeds`,
	);
	if (withHistory) for (const line of history.slice(-LINES_REPORTED)) console.log(`    ${line}`);
	for (const { kind, text } of violations) console.log(`  ${kind}: ${text}`);
}

void main().then((isGood) => {
	process.exitCode = isGood ? 0 : 1;
});
