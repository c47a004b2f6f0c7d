// The line of the release notes, in the installed n8n: n8n installs our tarball by its checksum, and no other.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ensureHost } from '../../scripts/host/installN8n';
import { packNode } from '../../scripts/host/packNode';
import { LocalRegistry } from '../../scripts/release/localRegistry';
import {
	communityPackagesSetting,
	type Manifest,
	packPlaceholder,
	type PublishedPackage,
	rehearse,
} from '../../scripts/release/rehearsal';

const PROJECT_FOLDER = join(__dirname, '..', '..');

interface Trial {
	/** N8N_COMMUNITY_PACKAGES. */
	communityPackages: string;
	/** The address of the registry. */
	registry: string;
}

const folder = mkdtempSync(join(tmpdir(), 'checksum-'));
const registries: LocalRegistry[] = [];
let published: PublishedPackage;
let results: Record<string, { installed?: string; errors: string }>;

/** A registry that has a tarball. */
async function registryWith(tarball: string): Promise<LocalRegistry> {
	const registry = await LocalRegistry.start();
	registries.push(registry);
	await registry.publish(tarball);
	return registry;
}

/** As a shell reads it. */
const valueOf = (setting: string): string => /^\w+='(.*)'$/.exec(setting)?.[1] ?? '';
const settingFor = (changes: object): string =>
	JSON.stringify([
		{ ...(JSON.parse(valueOf(communityPackagesSetting(published))) as [object])[0], ...changes },
	]);

beforeAll(async () => {
	const host = await ensureHost({ version: 'n8n-2' });
	const manifest = JSON.parse(
		await readFile(join(PROJECT_FOLDER, 'package.json'), 'utf8'),
	) as Manifest;
	const { tarball } = await packNode(PROJECT_FOLDER, join(folder, 'packed'));
	published = await rehearse(
		await packPlaceholder(manifest, join(folder, 'placeholder')),
		tarball,
		manifest,
	);

	const copy = join(folder, 'copy');
	for (const part of ['package.json', 'dist']) {
		await cp(join(PROJECT_FOLDER, part), join(copy, part), { recursive: true });
	}
	await writeFile(join(copy, 'dist', 'added.js'), '');
	const changed = await packNode(copy, join(folder, 'changed'));

	const { url: ours } = await registryWith(tarball);
	const { url: another } = await registryWith(changed.tarball);
	const forged = await registryWith(tarball);
	for (const path of forged.tarballs.keys()) {
		forged.tarballs.set(path, await readFile(changed.tarball));
	}
	const line = valueOf(communityPackagesSetting(published));
	const trials: Record<string, Trial> = {
		ours: { communityPackages: line, registry: ours },
		another: { communityPackages: line, registry: another },
		forged: { communityPackages: line, registry: forged.url },
		version: { communityPackages: settingFor({ version: '0.0.9' }), registry: ours },
		field: { communityPackages: settingFor({ integrity: '' }), registry: ours },
		none: { communityPackages: settingFor({ checksum: undefined }), registry: ours },
	};
	const { stdout } = await promisify(execFile)(
		host.nodePath,
		[
			join(__dirname, 'communityPackages.js'),
			join(host.modulesFolder, 'n8n'),
			folder,
			JSON.stringify(Object.values(trials)),
		],
		{
			env: { ...host.environment, NODE_ENV: 'production', npm_config_cache: join(folder, 'cache') },
		},
	);
	const found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as (typeof results)[string][];
	results = Object.fromEntries(Object.keys(trials).map((name, index) => [name, found[index]!]));
}, 15 * 60_000);

afterAll(async () => {
	await Promise.all(registries.map(async (registry) => await registry.stop()));
	rmSync(folder, { recursive: true });
});

test('n8n installs the tarball that the line names, although unverified packages are off', () => {
	expect(results.ours).toEqual({ installed: published.version, errors: '' });
});

test.each([
	[
		'a registry that has another tarball for the version',
		'another',
		/Failed to verify package checksum/,
	],
	['another tarball under the right checksum', 'forged', /EINTEGRITY/],
	['a version that is not in the registry', 'version', /Failed to verify package checksum/],
	['a field that n8n does not know', 'field', /validation failed at "0": Unrecognized key/],
	['no checksum', 'none', /no checksum available for 'n8n-nodes-business-data@/],
])('n8n installs nothing from %s', (_, name, error) => {
	expect(results[name]).toEqual({ errors: expect.stringMatching(error) as string });
});
