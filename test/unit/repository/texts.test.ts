// The documents name scripts that exist, have no broken links, stay short, and use no word that words.json replaces.

import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

import {
	codeIn,
	manifest,
	PAGES,
	PROJECT_FOLDER,
	readProjectFile,
	withoutBlocks,
} from './projectFiles';
import words from './words.json';

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(text: string): string[] {
	const headings = withoutBlocks(text).matchAll(/^#+ (.*)$/gm);
	return [...headings].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/** The number of words on a page, as `wc -w` counts them. */
const wordsOf = (page: string): number => readProjectFile(page).match(/\S+/g)?.length ?? 0;

test('the README and the documents as a whole stay within their word limits', () => {
	expect(wordsOf('README.md')).toBeLessThanOrEqual(2_600);
	const read = PAGES.filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('.github'));
	expect(read.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(14_000);
});

test('no line of the README outside of tables is longer than 160 characters', () => {
	const text = readProjectFile('README.md');
	const long = text.split('\n').filter((line) => line.length > 160 && !line.startsWith('|'));
	expect(long).toEqual([]);
});

// Names and comments in code: eslint.config.mjs.
test('no document and no file name uses a word that words.json replaces', () => {
	const pages = PAGES.filter((page) => !/CHANGELOG|^examples|^\.github/.test(page));
	const lines = pages.flatMap((page) => readProjectFile(page).split('\n'));
	const files = ['benchmark', 'credentials', 'nodes', 'sandbox', 'scripts', 'test'].flatMap(
		(folder) => readdirSync(join(PROJECT_FOLDER, folder), { recursive: true, encoding: 'utf8' }),
	);
	const word = new RegExp(`\\b(${Object.values(words).flat().join('|')})\\b`, 'i');
	const allowed = /The service answered|test:foreign|told|passing|lasting/gi;
	const all = [...lines, ...files.map((file) => file.replace(/(?=[A-Z])/g, ' '))];
	expect(all.filter((text) => word.test(text.replace(allowed, '')))).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
	const text = readProjectFile(page);

	test('links only to files and headings that exist', () => {
		const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
		const broken = targets.filter((target) => {
			if (/^https:\/\//.test(target)) return false;
			const [file = '', anchor] = target.split('#');
			const path = file === '' ? page : posix.join(posix.dirname(page), file);
			if (!existsSync(join(PROJECT_FOLDER, path))) return true;
			return anchor !== undefined && !anchorsOf(readProjectFile(path)).includes(anchor);
		});
		expect(broken).toEqual([]);
	});

	test('names only scripts that package.json has', () => {
		const code = [...codeIn(text), ...(text.match(/```sh\n[\s\S]*?```/g) ?? [])].join('\n');
		const named = [...code.matchAll(/\bnpm (?:run ([\w:]+)|(start|test)\b)/g)];
		const scripts = named.map(([, run, short = '']) => run ?? short);
		expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
	});
});
