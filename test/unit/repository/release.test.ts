// What is published has the version of its tag, an entry in the changelog and the repository's address, and what n8n
// loads; its notes say how to pin it. test/n8n/communityPackages.test.ts has n8n install it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packNode } from '../../../scripts/host/packNode';
import { type Manifest, packPlaceholder, rehearse } from '../../../scripts/release/rehearsal';
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
	['pages of before the first', { pages: 'The package is not on npm yet.' }, /not on npm yet/],
	['no repository', withManifest({ repository: undefined }), /"repository"/],
	['another repository', { repository: 'someone/other' }, /"repository"/],
	['a placeholder', withManifest({ author: { email: 'a@b.example' } }), /"author"/],
])('%s is a problem, and the only one', (_, changes, problem) => {
	expect(releaseProblems({ ...ready, ...changes })).toEqual([expect.stringMatching(problem)]);
});

test('the notes say what is new, with whole addresses, and hold the line that pins the version', () => {
	const published = { name: 'n8n-nodes-x', version: '1.2.0', integrity: 'sha512-AbC+/==' };
	const linked = changelog.replace('A limit', '[A](docs/a.md#b), [c](https://c.test)');
	expect(releaseNotes(linked, published, 'someone/nodes')).toBe(`### Fixed

- [A](https://github.com/someone/nodes/blob/v1.2.0/docs/a.md#b), [c](https://c.test).

### Installation by environment variables

[How to use it](https://github.com/someone/nodes/blob/v1.2.0/docs/installation.md#by-environment-variables)

\`\`\`sh
N8N_COMMUNITY_PACKAGES='[{"name":"n8n-nodes-x","version":"1.2.0","checksum":"sha512-AbC+/=="}]'
\`\`\`
`);
});

test('a rehearsal fails for a node that is not in the tarball', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
	try {
		const own = { name: 'n8n-nodes-x', license: 'MIT', version: '1.2.0' };
		const made: Manifest = { ...own, n8n: { credentials: [], nodes: ['dist/node.js'] } };
		writeFileSync(join(folder, 'package.json'), JSON.stringify(made));
		const { tarball } = await packNode(folder, join(folder, 'packed'));
		const placeholder = await packPlaceholder(made, join(folder, 'placeholder'));
		const rehearsed = rehearse(placeholder, tarball, made);
		await expect(rehearsed).rejects.toThrow(/lacks what n8n loads: dist\/node\.js/);
	} finally {
		rmSync(folder, { recursive: true });
	}
}, 60_000);
