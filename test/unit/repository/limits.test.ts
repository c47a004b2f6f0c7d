// A limit stands in the endpoint table and, by hand, in the sandbox that judges by it, and nowhere else.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
import { DOCUMENTED_LIMITS as LIMITS_OF_THE_SANDBOX } from '../../../sandbox/limits';
import { PAGES, PROJECT_FOLDER, readProjectFile } from './projectFiles';

test('the sandbox, which judges by a table of its own, has the same', () => {
	const { general, endpoints } = DOCUMENTED_LIMITS;
	expect(LIMITS_OF_THE_SANDBOX.endpoints).toEqual(endpoints);
	expect(new Set(LIMITS_OF_THE_SANDBOX.general)).toEqual(new Set(general));
});

/** What was measured or changed at some time, under the limits of that time. */
const OF_THEIR_TIME = ['CHANGELOG.md', 'docs/benchmark.md'];
const examples = readdirSync(join(PROJECT_FOLDER, 'examples')).map((file) => `examples/${file}`);

test.each([...new Set([...PAGES, ...examples])].filter((file) => !OF_THEIR_TIME.includes(file)))(
	'%s repeats none',
	(file) => {
		const number = /\b(\d+|one|two|three|four|five|six|ten)\b/.source;
		const limit = new RegExp(`${number} (requests )?(per|in|every) ${number} ?(s|min|h)`, 'gi');
		expect(readProjectFile(file).match(limit) ?? []).toEqual([]);
	},
);
