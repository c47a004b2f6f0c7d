/** What the tests of the repository's own files read them with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export { default as manifest } from '../../../package.json';

export const PROJECT_FOLDER = join(__dirname, '..', '..', '..');

/** The text of a file of the project; its path from the project's folder. */
export function readProjectFile(path: string): string {
	return readFileSync(join(PROJECT_FOLDER, path), 'utf8');
}

/** The documents, by their paths. */
export const PAGES = ['.', '.github', 'docs', 'examples', 'sandbox'].flatMap((folder) =>
	readdirSync(join(PROJECT_FOLDER, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => posix.join(folder, file)),
);

/** The text without its blocks of code. */
export function withoutBlocks(text: string): string {
	return text.replace(/```[\s\S]*?```/g, '');
}

/** The texts that stand between backticks, blocks of code left out. */
export function codeIn(text = ''): string[] {
	return [...withoutBlocks(text).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
