// Compiles the benchmark's own nodes, which are not part of the package, into a folder from which n8n loads them.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import type { Cleanup } from '../scripts/cleanup';

const SOURCES = join(__dirname, 'contenders');
const COMPILER_OPTIONS = {
	module: ModuleKind.CommonJS,
	target: ScriptTarget.ES2022,
	esModuleInterop: true,
};

/**
 * Compiles the nodes into a new folder, which `cleanup` removes.
 *
 * @returns The folder for n8n's setting N8N_CUSTOM_EXTENSIONS.
 */
export async function compileContenders(cleanup: Cleanup): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-contenders-'));
	cleanup.add(() => rm(folder, { recursive: true, force: true }));
	const nodesFolder = join(folder, 'nodes');
	await mkdir(nodesFolder, { recursive: true });
	// Next to the folder of the nodes, not in it: n8n searches that folder for nodes.
	await symlink(join(__dirname, '..', 'node_modules'), join(folder, 'node_modules'), 'junction');
	for (const name of await readdir(SOURCES)) {
		const source = await readFile(join(SOURCES, name), 'utf8');
		const { outputText } = transpileModule(source, { compilerOptions: COMPILER_OPTIONS });
		await writeFile(join(nodesFolder, name.replace(/\.ts$/, '.js')), outputText);
	}
	return nodesFolder;
}
