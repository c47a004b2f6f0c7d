/**
 * `npm run test:simulation:mistakes`: looks for the first seed that finds each planted mistake, within 1,000.
 * `npm run test:simulation` only tries whether each is still found by its seed.
 */
import { MISTAKES, type Mistake } from '../mistakes';
import type { Job } from './worker';
import { playAll } from './workers';

const MOST_SEEDS = 1_000;

interface MistakeJob extends Job {
	mistake: Mistake;
}

/** A sentence on each mistake that its own seed does not find. */
export async function mistakesNotFound(): Promise<string[]> {
	const sentences: string[] = [];
	const jobs = MISTAKES.map((mistake) => ({ mistake, ...mistake })).values();
	await playAll<MistakeJob>(
		() => jobs.next().value,
		({ mistake: { name, seed, shows } }, { violations }) => {
			if (violations.some(({ kind }) => kind === shows)) return;
			const others = violations.map(({ kind, text }) => `${kind}: ${text}`).join('; ');
			sentences.push(
				`Seed ${seed} does not find the planted mistake "${name}" (${shows}), but ${others || 'nothing'}`,
			);
		},
	);
	return sentences;
}

/** Returns the first seed that finds each mistake in the way in which it shows. */
export async function firstSeeds(): Promise<Map<Mistake, number>> {
	const found = new Map<Mistake, number>();
	const kinds = new Map<Mistake, Set<string>>();
	const jobs = jobsUntilFound(found);
	await playAll<MistakeJob>(
		() => jobs.next().value as MistakeJob | undefined,
		({ mistake, seed }, { violations }) => {
			const others = kinds.get(mistake) ?? new Set();
			for (const { kind } of violations) others.add(`${kind} (${seed})`);
			kinds.set(mistake, others);
			if (!violations.some(({ kind }) => kind === mistake.shows)) return;
			if (!found.has(mistake)) console.log(`${mistake.name}: seed ${seed}`);
			found.set(mistake, Math.min(seed, found.get(mistake) ?? Infinity));
		},
	);
	for (const mistake of MISTAKES) {
		if (found.has(mistake)) continue;
		console.log(
			`${mistake.name}: not found, but ${[...(kinds.get(mistake) ?? [])].slice(0, 9).join(', ')}`,
		);
	}
	return found;
}

function* jobsUntilFound(found: Map<Mistake, number>): Generator<MistakeJob> {
	for (let seed = 1; seed <= MOST_SEEDS; seed++) {
		for (const mistake of MISTAKES) {
			if (!found.has(mistake)) yield { mistake, patches: mistake.patches, seed };
		}
	}
}

async function main(): Promise<void> {
	const found = await firstSeeds();
	const failed = MISTAKES.length - found.size;
	console.log(`Tests: ${found.size} passed, ${failed} failed, ${MISTAKES.length} total`);
	if (failed > 0) process.exitCode = 1;
}

if (require.main === module) void main();
