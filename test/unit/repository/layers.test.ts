// Each folder of the node knows only those below it, and some have one door.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from './projectFiles';

const CODE = join('nodes', 'BusinessData');

/** From the ground up. A folder may import from those in the lines above it, never from its own line. */
const LAYERS = [
	['async', 'values'],
	['n8nInternals', 'redis'],
	['rateLimit'],
	['transport'],
	['run'],
	['sendOnce'],
	['parameters'],
	['lists'],
	['items'],
	['operations'],
	['resources', 'trigger'],
];
/** Only their index is imported from elsewhere. */
const ONE_DOOR = ['async', 'rateLimit', 'redis'];

/** The paths that the files of a folder import, without their leading dots. */
function importsOf(folder: string): string[] {
	return readdirSync(join(PROJECT_FOLDER, CODE, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => {
			const depth = file.split(/[\\/]/).length;
			const text = readProjectFile(join(CODE, folder, file));
			const paths = [...text.matchAll(/(?:from |import |import\(|require\()'([^']+)'/g)];
			return paths
				.map(([, path = '']) => path)
				.filter((path) => path.startsWith('../'.repeat(depth)) || !path.startsWith('.'))
				.map((path) => path.replace(/^(\.\.\/)+/, ''));
		});
}

test('every folder has its layer', () => {
	const folders = readdirSync(join(PROJECT_FOLDER, CODE), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
		.map(({ name }) => name);
	expect(folders.sort()).toEqual(LAYERS.flat().sort());
});

test.each(LAYERS.flatMap((names, index) => names.map((name) => [name, index] as const)))(
	'%s imports only from the layers below',
	(name, index) => {
		const above = LAYERS.slice(index).flat();
		const imports = importsOf(name);
		expect(imports.filter((path) => above.includes(path.split('/')[0] ?? ''))).toEqual([]);
	},
);

test('rateLimit knows nothing of n8n and HTTP', () => {
	const imports = importsOf('rateLimit');
	expect(imports).toContain('bottleneck');
	expect(imports.filter((path) => /n8n|http|axios/.test(path))).toEqual([]);
});

test.each(ONE_DOOR)('%s has one door', (folder) => {
	const others = LAYERS.flat()
		.filter((name) => name !== folder)
		.flatMap(importsOf);
	expect(others).toContain(folder);
	expect(others.filter((path) => path.startsWith(`${folder}/`))).toEqual([]);
});
