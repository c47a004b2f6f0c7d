// Installs a real n8n into the cache folder, exactly as its lock file says.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder, ensureFolder } from './cache';
import { startProgram } from './childProcesses';
import { describeHost, type HostDescription, type HostName } from './hosts';
import { ensureNode, type NodeRuntime } from './nodeRuntime';
import { type NpmRun, runNpm } from './npm';
import { type Note, withProgress } from './progress';

/** An n8n that is installed and can be started. */
export interface N8nHost {
	name: HostName;
	n8nVersion: string;
	/** The program and first arguments that start n8n; its command (`start`, `worker` …) follows. */
	n8nCommand: [nodePath: string, n8nScript: string];
	/** Where n8n's own packages are, such as n8n-core. */
	modulesFolder: string;
	/** The Node that n8n runs under. */
	nodePath: string;
	/** The environment in which `node` is that Node. */
	environment: NodeJS.ProcessEnv;
	/** Settings (environment variables) that only this n8n knows. */
	settings: Record<string, string>;
}

/** Tells from npm's lines how far an install is: descriptions first, then the archives. */
function installProgress(packages: number, note: Note): (line: string) => void {
	let descriptions = 0;
	let archives = 0;
	return (line) => {
		if (!/\bhttp (fetch|cache)\b/.test(line)) return;
		if (line.includes('.tgz')) archives += 1;
		else descriptions += 1;
		note(
			archives === 0
				? `${descriptions} package descriptions read, working out the tree`
				: `${archives} of about ${packages} packages fetched, unpacking them`,
		);
	};
}

/** Tells from the lines of a compiler run which file is being compiled. */
function buildProgress(title: string, note: Note): (line: string) => void {
	return (line) => {
		const file = /^\s*(?:CC|CXX|AR|SOLINK_MODULE)\S*\s+(\S+)/.exec(line)?.[1];
		if (file !== undefined) note(`${title}: ${basename(file)}`);
	};
}

async function countPackages(lockFile: string): Promise<number> {
	const lock = JSON.parse(await readFile(lockFile, 'utf8')) as { packages?: object };
	return Object.keys(lock.packages ?? {}).length;
}

/**
 * Loads the native packages, and all that n8n loads before it starts: what fails here would fail at every
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

/** Builds a native package, once for all n8n that have the same version of it: SQLite takes two minutes. */
async function buildNative(
	name: string,
	run: Omit<NpmRun, 'parameters'>,
	machine: string,
	note: Note,
): Promise<void> {
	const folder = join(run.folder, 'node_modules', name);
	const manifest = await readFile(join(folder, 'package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	// A package that brings binaries has none.
	const release = join(folder, 'build', 'Release');
	const filter = (path: string) => path === release || path.endsWith('.node');
	const built = join(cacheFolder(), `${name}-${version}-${machine}`);
	if (existsSync(built)) {
		await cp(built, release, { recursive: true });
		return;
	}
	note(`building ${name}`);
	await runNpm({
		...run,
		// A user who has switched install scripts off has them on for this package alone.
		parameters: ['rebuild', name, '--ignore-scripts=false', '--foreground-scripts'],
		onLine: buildProgress(`building ${name}`, note),
	});
	if (!existsSync(release)) return;
	await ensureFolder(built, async (partialFolder) => {
		await cp(release, partialFolder, { recursive: true, filter });
	});
}

const machineOf = ({ major }: NodeRuntime) => `node${major}-${process.platform}-${process.arch}`;

async function install(
	folder: string,
	host: HostDescription,
	node: NodeRuntime,
	note: Note,
): Promise<void> {
	for (const name of ['package.json', 'package-lock.json']) {
		await copyFile(join(host.folder, name), join(folder, name));
	}
	const logs = join(cacheFolder(), 'logs');
	await mkdir(logs, { recursive: true });
	const run = {
		folder,
		environment: node.environment,
		nodePath: node.nodePath,
		logFile: join(logs, `${host.name}-${Date.now()}.log`),
	};
	note('reading the package descriptions');
	await runNpm({
		...run,
		// Some install scripts download from elsewhere, and n8n runs without what they fetch.
		parameters: [
			...['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'],
			...['--prefer-offline', '--loglevel=http'],
		],
		onLine: installProgress(await countPackages(join(folder, 'package-lock.json')), note),
	});
	for (const name of host.nativePackages) await buildNative(name, run, machineOf(node), note);
	note('trying it out');
	await tryOut(folder, host, node);
}

/**
 * An installed n8n: from the cache, or installed now, which takes some minutes and 2.2 GB.
 *
 * @throws An error with npm's last lines, when something cannot be installed.
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
			(note) => ensureFolder(folder, (partial) => install(partial, host, node, note), note),
		);
	}
	const modulesFolder = join(folder, 'node_modules');
	return {
		name: host.name,
		n8nVersion: host.n8nVersion,
		n8nCommand: [node.nodePath, join(modulesFolder, 'n8n', 'bin', 'n8n')],
		modulesFolder,
		nodePath: node.nodePath,
		environment: node.environment,
		settings: host.settings,
	};
}
