// The setting from the release notes, in the installed n8n: it installs the tarball with our checksum, and no other.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import manifest from '../../package.json';
import { ensureHost } from '../../scripts/host/installN8n';
import { packPackage } from '../../scripts/host/packPackage';
import { LocalRegistry } from '../../scripts/release/localRegistry';
import {
	communityPackagesSetting,
	packPlaceholder,
	type PublishedPackage,
	rehearse,
} from '../../scripts/release/rehearsal';

const PROJECT_FOLDER = join(__dirname, '..', '..');

const folder = mkdtempSync(join(tmpdir(), 'checksum-'));
const registries: LocalRegistry[] = [];
let published: PublishedPackage;
/** From the registry with our tarball, and from one with another tarball. */
let results: Array<{ installed?: string; errors: string }>;

async function registryWith(tarball: string): Promise<LocalRegistry> {
	const registry = await LocalRegistry.start();
	registries.push(registry);
	await registry.publish(tarball);
	return registry;
}

/** The value as a shell reads it. */
const valueOf = (setting: string): string => /^\w+='(.*)'$/.exec(setting)?.[1] ?? '';

beforeAll(async () => {
	const host = await ensureHost({ version: 'n8n-2' });
	const { tarball } = await packPackage(PROJECT_FOLDER, join(folder, 'packed'));
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
	const changed = await packPackage(copy, join(folder, 'changed'));

	const communityPackages = valueOf(communityPackagesSetting(published));
	const trials = [await registryWith(tarball), await registryWith(changed.tarball)].map(
		({ url: registry }) => ({ communityPackages, registry }),
	);
	const { stdout } = await promisify(execFile)(
		host.nodePath,
		[
			join(__dirname, 'communityPackages.js'),
			join(host.modulesFolder, 'n8n'),
			folder,
			JSON.stringify(trials),
		],
		{
			env: { ...host.environment, NODE_ENV: 'production', npm_config_cache: join(folder, 'cache') },
		},
	);
	results = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof results;
}, 15 * 60_000);

afterAll(async () => {
	await Promise.all(registries.map(async (registry) => await registry.stop()));
	rmSync(folder, { recursive: true });
});

test('n8n installs the tarball of the release notes, even with unverified packages disabled', () => {
	expect(results[0]).toEqual({ installed: published.version, errors: '' });
});

test('n8n refuses another tarball of the same version', () => {
	const errors = expect.stringContaining('Failed to verify package checksum') as string;
	expect(results[1]).toEqual({ errors });
});
