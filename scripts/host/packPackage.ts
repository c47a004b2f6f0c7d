// Packs this package, and installs it into an n8n instance as a user gets it: from the packed tarball.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NpmRun, runNpm } from './npm';

const PROJECT_FOLDER = join(__dirname, '..', '..');

export interface PackedPackage {
	/** The package's name, which is also the first part of its nodes' types. */
	name: string;
	tarball: string;
}

/**
 * Packs a package as `npm publish` would.
 *
 * @param projectFolder The folder of the package, which must have been built.
 * @param folder A folder for the tarball, which is emptied or created.
 */
export async function packPackage(projectFolder: string, folder: string): Promise<PackedPackage> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await runNpm({
		parameters: ['pack', '--pack-destination', folder, '--ignore-scripts'],
		folder: projectFolder,
	});
	const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
	if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}.`);
	const manifest = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
		name: string;
	};
	return { name: manifest.name, tarball: join(folder, tarball) };
}

async function makeManifest(nodesFolder: string): Promise<void> {
	// As n8n writes it before its first community package. An existing file lists other packages.
	const manifest = { name: 'installed-nodes', private: true, dependencies: {} };
	const file = join(nodesFolder, 'package.json');
	await writeFile(file, JSON.stringify(manifest, null, 2), { flag: 'wx' }).catch(
		(error: unknown) => {
			if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
		},
	);
}

/**
 * Installs this package, which must have been built, into an n8n instance, as n8n installs community packages: in its
 * folder `nodes`, without peer dependencies, because n8n itself provides n8n-workflow.
 *
 * @param userFolder The instance's N8N_USER_FOLDER; n8n must not be running there.
 * @param npm The environment and Node.js for npm; by default those of this script.
 */
export async function installThisPackage(
	userFolder: string,
	npm: Pick<NpmRun, 'environment' | 'nodePath'> = {},
): Promise<void> {
	const packed = await packPackage(PROJECT_FOLDER, join(userFolder, 'packages'));
	const nodesFolder = join(userFolder, '.n8n', 'nodes');
	await mkdir(nodesFolder, { recursive: true });
	await makeManifest(nodesFolder);
	// npm would not replace a package of the same version, even if it was built again.
	for (const stale of [join('node_modules', packed.name), 'package-lock.json']) {
		await rm(join(nodesFolder, stale), { recursive: true, force: true });
	}
	await rm(join(nodesFolder, 'node_modules', '.package-lock.json'), { force: true });
	await runNpm({
		...npm,
		parameters: [
			...['install', packed.tarball, '--omit=dev', '--omit=peer', '--legacy-peer-deps'],
			...['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'],
		],
		folder: nodesFolder,
	});
}
