// Changes limits in a copy of the project as docs/architecture.md says: adds a general limit with the page's diff, and
// changes every number in the files of the diff. No other file may have its own copy of a number.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { ProjectCopy } from '../support/projectCopy';
import { readProjectFile } from '../unit/repository/projectFiles';

const TABLE = 'nodes/BusinessData/transport/endpoints.ts';
const LONGEST_RUN_MS = 900_000;

interface JestReport {
	numTotalTests: number;
	testResults: Array<{
		name: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

jest.setTimeout(LONGEST_RUN_MS);
let copy: ProjectCopy;
beforeAll(() => {
	copy = new ProjectCopy();
});
afterAll(() => copy.remove());

/** The page's diff that adds a limit, and the files that it changes. */
const [, diff = ''] =
	/\n### A limit\n[^]*?```diff\n([^]*?)```/.exec(readProjectFile('docs/architecture.md')) ?? [];
const files = [...diff.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file = '']) => file);

/** Raises and lowers the limits in a file by turns. */
function changeNumbers(file: string): void {
	const text = readFileSync(join(copy.folder, file), 'utf8');
	let by = -1;
	const changed = text.replace(/\bmax: ([\d_]+)/g, (_, written: string) => {
		by = -by;
		return `max: ${Number(written.replaceAll('_', '')) + by}`;
	});
	expect(changed).not.toBe(text);
	writeFileSync(join(copy.folder, file), changed);
}

/** Compiles the copy and runs tests in it. Returns the names of those that fail. */
function failuresOf(...tests: string[]): string[] {
	// The other build results are in the copy already.
	const cache = ['--incremental', '--tsBuildInfoFile', 'build.tsbuildinfo'];
	const build = ['-p', 'tsconfig.build.json', ...cache];
	expect(copy.run('typescript/bin/tsc', build, LONGEST_RUN_MS)).toBe(true);
	const output = join(copy.folder, 'report.json');
	copy.run('jest/bin/jest.js', [...tests, '--json', `--outputFile=${output}`], LONGEST_RUN_MS);
	const { numTotalTests, testResults } = JSON.parse(readFileSync(output, 'utf8')) as JestReport;
	expect(numTotalTests).toBeGreaterThan(tests.length);
	return testResults.flatMap(({ name, assertionResults }) =>
		assertionResults
			.filter(({ status }) => status === 'failed')
			.map(({ fullName }) => `${relative(copy.folder, name).split('\\').join('/')}: ${fullName}`),
	);
}

test('the page names two files for a new limit, besides the changelog', () => {
	expect(files).toEqual([TABLE, 'sandbox/limits.ts']);
});

test('a test fails if a limit is changed in the node only', () => {
	changeNumbers(TABLE);
	expect(failuresOf('test/unit/repository/limits.test.ts')).toEqual([
		expect.stringContaining('the sandbox enforces the same limits as the endpoint table'),
	]);
});

test('no test fails if a limit is added and all others are changed as the page says', () => {
	for (const file of files) writeFileSync(join(copy.folder, file), readProjectFile(file));
	copy.apply(diff);
	for (const file of files) changeNumbers(file);
	// Skips slow tests without documented limits: the limiter, Send Once, the trigger, connections, bodies, random cases
	// and tools.
	const others =
		'node_modules unit/rateLimit [sS]endOnce sentDocument [tT]rigger property simulation secrets conventions connections responses Bodies redact scripts';
	const tools = 'repository/(?!limits|texts|words)';
	const ignored = ['--testPathIgnorePatterns', ...others.split(' '), tools];
	expect(failuresOf('test/unit', 'test/engine', ...ignored)).toEqual([]);
});
