// One word for one thing, and that the field's: none of the words on the left stands in a name, a comment or a
// document.

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import ts from 'typescript';

import { PROJECT_FOLDER, readProjectFile } from './projectFiles';

/** What is not said, with what is said instead. */
const WORDS: Array<[word: RegExp, instead: string]> = [
	[/^answer(s|ed|ing)?$/, 'response, respond'],
	[/^repetitions?$/, 'retry; a single one is an attempt'],
	[/^(mend|cure)(s|ed)?$/, 'fix, repair'],
	[/^(lasting|passing)$/, 'permanent, transient'],
	[/^(hear|hears|heard|told|news|adopts?)$/, 'apply, publish, snapshot, merge, report'],
	[/^(foreseen|outlook|forecast)$/, 'request, estimate'],
	[/^ledgers?$/, 'limit store'],
	[/^unmade$/, 'unresolved'],
];

/** Texts in which a word stands for something else, with the reason. */
const ALLOWED: Array<[text: RegExp, reason: string]> = [
	[/answered \d{3}|answered`/, 'texts for users say that the service answered 404'],
	[/The service answered \w{3}\b/, 'those texts, in documents'],
	[/\b[Tt]old\b|\b(passing|lasting)\b/, 'plain English in a sentence'],
];

const NOT_OURS = ['node_modules', 'dist', 'coverage', '.stryker-tmp'];
const files = ts.sys
	.readDirectory(PROJECT_FOLDER, ['.ts'], NOT_OURS)
	.map((file) => relative(PROJECT_FOLDER, file))
	.filter((file) => !file.endsWith('words.test.ts'));

const sources = files.map((file) => {
	const text = readProjectFile(file);
	return { file, text, source: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
});

/** Whether one of the words is among these. */
const insteadOf = (words: string[]): string | undefined =>
	WORDS.find(([word]) => words.some((one) => word.test(one.toLowerCase())))?.[1];

test('no name has a word that is not the field’s', () => {
	const found = new Set<string>();
	for (const { file, source } of sources) {
		const visit = (node: ts.Node): void => {
			const { name } = node as { name?: ts.Node };
			const isDeclared = name !== undefined && !ts.isPropertyAccessExpression(node);
			if (isDeclared && ts.isIdentifier(name)) {
				const instead = insteadOf(name.text.split(/(?<=[a-z0-9])(?=[A-Z])|_/));
				if (instead !== undefined) found.add(`${file}: ${name.text}, say ${instead}`);
			}
			ts.forEachChild(node, visit);
		};
		visit(source);
		const instead = insteadOf(file.split(/\W|(?<=[a-z0-9])(?=[A-Z])/));
		if (instead !== undefined) found.add(`${file}: say ${instead}`);
	}
	expect([...found]).toEqual([]);
});

test('no comment has one', () => {
	const found = new Set<string>();
	for (const { file, text } of sources) {
		for (const [comment] of text.matchAll(/(?<=^|\s)\/\/ .*|\/\*\*[^]*?\*\//gm)) {
			if (ALLOWED.some(([allowed]) => allowed.test(comment))) continue;
			const instead = insteadOf(comment.split(/[^\w]+/));
			if (instead !== undefined) found.add(`${file}: ${comment.trim()} — say ${instead}`);
		}
	}
	expect([...found]).toEqual([]);
});

test('no document has one', () => {
	const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'sandbox/README.md'].concat(
		readdirSync(join(PROJECT_FOLDER, 'docs'))
			.filter((name) => name.endsWith('.md'))
			.map((name) => join('docs', name)),
	);
	const found = documents.flatMap((file) =>
		readProjectFile(file)
			.split('\n')
			.filter((line) => !ALLOWED.some(([allowed]) => allowed.test(line)))
			.flatMap((line) => {
				const instead = insteadOf(line.split(/\W+/));
				return instead === undefined ? [] : [`${file}: ${line} — say ${instead}`];
			}),
	);
	expect(found).toEqual([]);
});
