/** Reads the project's own files, for the tests of this folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export { default as manifest } from '../../../package.json';

export const PROJECT_FOLDER = join(__dirname, '..', '..', '..');

/** The text of a file, by its path from the root of the project. */
export function readProjectFile(path: string): string {
	return readFileSync(join(PROJECT_FOLDER, path), 'utf8');
}

/** The paths of the documents. */
export const PAGES = ['.', '.github', 'docs', 'examples', 'sandbox'].flatMap((folder) =>
	readdirSync(join(PROJECT_FOLDER, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => posix.join(folder, file)),
);

/** The text without its code blocks. */
export function withoutBlocks(text: string): string {
	return text.replace(/```[\s\S]*?```/g, '');
}

/** The inline code of a text, without its code blocks. */
export function codeIn(text = ''): string[] {
	return [...withoutBlocks(text).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
