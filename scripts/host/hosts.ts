// Describes the hosts of this package: the versions of n8n that can be installed for it. The lock file in the folder of the same name
// pins the dependency tree of each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of a host, of its folder here, and the first part of its folder in the cache. */
export type HostName = 'n8n-1' | 'n8n-2';

/** What is needed to install and run one n8n. */
export interface HostDescription {
	name: HostName;
	/** The folder with the host's package.json and package-lock.json. */
	folder: string;
	/** The exact version of n8n, from the package.json. */
	n8nVersion: string;
	/** The major versions of Node.js that n8n accepts. */
	nodeMajors: { from: number; to: number };
	/** The Node.js that is fetched if n8n does not accept the machine's own. */
	fetchedNode: string;
	/** The only packages whose install scripts run, because n8n needs their native parts to start. */
	nativePackages: string[];
	/** Settings that only this n8n knows. */
	settings: Record<string, string>;
}

const SHARED = {
	fetchedNode: '24.21.0',
	nativePackages: ['sqlite3', 'isolated-vm'],
};

const DESCRIPTIONS = {
	// It accepts Node.js 20 too, but its isolated-vm has no binary for it and does not compile there.
	'n8n-1': { nodeMajors: { from: 22, to: 24 }, settings: {} },
	'n8n-2': {
		nodeMajors: { from: 24, to: 26 },
		// The module fetches a list of MCP servers at every start.
		settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
	},
};

/** The description of a host. Throws if its package.json names no version of n8n. */
export function describeHost(name: HostName): HostDescription {
	const folder = join(__dirname, name);
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
		dependencies?: Record<string, string>;
	};
	const n8nVersion = manifest.dependencies?.n8n;
	if (n8nVersion === undefined) {
		throw new Error(
			`${join(folder, 'package.json')} names no version of n8n among its dependencies.`,
		);
	}
	return { name, folder, n8nVersion, ...SHARED, ...DESCRIPTIONS[name] };
}
