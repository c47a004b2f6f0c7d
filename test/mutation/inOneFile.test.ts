// The unit tests in one file, for `npm run test:mutation`: Jest loads the code anew for each file, and Stryker for
// each of hundreds of mutants.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What explores all orders or many random cases takes too long for each mutant. */
const TOO_LONG = /gates|property/;
/** By its path. Fewer files make a part quick, such as `MUTATION_TESTS=rateLimit/keyLimiter`. */
const WANTED = new RegExp(process.env.MUTATION_TESTS ?? '');

const unit = join(__dirname, '..', 'unit');
for (const folder of ['rateLimit', 'redis', 'transport']) {
	for (const file of readdirSync(join(unit, folder))) {
		if (!file.endsWith('.test.ts') || TOO_LONG.test(file) || !WANTED.test(`${folder}/${file}`))
			continue;
		describe(`${folder}/${file}`, () => void jest.requireActual(join(unit, folder, file)));
	}
}
