// A limit is changed as docs/architecture.md says, in a copy of the project: a general one more by the page's diff,
// and every number in the files that the diff names. Nothing else may have a number of its own.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../unit/repository/projectFiles';

const TABLE = 'nodes/BusinessData/transport/endpoints.ts';
/** Made by tools, or of no use to the tests. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'coverage', 'screenshots'];
const LONGEST_RUN_MS = 900_000;

interface JestReport {
	numTotalTests: number;
	testResults: Array<{
		name: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

let copy: string;
beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'changed-limit-'));
	cpSync(PROJECT_FOLDER, copy, {
		recursive: true,
		filter: (path) => !LEFT_OUT.includes(basename(path)),
	});
	symlinkSync(join(PROJECT_FOLDER, 'node_modules'), join(copy, 'node_modules'), 'junction');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The page's diff for a limit, and the files that it changes. */
const [, diff = ''] =
	/\n### A limit\n[^]*?```diff\n([^]*?)```/.exec(readProjectFile('docs/architecture.md')) ?? [];
const files = [...diff.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file = '']) => file);

/** An odd number becomes larger by one, an even one smaller: some limits are raised, others lowered. */
function changeNumbers(file: string): void {
	const text = readFileSync(join(copy, file), 'utf8');
	const changed = text.replace(/\bmax: ([\d_]+)/g, (_, written: string) => {
		const max = Number(written.replaceAll('_', ''));
		return `max: ${max % 2 === 1 ? max + 1 : max - 1}`;
	});
	expect(changed).not.toBe(text);
	writeFileSync(join(copy, file), changed);
}

/** Builds the copy and runs tests in it. Returns the names of those that fail. */
function failuresOf(...tests: string[]): string[] {
	const options = { cwd: copy, stdio: 'pipe', maxBuffer: Infinity } as const;
	execFileSync('npm', ['run', 'build'], { ...options, shell: process.platform === 'win32' });
	const output = join(copy, 'report.json');
	const jest = join('node_modules', 'jest', 'bin', 'jest.js');
	const args = [jest, ...tests, '--json', `--outputFile=${output}`];
	spawnSync(process.execPath, args, options);
	const { numTotalTests, testResults } = JSON.parse(readFileSync(output, 'utf8')) as JestReport;
	expect(numTotalTests).toBeGreaterThan(tests.length);
	return testResults.flatMap(({ name, assertionResults }) =>
		assertionResults
			.filter(({ status }) => status === 'failed')
			.map(({ fullName }) => `${relative(copy, name).split('\\').join('/')}: ${fullName}`),
	);
}

test('the page names two files, so that with the changelog a limit asks for three', () => {
	expect(files).toEqual([TABLE, 'sandbox/limits.ts']);
});

test('a limit that the node alone has changed is noticed', () => {
	changeNumbers(TABLE);
	expect(failuresOf('test/unit/repository/limits.test.ts')).toEqual([
		expect.stringContaining('the sandbox, which judges by a table of its own, has the same'),
	]);
	writeFileSync(join(copy, TABLE), readProjectFile(TABLE));
}, 120_000);

test(
	'no test fails when a limit is added and all are changed as the page says',
	() => {
		// In a repository, git would take the paths as below the repository's folder.
		const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) };
		execFileSync('git', ['-c', 'core.autocrlf=false', 'apply'], { cwd: copy, input: diff, env });
		files.forEach(changeNumbers);
		// What takes long, and is about no limit of the service: Send Once, the trigger, random cases, and tools.
		const others =
			'node_modules [sS]endOnce [tT]rigger property rateLimit/gates simulation secrets conventions';
		const tools = 'repository/(?!limits|texts|words)';
		const ignored = ['--testPathIgnorePatterns', ...others.split(' '), tools];
		expect(failuresOf('test/unit', 'test/engine', ...ignored)).toEqual([]);
	},
	LONGEST_RUN_MS,
);
