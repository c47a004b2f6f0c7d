/**
 * `npm run test:simulation:mistakes` checks that each planted mistake is found by its seed or its test. If a seed does
 * not find its mistake, it searches for the first seed that does: any change of timing, in the node or in plans, may
 * change which one that is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ProjectCopy } from '../../support/projectCopy';
import { MISTAKES, type Mistake, MISTAKES_FOUND_BY_TESTS } from '../mistakes';
import { apply, type Patch } from '../process/modules';
import type { Job } from './worker';
import { playAll } from './workers';

/** How many seeds are tried if a mistake's own seed does not find it. */
const MOST_SEEDS = 1_000;
/**
 * Many times what the tests of one file take, even on a busy machine. A mistake may cause an endless loop.
 */
const LONGEST_RUN_MS = 300_000;

interface MistakeJob extends Job {
	mistake: Mistake;
}

/** A sentence on each mistake that neither its own seed nor any of the first seeds finds. */
async function missedBySeeds(): Promise<string[]> {
	const unseen = new Map(MISTAKES.map((mistake) => [mistake, 'nothing']));
	function* jobsUntilSeen(): Generator<MistakeJob> {
		for (const mistake of MISTAKES) yield { mistake, ...mistake };
		for (let seed = 1; seed <= MOST_SEEDS; seed++) {
			for (const mistake of [...unseen.keys()]) yield { mistake, patches: mistake.patches, seed };
		}
	}
	await playAll(jobsUntilSeen(), ({ mistake, seed }, { violations }) => {
		if (violations.some(({ kind }) => kind === mistake.shows)) {
			const isAnother = unseen.delete(mistake) && seed !== mistake.seed;
			if (isAnother) console.log(`Seed ${seed} finds "${mistake.name}"`);
		} else if (violations.length > 0 && unseen.has(mistake)) {
			unseen.set(mistake, violations.map(({ kind, text }) => `${kind}: ${text}`).join('; '));
		}
	});
	return [...unseen].map(
		([{ name, shows }, others]) =>
			`No seed finds the planted mistake "${name}" (${shows}), the last one found ${others}`,
	);
}

/** A sentence on each mistake that its test does not find, or on tests that fail without a mistake. */
function missedByTests(): string[] {
	const copy = new ProjectCopy();
	try {
		const files = [...new Set(MISTAKES_FOUND_BY_TESTS.map(({ test }) => test))];
		if (!passes(copy, files, [])) return [`Without a mistake, not all pass: ${files.join(', ')}`];
		return MISTAKES_FOUND_BY_TESTS.filter(({ test, patches }) => passes(copy, [test], patches)).map(
			({ name, test }) => `${test} does not find the planted mistake "${name}"`,
		);
	} finally {
		copy.remove();
	}
}

/** Whether the test files pass with the patches applied. */
function passes(copy: ProjectCopy, tests: string[], patches: Patch[]): boolean {
	const files = new Map<string, string>();
	for (const patch of patches) {
		const file = join(copy.folder, 'dist', patch.file);
		const text = readFileSync(file, 'utf8');
		if (!files.has(file)) files.set(file, text);
		writeFileSync(file, apply(text, patch));
	}
	const hasPassed = copy.run('jest/bin/jest.js', tests, tests.length * LONGEST_RUN_MS);
	for (const [file, text] of files) writeFileSync(file, text);
	return hasPassed;
}

async function main(): Promise<void> {
	const missed = [...(await missedBySeeds()), ...missedByTests()];
	for (const sentence of missed) console.log(sentence);
	const total = MISTAKES.length + MISTAKES_FOUND_BY_TESTS.length;
	console.log(`Tests: ${total - missed.length} passed, ${missed.length} failed, ${total} total`);
	if (missed.length > 0) process.exitCode = 1;
}

void main();
