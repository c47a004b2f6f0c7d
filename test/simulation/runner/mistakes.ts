/**
 * `npm run test:simulation:mistakes`: looks for the first seed that finds each planted mistake, within 1,000, and
 * tries whether the others are found by their tests. `npm run test:simulation` tries whether each is still found by
 * its seed, or by one of the first.
 */
import { MISTAKES, type Mistake, MISTAKES_FOUND_BY_TESTS } from '../mistakes';
import { ProjectCopy } from './projectCopy';
import type { Job } from './worker';
import { playAll } from './workers';

const MOST_SEEDS = 1_000;
/** Of the first seeds so many are tried where a mistake's own does not find it any more. */
const MOST_SEEDS_BY_THE_WAY = 100;

interface MistakeJob extends Job {
	mistake: Mistake;
}

/**
 * A sentence on each mistake that neither its own seed finds nor one of the first. Whatever changes when something
 * happens, in the node or in plans, changes which seeds do.
 */
export async function mistakesNotFound(): Promise<string[]> {
	const seen = new Map(MISTAKES.map((mistake) => [mistake, 'nothing']));
	const jobs = jobsUntilSeen(seen);
	await playAll<MistakeJob>(
		() => jobs.next().value as MistakeJob | undefined,
		({ mistake, seed }, { violations }) => {
			if (violations.some(({ kind }) => kind === mistake.shows)) {
				seen.delete(mistake);
				if (seed !== mistake.seed) console.log(`Now seed ${seed} finds "${mistake.name}"`);
			} else if (violations.length > 0 && seen.has(mistake)) {
				seen.set(mistake, violations.map(({ kind, text }) => `${kind}: ${text}`).join('; '));
			}
		},
	);
	const unseen = [...seen].map(
		([{ name, shows }, others]) =>
			`No seed finds the planted mistake "${name}" (${shows}), the last one found ${others}`,
	);
	return [...unseen, ...missedByTests()];
}

/** A sentence on each mistake that its test does not find, and on tests that fail without one. */
function missedByTests(): string[] {
	const copy = new ProjectCopy();
	try {
		const files = [...new Set(MISTAKES_FOUND_BY_TESTS.map(({ test }) => test))];
		const isFailing = !copy.passes(files, []);
		const missed = MISTAKES_FOUND_BY_TESTS.filter(({ test, patches }) =>
			copy.passes([test], patches),
		);
		return [
			...(isFailing ? [`A test fails without a mistake: ${files.join(', ')}`] : []),
			...missed.map(({ name, test }) => `${test} does not find the planted mistake "${name}"`),
		];
	} finally {
		copy.remove();
	}
}

/** First with their own seeds, then with others. */
function* jobsUntilSeen(seen: Map<Mistake, string>): Generator<MistakeJob> {
	for (const mistake of MISTAKES) yield { mistake, ...mistake };
	for (let seed = 1; seed <= MOST_SEEDS_BY_THE_WAY; seed++) {
		for (const mistake of [...seen.keys()]) yield { mistake, patches: mistake.patches, seed };
	}
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
	const missed = missedByTests();
	for (const sentence of missed) console.log(sentence);
	const total = MISTAKES.length + MISTAKES_FOUND_BY_TESTS.length;
	const failed = MISTAKES.length - found.size + missed.length;
	console.log(`Tests: ${total - failed} passed, ${failed} failed, ${total} total`);
	if (failed > 0) process.exitCode = 1;
}

if (require.main === module) void main();
