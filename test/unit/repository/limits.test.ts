// The limits stand in the endpoint table. What repeats them, because it must not follow it or cannot, is the same.

import { ENDPOINTS, formatEndpoint } from '../../../nodes/BusinessData/transport/endpoints';
import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
import { formatLimit } from '../../../nodes/BusinessData/transport/waitTime';
import { DOCUMENTED_LIMITS as LIMITS_OF_THE_SANDBOX } from '../../../sandbox/limits';
import { readProjectFile } from './projectFiles';

test('the sandbox, which judges by a table of its own, has the same', () => {
	expect(LIMITS_OF_THE_SANDBOX).toEqual(DOCUMENTED_LIMITS);
});

describe('the README', () => {
	const rows = readProjectFile('README.md')
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) => line.split('|').map((cell) => cell.trim()));
	/** What stands beside the cell that begins so. */
	const beside = (start: string) => rows.find(([, cell]) => cell?.startsWith(start))?.[2];
	const inWords = ({ max, windowSeconds }: { max: number; windowSeconds: number }) =>
		formatLimit(max, windowSeconds * 1000);

	test('has the limits for all requests', () => {
		const limits = DOCUMENTED_LIMITS.general.map(inWords);
		expect(beside('All')).toBe(`${limits.slice(0, -1).join(', ')} and ${limits.at(-1)}`);
	});

	test.each(Object.entries(DOCUMENTED_LIMITS.endpoints))('has the limit of %s', (name, limit) => {
		expect(beside(`\`${name}\``)).toBe(`${inWords(limit)} in addition`);
	});

	test('names no limit of an endpoint that has none', () => {
		const limited = Object.keys(DOCUMENTED_LIMITS.endpoints);
		const free = Object.values(ENDPOINTS)
			.map(formatEndpoint)
			.filter((name) => !limited.includes(name));
		for (const name of free) expect(beside(`\`${name}\``) ?? '').not.toMatch(/per/);
	});
});
