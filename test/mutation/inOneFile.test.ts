// The tests in one file, for `npm run test:mutation`: Jest loads the code anew for each file, and Stryker for each of
// thousands of mutants.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { configureGlobal } from 'fast-check';

const FOLDERS = [
	'unit/description',
	'unit/rateLimit',
	'unit/redis',
	'unit/sendOnce',
	'unit/transport',
	'unit/trigger',
	'engine',
];
/** Of the engine, what is about the mutated code alone. */
const OTHERS = /^engine\/(?!sendOnce|sentDocument|trigger|workerDied)/;
/** What explores all orders or many random cases takes too long for each mutant; of some, a few cases do. */
const TOO_LONG = /gates|(rateLimit|redis|transport|engine).*property/;
/** What puts modules of its own in the place of others, for all files, runs when it is named. */
const APART = /orders|rerunGuard|sentDocument|sentKeys/;
process.env.TRIGGER_RUNS ??= '60';
// Which case is the smallest that finds a mutant is of no interest.
configureGlobal({ endOnFailure: true });
/** By its path. Fewer files make a part quick, such as `MUTATION_TESTS=rateLimit/keyLimiter`. */
const { MUTATION_TESTS = '' } = process.env;
const WANTED = new RegExp(MUTATION_TESTS);

const tests = join(__dirname, '..');
const files = FOLDERS.flatMap((folder) =>
	readdirSync(join(tests, folder)).map((name) => `${folder}/${name}`),
);
for (const file of files) {
	if (!file.endsWith('.test.ts') || TOO_LONG.test(file) || OTHERS.test(file)) continue;
	if (APART.test(file) && !APART.test(MUTATION_TESTS)) continue;
	if (WANTED.test(file)) describe(file, () => void jest.requireActual(join(tests, file)));
}
