// `npm run release:rehearse` packs the package, publishes it to a local registry, installs it from there, and prints
// the release notes. It leaves the notes, the tarball and version 0.0.0 in the folder `packed`.
//
// The release workflow passes the packed tarball and the repository:
// node --import tsx scripts/release/rehearse.ts packed/name-1.2.0.tgz owner/name
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { packPackage } from '../host/packPackage';
import { runToEnd } from '../runToEnd';
import { type Manifest, packPlaceholder, rehearse } from './rehearsal';
import { releaseNotes } from './releaseNotes';
import { releaseProblems } from './releaseProblems';

const PROJECT_FOLDER = join(__dirname, '..', '..');
const PACKED = join(PROJECT_FOLDER, 'packed');

runToEnd(async () => {
	const [given, repository = 'owner/name'] = process.argv.slice(2);
	const read = async (file: string) => await readFile(join(PROJECT_FOLDER, file), 'utf8');
	const manifest = JSON.parse(await read('package.json')) as Manifest;
	const changelog = await read('CHANGELOG.md');
	const tarball =
		given === undefined ? (await packPackage(PROJECT_FOLDER, PACKED)).tarball : resolve(given);
	const placeholder = await packPlaceholder(manifest, join(PACKED, 'placeholder'));
	const published = await rehearse(placeholder, tarball, manifest);
	const notes = releaseNotes(changelog, published, repository);
	const notesFile = join(PACKED, 'notes.md');
	await writeFile(notesFile, notes);
	console.log(
		[
			notes,
			`Published to a local registry, and installed from there: ${tarball}`,
			`Version 0.0.0, for a name that is not on npm yet: ${placeholder}`,
			`The notes above: ${notesFile}`,
		].join('\n'),
	);
	const tag = `v${manifest.version}`;
	const pages = (await read('README.md')) + (await read('docs/installation.md'));
	const problems = releaseProblems({ tag, repository, manifest, changelog, pages });
	if (problems.length > 0) console.log(['', 'Before it is published:', ...problems].join('\n'));
});
