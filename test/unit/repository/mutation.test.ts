// `npm run test:mutation` silently skips a file that its list misspells, and a planted mistake whose test is gone would
// seem to be found.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { MISTAKES, MISTAKES_FOUND_BY_TESTS } from '../../simulation/mistakes';
import { apply } from '../../simulation/process/modules';
import { PROJECT_FOLDER, readProjectFile } from './projectFiles';

const patterns = readProjectFile('stryker.config.mjs').match(/(?<=')nodes\/[^']+/g) ?? [];
const files = patterns.flatMap((pattern) => {
	const [folder = '', names = '', end = ''] = pattern.split(/[{}]/);
	return names.split(',').map((name) => (folder + name + end).replace(/\/\*\*.*/, ''));
});

test.each(files)('%s, which Stryker mutates, exists', (file) => {
	expect(existsSync(join(PROJECT_FOLDER, file))).toBe(true);
});

test.each(
	[...MISTAKES, ...MISTAKES_FOUND_BY_TESTS].map((mistake) => [mistake.name, mistake] as const),
)('the planted mistake "%s" applies, and its test exists', (_, mistake) => {
	for (const patch of mistake.patches) {
		expect(() => apply(readProjectFile(`dist/${patch.file}`), patch)).not.toThrow();
	}
	if ('test' in mistake) expect(existsSync(join(PROJECT_FOLDER, mistake.test))).toBe(true);
});
