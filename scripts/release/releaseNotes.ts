// The release notes on GitHub: the section of the changelog, and the setting that pins the version.
import { communityPackagesSetting, type PublishedPackage } from './rehearsal';
import { sectionOf } from './releaseProblems';

/**
 * @param changelog The text of CHANGELOG.md. For a version that it lacks, [Unreleased] is used.
 * @param repository On GitHub, as `owner/name`.
 */
export function releaseNotes(
	changelog: string,
	published: PublishedPackage,
	repository: string,
): string {
	const { version } = published;
	const section = sectionOf(changelog, version) ?? sectionOf(changelog, 'Unreleased') ?? '';
	const files = `https://github.com/${repository}/blob/v${version}`;
	return [
		section
			.replace(/^.*\n/, '')
			.trim()
			.replaceAll(/\]\((?!\w+:|#)/g, `](${files}/`),
		'',
		'### Installation by environment variables',
		'',
		`[How to use it](${files}/docs/installation.md#by-environment-variables)`,
		'',
		'```sh',
		communityPackagesSetting(published),
		'```',
		'',
	].join('\n');
}
