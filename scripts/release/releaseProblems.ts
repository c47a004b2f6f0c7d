// Checks whether a version can be published.

/** The fields of package.json that matter for a release. */
export interface ReleaseManifest {
	version: string;
	repository?: string | { url?: string };
	author?: string | { email?: string };
}

/** The release to check. */
export interface Release {
	/** The tag's name, e.g. `v1.2.0`. */
	tag: string;
	/** The repository on GitHub from which it is published, as `owner/name`. */
	repository: string;
	manifest: ReleaseManifest;
	/** The text of CHANGELOG.md. */
	changelog: string;
	/** The text of the pages for users. */
	pages: string;
}

/** The section of a version in CHANGELOG.md, from its name. */
export function sectionOf(changelog: string, name: string): string | undefined {
	const [, ...sections] = `\n${changelog}`.split('\n## ');
	return sections.find((section) => section.startsWith(`[${name}]`));
}

/** Whether a section has any text besides headings. */
function hasEntries(section: string): boolean {
	return section
		.split('\n')
		.slice(1)
		.some((line) => line.trim() !== '' && !line.startsWith('#'));
}

/** The GitHub repository in package.json, as `owner/name` in lower case. */
function repositoryOf({ repository }: ReleaseManifest): string | undefined {
	const url = typeof repository === 'string' ? repository : repository?.url;
	const [, name] = /^git\+https:\/\/github\.com\/([^/]+\/[^/]+)\.git$/i.exec(url ?? '') ?? [];
	return name?.toLowerCase();
}

function* findProblems({
	tag,
	repository,
	manifest,
	changelog,
	pages,
}: Release): Generator<string> {
	const { version, author } = manifest;
	if (tag !== `v${version}`) {
		yield `The tag is ${tag}, but the version in package.json is ${version}.`;
	}
	const section = sectionOf(changelog, version);
	if (section === undefined || !/^\[[^\]]+\] - \d{4}-\d\d-\d\d\n/.test(section)) {
		yield `CHANGELOG.md has no heading "## [${version}] - year-month-day".`;
	} else if (!hasEntries(section)) {
		yield `CHANGELOG.md does not say what is new in ${version}.`;
	}
	if (hasEntries(sectionOf(changelog, 'Unreleased') ?? '')) {
		yield 'CHANGELOG.md still has entries under [Unreleased].';
	}
	if (/not on npm yet/.test(pages)) {
		yield 'README.md or docs/installation.md still says that the package is not on npm yet.';
	}
	// npm refuses a provenance statement for another repository than the one in package.json.
	if (repositoryOf(manifest) !== repository.toLowerCase()) {
		yield `"repository" in package.json must be git+https://github.com/${repository}.git.`;
	}
	const email = typeof author === 'string' ? author : author?.email;
	if (email === undefined || /\.example\b/.test(email)) {
		yield '"author" in package.json has no real address.';
	}
}

/** The problems that prevent publishing, each in a sentence. */
export function releaseProblems(release: Release): string[] {
	return [...findProblems(release)];
}
