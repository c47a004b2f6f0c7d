// Publishes a tarball to a local registry and installs it from there, before its real publication.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packPackage } from '../host/packPackage';
import { runNpm } from '../host/npm';
import { LocalRegistry } from './localRegistry';
import type { ReleaseManifest } from './releaseProblems';

/** A version in a registry. */
export interface PublishedPackage {
	name: string;
	version: string;
	/** `sha512-` and the SHA-512 of the tarball in Base64, which n8n compares with its `checksum`. */
	integrity: string;
}

/** The fields of package.json that a rehearsal uses. */
export type Manifest = ReleaseManifest & {
	name: string;
	license: string;
	n8n?: { credentials: string[]; nodes: string[] };
};

/** Fields of package.json that identify the package and its owner. */
const IDENTITY = ['name', 'license', 'author', 'repository', 'bugs'] as const;

/**
 * Packs the empty version 0.0.0, because npm accepts trusted publishers only for packages that exist.
 *
 * @param folder A folder for the tarball, which is emptied.
 * @returns The tarball.
 */
export async function packPlaceholder(manifest: Manifest, folder: string): Promise<string> {
	const source = await mkdtemp(join(tmpdir(), 'placeholder-'));
	const own = Object.fromEntries(
		IDENTITY.map((field) => [field, (manifest as unknown as Record<string, unknown>)[field]]),
	);
	const description = 'Reserves the name until the first release';
	// Without n8n's keyword, so that n8n does not find it.
	const texts = { 'package.json': JSON.stringify({ ...own, version: '0.0.0', description }) };
	for (const [file, text] of Object.entries({ ...texts, 'README.md': `${description}.\n` })) {
		await writeFile(join(source, file), text);
	}
	try {
		return (await packPackage(source, folder)).tarball;
	} finally {
		await rm(source, { recursive: true });
	}
}

/** The environment setting of n8n that pins a version to its content. */
export function communityPackagesSetting({ name, version, integrity }: PublishedPackage): string {
	const packages = [{ name, version, checksum: integrity }];
	return `N8N_COMMUNITY_PACKAGES='${JSON.stringify(packages)}'`;
}

async function readManifest(folder: string): Promise<Manifest> {
	return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Installs a version as n8n does: without scripts, and without n8n-workflow, which n8n provides. */
async function install(version: string, registry: LocalRegistry, folder: string): Promise<string> {
	await writeFile(join(folder, 'package.json'), '{"private":true}');
	await runNpm({
		parameters: [
			...['install', version, `--registry=${registry.url}`, '--ignore-scripts', '--omit=peer'],
			...['--legacy-peer-deps', '--no-audit', '--no-fund'],
		],
		folder,
	});
	return join(folder, 'node_modules');
}

/**
 * Publishes version 0.0.0 and then a tarball, and installs the latter.
 *
 * @param placeholder The tarball of version 0.0.0.
 * @param manifest The package.json of the tarball.
 * @throws npm's error, or an error that says how the installed package differs from the packed one.
 */
export async function rehearse(
	placeholder: string,
	tarball: string,
	manifest: Manifest,
): Promise<PublishedPackage> {
	const registry = await LocalRegistry.start();
	const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'));
	try {
		const { name, version } = manifest;
		await registry.publish(placeholder);
		await registry.publish(tarball);
		const modules = await install(`${name}@latest`, registry, folder);
		const installed = await readManifest(join(modules, name));
		if (installed.version !== version) {
			throw new Error(`npm installs ${installed.version} as the latest version, not ${version}.`);
		}
		const files = [...(installed.n8n?.credentials ?? []), ...(installed.n8n?.nodes ?? [])];
		const missing = files.filter((file) => !existsSync(join(modules, name, file)));
		if (files.length === 0 || missing.length > 0) {
			throw new Error(`The tarball lacks what n8n loads: ${missing.join(', ') || 'nodes'}.`);
		}
		// From the address that n8n uses.
		const response = await fetch(`${registry.url}/${name}/${version}`);
		const { dist } = (await response.json()) as { dist: { integrity: string } };
		const hash = createHash('sha512').update(await readFile(tarball));
		const integrity = `sha512-${hash.digest('base64')}`;
		if (dist.integrity !== integrity) {
			throw new Error(`npm says ${dist.integrity} of the tarball, which has ${integrity}.`);
		}
		return { name, version, integrity };
	} finally {
		await registry.stop();
		await rm(folder, { recursive: true });
	}
}
