// Keeps what takes minutes to install in the user's cache folder, so that it is installed once: built in
// a folder of its own beside the final one and renamed when it is whole. A folder under its final name
// is therefore complete, whatever was interrupted and however many starts there were at once.
// env-paths has no CommonJS form, and longer paths on Windows.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { withLock } from './lock';
import type { Note } from './progress';

/** The folder for everything this package installs for itself, by the custom of the system. */
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

/** Removes what interrupted builds of a folder left behind. Only for the holder of the folder's lock. */
async function removeLeftovers(folder: string): Promise<void> {
	const parent = dirname(folder);
	for (const name of await readdir(parent)) {
		if (name.startsWith(`${basename(folder)}.partial-`)) {
			await rm(join(parent, name), { recursive: true, force: true });
		}
	}
}

/**
 * Sees to it that a folder exists, whole, and builds it if not. Of several processes that want it at the
 * same time one builds and the others wait.
 *
 * @param folder The final folder.
 * @param build Fills the folder it is given, which is renamed to the final one when the promise resolves.
 * @param note Told when this process waits for another one's build.
 * @throws What `build` throws; the next call starts from nothing.
 */
export async function ensureFolder(
	folder: string,
	build: (partialFolder: string) => Promise<void>,
	note: Note = () => undefined,
): Promise<void> {
	if (existsSync(folder)) return;
	await mkdir(dirname(folder), { recursive: true });
	await withLock(
		`${folder}.lock`,
		async () => {
			if (existsSync(folder)) return;
			await removeLeftovers(folder);
			const partialFolder = `${folder}.partial-${process.pid}`;
			await mkdir(partialFolder);
			try {
				await build(partialFolder);
				await rename(partialFolder, folder);
			} catch (error) {
				await rm(partialFolder, { recursive: true, force: true });
				throw error;
			}
		},
		note,
	);
}
