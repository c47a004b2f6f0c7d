// The unit tests in one file, for `npm run test:mutation`: Jest loads the code anew for each file, and Stryker for
// each of hundreds of mutants.

import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What explores all orders or many random cases takes too long for each mutant. */
const TOO_LONG = /gates|property/;

const unit = join(__dirname, '..', 'unit');
for (const folder of ['rateLimit', 'redis', 'transport']) {
	for (const file of readdirSync(join(unit, folder))) {
		if (!file.endsWith('.test.ts') || TOO_LONG.test(file)) continue;
		describe([folder, file].join(sep), () => void jest.requireActual(join(unit, folder, file)));
	}
}
