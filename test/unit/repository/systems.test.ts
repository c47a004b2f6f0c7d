// What is the same on Linux, Windows and macOS, as far as files can say it.

import { manifest, readProjectFile } from './projectFiles';

test('all files have the same line ends on every system', () => {
	const lines = readProjectFile('.gitattributes').split('\n');
	expect(lines).toContain('* text=auto eol=lf');
	expect(lines).toContain('*.png binary');
});

test('npm scripts need no shell of one system', () => {
	for (const [name, script] of Object.entries(manifest.scripts)) {
		const outsideOfQuotes = script.replace(/"(?:\\.|[^"\\])*"/g, '');
		// Windows knows neither apostrophes around arguments nor variables in front of a command.
		expect([name, outsideOfQuotes]).toEqual([name, expect.not.stringMatching(/['$`;*\\]|^\w+=/)]);
		const commands = outsideOfQuotes.split('&&').map((command) => command.trim().split(' ')[0]);
		for (const command of commands) {
			expect([name, command]).toEqual([
				name,
				expect.stringMatching(/^(node|npm|jest|eslint|prettier|tsc|gulp|stryker)$/),
			]);
		}
	}
});
