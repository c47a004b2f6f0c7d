// What a changed limit asks for, besides the endpoint table: docs/architecture.md lists it, and this test
// changes limits in a copy of the project and compares the list with what fails there.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

import { codeIn, PROJECT_FOLDER, readProjectFile, rowsOf } from '../unit/repository/projectFiles';

const TABLE = 'nodes/BusinessData/transport/endpoints.ts';
/** Made by tools, or of no use to the unit tests. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'coverage', 'screenshots'];
const LONGEST_RUN_MS = 600_000;

interface JestReport {
	numTotalTests: number;
	testResults: Array<{ name: string; status: 'passed' | 'failed' }>;
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

/** Lowers the first general limit, and raises that of the first endpoint that has one. */
function changeLimits(): void {
	let changed = readProjectFile(TABLE);
	for (const [beginning, by] of [
		['GENERAL_LIMITS', -1],
		["path: '/txndata/sendTxn'", +1],
	] as const) {
		const at = changed.indexOf(beginning);
		const rest = changed.slice(at).replace(/max: (\d+)/, (_, max) => `max: ${Number(max) + by}`);
		changed = changed.slice(0, at) + rest;
	}
	writeFileSync(join(copy, TABLE), changed);
}

test(
	'the page lists what does not follow by itself',
	() => {
		changeLimits();
		const run = (...args: string[]) => ({ args, options: { cwd: copy, stdio: 'pipe' as const } });
		const build = run('run', 'build');
		execFileSync('npm', build.args, { ...build.options, shell: process.platform === 'win32' });
		const output = join(copy, 'report.json');
		const jest = join('node_modules', 'jest', 'bin', 'jest.js');
		const unit = run(jest, 'test/unit', '--json', `--outputFile=${output}`);
		spawnSync(process.execPath, unit.args, unit.options);
		const report = JSON.parse(readFileSync(output, 'utf8')) as JestReport;
		expect(report.numTotalTests).toBeGreaterThan(1_000);
		const failed = report.testResults
			.filter(({ status }) => status === 'failed')
			.map(({ name }) => relative(copy, name).split('\\').join('/'));

		const [rows = []] = rowsOf(
			readProjectFile('docs/architecture.md'),
			'What a changed limit asks for',
		);
		const listed = rows.flatMap(([, reportedBy]) => codeIn(reportedBy));
		expect(failed.sort()).toEqual([...new Set(listed)].sort());
	},
	LONGEST_RUN_MS,
);
