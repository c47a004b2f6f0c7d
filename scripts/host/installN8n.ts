// Installs a real n8n into the cache folder, from its lock file.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, ensureFolder } from './cache';
import { startProgram } from './childProcesses';
import { describeHost, type HostDescription, type HostName } from './hosts';
import { ensureNode, type NodeRuntime } from './nodeRuntime';
import { type NpmRun, runNpm } from './npm';
import { withProgress } from './progress';

/** An installed n8n. */
export interface N8nHost {
	name: HostName;
	n8nVersion: string;
	/** The script of n8n, whose first argument is its command (`start`, `worker` …). */
	n8nScript: string;
	/** The folder of n8n's own packages, such as n8n-core. */
	modulesFolder: string;
	/** The Node.js that runs n8n. */
	nodePath: string;
	/** The environment in which `node` is that Node.js. */
	environment: NodeJS.ProcessEnv;
	/** Settings (environment variables) that only this n8n knows. */
	settings: Record<string, string>;
}

/**
 * Loads the native packages, and everything that n8n loads before it starts. A failure here would occur at every
 * start.
 */
async function tryOut(folder: string, host: HostDescription, node: NodeRuntime): Promise<void> {
	const load = host.nativePackages.map((name) => `require(${JSON.stringify(name)});`).join('');
	const trials = [
		['-e', load],
		[join('node_modules', 'n8n', 'bin', 'n8n'), 'start', '--help'],
	];
	for (const parameters of trials) {
		const userFolder = join(folder, 'trial');
		const { ended } = startProgram(node.nodePath, parameters, {
			cwd: folder,
			env: { ...node.environment, N8N_USER_FOLDER: userFolder },
			stdio: ['ignore', 'ignore', 'inherit'],
		});
		const { status } = await ended;
		await rm(userFolder, { recursive: true, force: true });
		if (status === 0) continue;
		throw new Error(
			`n8n ${host.n8nVersion} was installed, but does not run. ` +
				'Building its native packages needs Python 3 and a C++ compiler; see the lines above.',
		);
	}
}

/** A native package of an n8n. */
interface NativePackage {
	name: string;
	/** The build folder. A package with prebuilt binaries has none. */
	release: string;
	/** The cache of the build, for every n8n with the same version of the package. */
	kept: string;
}

async function describeNative(
	name: string,
	folder: string,
	machine: string,
): Promise<NativePackage> {
	const packageFolder = join(folder, 'node_modules', name);
	const manifest = await readFile(join(packageFolder, 'package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	return {
		name,
		release: join(packageFolder, 'build', 'Release'),
		kept: join(cacheFolder(), `${name}-${version}-${machine}`),
	};
}

async function buildNative(
	{ name, release, kept }: NativePackage,
	run: Omit<NpmRun, 'parameters'>,
): Promise<void> {
	if (existsSync(kept)) {
		await cp(kept, release, { recursive: true });
		return;
	}
	await runNpm({
		...run,
		// With its default -O3, SQLite takes three times as long to build.
		environment: { ...run.environment, CFLAGS: '-O1', CXXFLAGS: '-O1' },
		// Enable install scripts for this package, even if the user has disabled them.
		parameters: ['rebuild', name, '--ignore-scripts=false', '--foreground-scripts'],
	});
}

async function keepNative({ release, kept }: NativePackage): Promise<void> {
	if (!existsSync(release)) return;
	const filter = (path: string) => path === release || path.endsWith('.node');
	await ensureFolder(kept, async (partialFolder) => {
		await cp(release, partialFolder, { recursive: true, filter });
	});
}

const machineOf = ({ major }: NodeRuntime) => `node${major}-${process.platform}-${process.arch}`;

async function install(folder: string, host: HostDescription, node: NodeRuntime): Promise<void> {
	for (const name of ['package.json', 'package-lock.json']) {
		await copyFile(join(host.folder, name), join(folder, name));
	}
	const run = { folder, environment: node.environment, nodePath: node.nodePath };
	await runNpm({
		...run,
		// Some install scripts download files from elsewhere, which n8n does not need.
		parameters: [
			...['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'],
			'--prefer-offline',
		],
	});
	const native = await Promise.all(
		host.nativePackages.map((name) => describeNative(name, folder, machineOf(node))),
	);
	for (const one of native) await buildNative(one, run);
	await tryOut(folder, host, node);
	for (const one of native) await keepNative(one);
}

/**
 * Returns an n8n from the cache, or installs it, which takes some minutes and 2.2 GB.
 *
 * @throws An error with npm's last lines if the installation fails.
 */
export async function ensureHost({ version }: { version: HostName }): Promise<N8nHost> {
	const host = describeHost(version);
	const node = await ensureNode(host);
	const description = createHash('sha256');
	for (const name of ['package.json', 'package-lock.json']) {
		description.update(await readFile(join(host.folder, name)));
	}
	const hash = description.digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `n8n-${host.n8nVersion}-${machineOf(node)}-${hash}`);
	if (!existsSync(folder)) {
		await withProgress(
			`Installing n8n ${host.n8nVersion} into ${folder} (once, some minutes, 2.2 GB)`,
			() => ensureFolder(folder, (partial) => install(partial, host, node)),
		);
	}
	const modulesFolder = join(folder, 'node_modules');
	return {
		name: host.name,
		n8nVersion: host.n8nVersion,
		n8nScript: join(modulesFolder, 'n8n', 'bin', 'n8n'),
		modulesFolder,
		nodePath: node.nodePath,
		environment: node.environment,
		settings: host.settings,
	};
}
