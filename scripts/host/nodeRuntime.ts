// Finds a Node.js that n8n accepts: the one that runs this script, or else one from the npm registry.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, ensureFolder } from './cache';
import { startProgram } from './childProcesses';
import { ownEnvironment, withFolderFirst } from './environment';
import type { HostDescription } from './hosts';
import { runNpm } from './npm';
import { withProgress } from './progress';

export interface NodeRuntime {
	/** The path of its program. */
	nodePath: string;
	major: number;
	/** The environment for programs that look for `node` or build native packages for it. */
	environment: NodeJS.ProcessEnv;
}

/** The npm package with the program for this machine, by the naming scheme of the npm package `node`. */
function packageForThisMachine(): string {
	const { platform, arch } = process;
	const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
	return `${prefix}-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

function runtimeAt(nodePath: string, version: string): NodeRuntime {
	const binFolder = dirname(nodePath);
	const environment = withFolderFirst(ownEnvironment(), binFolder);
	// Native packages are built against the headers of this Node.js. If it comes without headers, node-gyp fetches
	// them.
	const root = process.platform === 'win32' ? binFolder : dirname(binFolder);
	if (existsSync(join(root, 'include', 'node', 'node.h'))) {
		environment.npm_config_nodedir = root;
		// The name of the same setting in newer versions of npm.
		environment.npm_package_config_node_gyp_nodedir = root;
	}
	return { nodePath, major: Number(version.split('.')[0]), environment };
}

/** Fetches the package with the program, as the install script of its parent package would. */
async function fetchNode(folder: string, packageName: string, version: string): Promise<void> {
	await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
	await runNpm({
		parameters: [
			...['install', `${packageName}@${version}`, '--ignore-scripts', '--force'],
			...['--no-audit', '--no-fund', '--no-save'],
		],
		folder,
	});
	const nodePath = programIn(folder, packageName);
	const { ended } = startProgram(nodePath, ['--version'], { stdio: 'ignore' });
	const { status } = await ended;
	if (status !== 0) throw new Error(`${packageName} ${version} does not run on this machine.`);
}

function programIn(folder: string, packageName: string): string {
	const name = process.platform === 'win32' ? 'node.exe' : 'node';
	return join(folder, 'node_modules', packageName, 'bin', name);
}

/**
 * Returns a Node.js that the host's n8n accepts.
 *
 * @throws An error that says how to fix it if there is none and none can be fetched.
 */
export async function ensureNode(host: HostDescription): Promise<NodeRuntime> {
	const { from, to } = host.nodeMajors;
	const ownMajor = Number(process.versions.node.split('.')[0]);
	if (ownMajor >= from && ownMajor <= to) return runtimeAt(process.execPath, process.versions.node);

	const version = host.fetchedNode;
	const packageName = packageForThisMachine();
	const folder = join(cacheFolder(), `${packageName}-${version}`);
	if (!existsSync(folder)) {
		const title = `Fetching Node ${version}, because n8n ${host.n8nVersion} does not accept Node ${ownMajor}`;
		await withProgress(title, () =>
			ensureFolder(folder, (partial) => fetchNode(partial, packageName, version)),
		).catch((error: unknown) => {
			throw new Error(
				`Node ${version} could not be fetched. Install a Node between ${from} and ${to} yourself ` +
					`(nodejs.org, or nvm install ${from}) and run npm start with it.`,
				{ cause: error },
			);
		});
	}
	return runtimeAt(programIn(folder, packageName), version);
}
