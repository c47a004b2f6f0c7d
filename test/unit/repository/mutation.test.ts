// `npm run test:mutation` leaves a file out without a word when its list does not name it as it is called.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from './projectFiles';

const patterns = readProjectFile('stryker.config.mjs').match(/(?<=')nodes\/[^']+/g) ?? [];
const files = patterns.flatMap((pattern) => {
	const [folder = '', names = '', end = ''] = pattern.split(/[{}]/);
	return names.split(',').map((name) => (folder + name + end).replace(/\/\*\*.*/, ''));
});

test.each(files)('%s, in which code is mutated, is there', (file) => {
	expect(existsSync(join(PROJECT_FOLDER, file))).toBe(true);
});
