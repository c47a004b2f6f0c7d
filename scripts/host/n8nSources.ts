// Single files of n8n that are in no separate package, for tests that run n8n's code without all of n8n.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, ensureFolder } from './cache';
import { startProgram } from './childProcesses';
import { describeHost } from './hosts';
import { runNpm } from './npm';

/** The files from the archive of the package `n8n`: its deduplication store, and the error that it throws. */
const FILES = ['package/dist/deduplication', 'package/dist/errors/deduplication.error.js'];

async function unpack(archive: string, folder: string): Promise<void> {
	// Linux, macOS and Windows all have tar.
	const { ended } = startProgram('tar', ['-xzf', archive, '-C', folder, ...FILES], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const { status } = await ended;
	if (status !== 0) throw new Error(`${archive} could not be unpacked by tar (status ${status})`);
}

/**
 * Fetches the files unless they are in the cache.
 *
 * @returns The folder that corresponds to `dist` of the package n8n.
 */
export async function ensureN8nSources(): Promise<string> {
	const { n8nVersion } = describeHost('n8n-2');
	const folder = join(cacheFolder(), `n8n-${n8nVersion}-sources`);
	await ensureFolder(folder, async (partialFolder) => {
		await runNpm({ parameters: ['pack', `n8n@${n8nVersion}`], folder: partialFolder });
		const archive = join(partialFolder, `n8n-${n8nVersion}.tgz`);
		await unpack(archive, partialFolder);
		await rm(archive);
	});
	return join(folder, 'package', 'dist');
}
