// Each limit is in the endpoint table and, written independently, in the sandbox that enforces it, and nowhere else.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
import { DOCUMENTED_LIMITS as LIMITS_OF_THE_SANDBOX } from '../../../sandbox/limits';
import { PAGES, PROJECT_FOLDER, readProjectFile } from './projectFiles';

test('the sandbox enforces the same limits as the endpoint table', () => {
	const { general, endpoints } = DOCUMENTED_LIMITS;
	expect(LIMITS_OF_THE_SANDBOX.endpoints).toEqual(endpoints);
	expect(new Set(LIMITS_OF_THE_SANDBOX.general)).toEqual(new Set(general));
});

/** Records of the past, which name the limits of their time. */
const OF_THEIR_TIME = ['CHANGELOG.md', 'docs/benchmark.md'];
const examples = readdirSync(join(PROJECT_FOLDER, 'examples')).map((file) => `examples/${file}`);

test.each([...new Set([...PAGES, ...examples])].filter((file) => !OF_THEIR_TIME.includes(file)))(
	'%s does not repeat the figures of a limit',
	(file) => {
		const number = /\b(\d+|one|two|three|four|five|six|ten)\b/.source;
		const limit = new RegExp(`${number} (requests )?(per|in|every) ${number} ?(s|min|h)`, 'gi');
		expect(readProjectFile(file).match(limit) ?? []).toEqual([]);
	},
);
