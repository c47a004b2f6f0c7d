// What is published is the tarball that was tested: the job that builds it can publish nothing, and the job
// that publishes runs nothing but npm, without a token.

import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { manifest, PROJECT_FOLDER, readProjectFile } from './projectFiles';
import { type Job, readYaml, type Workflow } from './workflowFiles';

describe('a release', () => {
	const file = '.github/workflows/release.yml';
	const { jobs } = readYaml<Workflow>(file);
	const { build, publish, announce } = jobs as Record<'build' | 'publish' | 'announce', Job>;
	const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run = [] }) => run);
	const actionsOf = ({ steps }: Job): string[] =>
		steps.flatMap(({ uses = [] }) => uses).map((action) => action.replace(/@.*/, ''));
	const packing = build.steps.find(({ id }) => id === 'pack');

	test('is built, tested and packed once, by a job that can publish nothing', () => {
		expect(Object.keys(jobs)).toEqual(['build', 'publish', 'announce']);
		expect(build.permissions).toBeUndefined();
		expect(build.environment).toBeUndefined();
		expect(commandsOf(build)).toEqual([
			'npm ci --ignore-scripts',
			expect.stringContaining('scripts/release/check.ts "$GITHUB_REF_NAME"'),
			'npm audit --omit=dev',
			'npm test',
			packing?.run,
			'node --import tsx scripts/release/rehearse.ts "packed/$TARBALL" "$GITHUB_REPOSITORY"',
		]);
		expect(actionsOf(build).at(-1)).toBe('actions/upload-artifact');
		expect(build.steps.at(-1)?.with).toEqual({
			...{ name: 'package', path: 'packed/*.tgz\npacked/notes.md\n', 'if-no-files-found': 'error' },
		});
		expect(build.outputs).toEqual({
			tarball: '${{ steps.pack.outputs.tarball }}',
			sha256: '${{ steps.pack.outputs.sha256 }}',
		});
	});

	test('is published as that tarball: nothing is checked out, installed, built or run', () => {
		expect(publish).toMatchObject({ needs: 'build', environment: 'npm' });
		expect(actionsOf(publish)).toEqual(['actions/download-artifact', 'actions/setup-node']);
		expect(publish.steps[0]?.with).toEqual({ name: 'package' });
		expect(publish.env).toEqual({
			TARBALL: '${{ needs.build.outputs.tarball }}',
			SHA256: '${{ needs.build.outputs.sha256 }}',
		});
		expect(commandsOf(publish)).toEqual([
			'echo "$SHA256  $TARBALL" | sha256sum --check --strict',
			'npm publish "./$TARBALL" --provenance --access public --ignore-scripts',
		]);
		for (const step of publish.steps) expect(step).not.toHaveProperty('continue-on-error');
	});

	test('is announced with the notes and the tarball, once it is published', () => {
		expect(announce).toMatchObject({ needs: ['build', 'publish'] });
		expect(actionsOf(announce)).toEqual(['actions/download-artifact']);
		expect(commandsOf(announce)).toEqual([
			'gh release create "$GITHUB_REF_NAME" --verify-tag --title "$GITHUB_REF_NAME" --notes-file notes.md "$TARBALL"',
		]);
	});

	test('is published by trusted publishing alone: there is no token, and none is asked for', () => {
		expect(publish.permissions).toEqual({ 'id-token': 'write' });
		const text = readProjectFile(file);
		expect(text).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN|_authToken|registry-url/);
		expect(readProjectFile('CONTRIBUTING.md')).not.toMatch(/NPM_TOKEN/);
		expect(existsSync(join(PROJECT_FOLDER, '.npmrc'))).toBe(false);
	});

	// The steps are for the workflow's own system.
	if (process.platform === 'linux') {
		test('its steps pack the package, and stop before another tarball is published', () => {
			const folder = mkdtempSync(join(tmpdir(), 'release-'));
			const environment = {
				...process.env,
				GITHUB_OUTPUT: join(folder, 'output'),
				GITHUB_STEP_SUMMARY: join(folder, 'summary'),
			};
			const run = (script = '', cwd: string, variables: Record<string, string> = {}) =>
				execFileSync('bash', ['-eo', 'pipefail', '-c', script], {
					...{ cwd, encoding: 'utf8', stdio: 'pipe' },
					env: { ...environment, ...variables },
				});
			try {
				for (const part of ['package.json', 'README.md', 'dist']) {
					cpSync(join(PROJECT_FOLDER, part), join(folder, part), { recursive: true });
				}
				run(packing?.run, folder);
				const outputs = Object.fromEntries(
					readFileSync(environment.GITHUB_OUTPUT, 'utf8')
						.trim()
						.split('\n')
						.map((line) => line.split('=')),
				) as { tarball: string; sha256: string };
				const { name, version } = manifest;
				expect(outputs).toEqual({
					tarball: `${name}-${version}.tgz`,
					sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
				});
				expect(readFileSync(environment.GITHUB_STEP_SUMMARY, 'utf8')).toContain(outputs.sha256);

				const [check] = commandsOf(publish);
				const packed = join(folder, 'packed');
				const variables = { TARBALL: outputs.tarball, SHA256: outputs.sha256 };
				expect(run(check, packed, variables)).toContain(': OK');
				const withoutHash = { ...variables, SHA256: '' };
				expect(() => run(check, packed, withoutHash)).toThrow(/checksum/);
				appendFileSync(join(packed, outputs.tarball), 'x');
				expect(() => run(check, packed, variables)).toThrow(/did NOT match/);
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		}, 60_000);
	}
});
