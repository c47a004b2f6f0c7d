// A release has the version of its tag, an entry in the changelog and the address of the repository; its notes say how to
// pin it. test/n8n/communityPackages.test.ts has n8n install it.

import { releaseNotes } from '../../../scripts/release/releaseNotes';
import { type Release, releaseProblems } from '../../../scripts/release/releaseProblems';

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
	pages: 'Install it in the editor.',
};
const withManifest = (changes: Partial<Release['manifest']>): Partial<Release> => ({
	manifest: { ...ready.manifest, ...changes },
});

test('a release that is ready has no problems', () => {
	expect(releaseProblems(ready)).toEqual([]);
});

test.each<[string, Partial<Release>, RegExp]>([
	['a tag of another version', { tag: 'v1.2.1' }, /tag is v1\.2\.1/],
	['a tag without v', { tag: '1.2.0' }, /tag is 1\.2\.0/],
	['no version heading', { changelog: changelog.replace('[1.2.0]', '[1.2.0-rc]') }, /no heading/],
	['a version without a date', { changelog: changelog.replace(' - 2026-11-21', '') }, /no heading/],
	['a version without entries', { changelog: changelog.replace(entry, '') }, /does not say/],
	['entries left', { changelog: changelog.replace('released]', `released]\n\n${entry}`) }, /still/],
	['a page saying it is not on npm', { pages: 'The package is not on npm yet.' }, /not on npm yet/],
	['a missing repository', withManifest({ repository: undefined }), /"repository"/],
	['another repository', { repository: 'someone/other' }, /"repository"/],
	['a placeholder as the author', withManifest({ author: { email: 'a@b.example' } }), /"author"/],
])('the only problem reported is %s', (_, changes, problem) => {
	expect(releaseProblems({ ...ready, ...changes })).toEqual([expect.stringMatching(problem)]);
});

test('the notes list the changes with absolute links, and have the line that pins the version', () => {
	const published = { name: 'n8n-nodes-x', version: '1.2.0', integrity: 'sha512-AbC+/==' };
	const linked = changelog.replace('A limit', '[A](docs/a.md#b), [c](https://c.test)');
	const notes = releaseNotes(linked, published, 'someone/nodes');
	expect(notes).toContain(
		'[A](https://github.com/someone/nodes/blob/v1.2.0/docs/a.md#b), [c](https://c.test).',
	);
	expect(notes).toContain(
		`'[{"name":"n8n-nodes-x","version":"1.2.0","checksum":"sha512-AbC+/=="}]'`,
	);
});
