// All tests in one file, for `npm run test:mutation`: Jest would reload the code for each test file, for each of
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
/** Engine tests that do not test the mutated code. */
const OTHERS = /^engine\/(?!sendOnce|sentDocument|trigger|workerDied)/;
/** Tests of all orders or of many random cases, which take too long for each mutant. */
const TOO_LONG = /rateLimit\/orders|(rateLimit|redis|transport|engine).*property/;
/** Tests that mock modules, which would affect all other files. They run only if they are named. */
const APART = /orders|rerunGuard|sentDocument|sentKeys/;
process.env.TRIGGER_RUNS ??= '60';
// There is no need to shrink the case that finds a mutant.
configureGlobal({ endOnFailure: true });
/** A pattern for the paths of the files to run, such as `MUTATION_TESTS=rateLimit/keyLimiter`, which is faster. */
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
