// Caches installations that take minutes in the user's cache folder. Each is built in a temporary folder next to the
// final one and renamed when it is complete. So a folder with its final name is always complete, despite
// interruptions and concurrent starts.
// env-paths has no CommonJS build, and longer paths on Windows.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { withLock } from './lock';

/** The cache folder of this package, by the conventions of the system. */
export function cacheFolder(): string {
	const name = 'n8n-nodes-business-data';
	const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
	if (XDG_CACHE_HOME !== undefined && XDG_CACHE_HOME !== '') return join(XDG_CACHE_HOME, name);
	if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', name);
	if (process.platform === 'win32') {
		return join(LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), name);
	}
	return join(homedir(), '.cache', name);
}

/** Removes what interrupted builds of a folder have left. Only for the holder of the folder's lock. */
async function removeLeftovers(folder: string): Promise<void> {
	const parent = dirname(folder);
	for (const name of await readdir(parent)) {
		if (name.startsWith(`${basename(folder)}.partial-`)) {
			await rm(join(parent, name), { recursive: true, force: true });
		}
	}
}

/**
 * Ensures that a complete folder exists, and builds it if not. Of several processes that want it at the same time, one
 * builds it and the others wait.
 *
 * @param folder The final folder.
 * @param build Fills the given folder, which is renamed to the final one when the promise resolves.
 * @throws What `build` throws. The next call starts from scratch.
 */
export async function ensureFolder(
	folder: string,
	build: (partialFolder: string) => Promise<void>,
): Promise<void> {
	if (existsSync(folder)) return;
	await mkdir(dirname(folder), { recursive: true });
	await withLock(`${folder}.lock`, async () => {
		if (existsSync(folder)) return;
		await removeLeftovers(folder);
		// Of this process alone: a suspended process that has lost the lock goes on in its own folder.
		const partialFolder = `${folder}.partial-${process.pid}`;
		await mkdir(partialFolder);
		try {
			await build(partialFolder);
			await rename(partialFolder, folder);
		} catch (error) {
			await rm(partialFolder, { recursive: true, force: true });
			throw error;
		}
	});
}
