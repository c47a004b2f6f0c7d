// What is published has the version of its tag, an entry in the changelog and the repository's address.

import { execFileSync } from 'node:child_process';

import { type Release, releaseProblems } from '../../../scripts/release/releaseProblems';
import { manifest, PROJECT_FOLDER } from './projectFiles';

const entry = '### Fixed\n\n- A limit.\n';
const changelog = `# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-21\n\n${entry}\n## [1.1.0] - 2026-10-01\n`;
const ready: Release = {
	tag: 'v1.2.0',
	repository: 'Someone/nodes',
	manifest: {
		version: '1.2.0',
		repository: { url: 'git+https://github.com/someone/nodes.git' },
		author: { email: 'someone@somewhere.test' },
	},
	changelog,
};
const withManifest = (changes: Partial<Release['manifest']>): Partial<Release> => ({
	manifest: { ...ready.manifest, ...changes },
});

test('a version that is ready has no problems', () => {
	expect(releaseProblems(ready)).toEqual([]);
});

test.each<[string, Partial<Release>, RegExp]>([
	['another tag', { tag: 'v1.2.1' }, /tag is v1\.2\.1/],
	['a tag without v', { tag: '1.2.0' }, /tag is 1\.2\.0/],
	['no heading', { changelog: changelog.replace('[1.2.0]', '[1.2.0-rc]') }, /no heading/],
	['no date', { changelog: changelog.replace(' - 2026-11-21', '') }, /no heading/],
	['no entry', { changelog: changelog.replace(entry, '') }, /does not say/],
	['entries left', { changelog: changelog.replace('released]', `released]\n\n${entry}`) }, /still/],
	['no repository', withManifest({ repository: undefined }), /"repository"/],
	['another repository', { repository: 'someone/other' }, /"repository"/],
	['a placeholder', withManifest({ author: { email: 'a@b.example' } }), /"author"/],
])('%s is a problem, and the only one', (_, changes, problem) => {
	expect(releaseProblems({ ...ready, ...changes })).toEqual([expect.stringMatching(problem)]);
});

test('the command fails for a tag that is not the version of this package', () => {
	const check = (tag: string) => () =>
		execFileSync(
			process.execPath,
			['--import', 'tsx', 'scripts/release/check.ts', tag, 'someone/nodes'],
			{ cwd: PROJECT_FOLDER, encoding: 'utf8', stdio: 'pipe', timeout: 30_000 },
		);
	expect(check('v0.0.0')).toThrow(`but the version in package.json is ${manifest.version}`);
});
