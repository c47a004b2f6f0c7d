// Exits with status 1 if a version must not be published. The release workflow calls it with the tag and the
// repository: node --import tsx scripts/release/check.ts v1.2.0 owner/name
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ReleaseManifest, releaseProblems } from './releaseProblems';

const [tag, repository] = process.argv.slice(2);
if (tag === undefined || repository === undefined) {
	throw new Error('Give the tag and the repository, for example: v1.2.0 owner/name');
}
const read = (file: string): string => readFileSync(join(__dirname, '..', '..', file), 'utf8');
const problems = releaseProblems({
	tag,
	repository,
	manifest: JSON.parse(read('package.json')) as ReleaseManifest,
	changelog: read('CHANGELOG.md'),
	pages: read('README.md') + read('docs/installation.md'),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${tag} can be published.`);
