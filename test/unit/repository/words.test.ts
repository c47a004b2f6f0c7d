// One word for one thing, and that the field's: none of the words on the left stands in a name, a comment or a
// document.

import { relative } from 'node:path';

import ts from 'typescript';

import { PAGES, PROJECT_FOLDER, readProjectFile } from './projectFiles';

/** What is not said, with what is said instead. */
const WORDS: Array<[word: RegExp, instead: string]> = [
	[/^answer(s|ed|ing)?$/, 'response, respond'],
	[/^repetitions?$/, 'retry; a single one is an attempt'],
	[/^(mend|cure)(s|ed)?$/, 'fix, repair'],
	[/^(lasting|passing)$/, 'permanent, transient'],
	[/^(hear|hears|heard|told|news|adopts?)$/, 'apply, publish, snapshot, merge, report'],
	[/^(foreseen|outlook|forecast)$/, 'request, estimate'],
	[/^ledgers?$/, 'limit store'],
	[/^promised$/, 'ticket'],
	[/^claim(s|ed)?$/, 'acquire'],
	[/^stages?$/, 'limit, window'],
	[/^foreign$/, 'other clients'],
	[/^(ours|theirs|whoever)$/, 'the noun'],
	[/^unmade$/, 'unresolved'],
];

/** Texts in which a word stands for something else, with the reason. */
const ALLOWED: Array<[text: RegExp, reason: string]> = [
	[/answered \d{3}|answered`/, 'texts for users say that the service answered 404'],
	[/The service answered \w{3}\b/, 'those texts, in documents'],
	[/test:foreign/, 'the name of a command'],
	[/\b[Tt]old\b|\b(passing|lasting)\b/, 'plain English in a sentence'],
];

const NOT_OURS = ['node_modules', 'dist', 'coverage', '.stryker-tmp'];
const files = ts.sys
	.readDirectory(PROJECT_FOLDER, ['.ts'], NOT_OURS)
	.map((file) => relative(PROJECT_FOLDER, file))
	.filter((file) => !file.endsWith('words.test.ts'));

/** What is read of a file: where a word may be, as words, and the text that shows it. */
interface Place {
	words: string[];
	text: string;
}

const inCamelCase = /(?<=[a-z0-9])(?=[A-Z])|\W|_/;

function namesIn(file: string): Place[] {
	const source = ts.createSourceFile(file, readProjectFile(file), ts.ScriptTarget.Latest, true);
	const names = [file];
	const visit = (node: ts.Node): void => {
		const { name } = node as { name?: ts.Node };
		const isDeclared = name !== undefined && !ts.isPropertyAccessExpression(node);
		if (isDeclared && ts.isIdentifier(name)) names.push(name.text);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return names.map((text) => ({ words: text.split(inCamelCase), text }));
}

/** Those of the texts in which a word stands for itself. */
const placesIn = (texts: string[]): Place[] =>
	texts
		.filter((text) => !ALLOWED.some(([allowed]) => allowed.test(text)))
		.map((text) => ({ words: text.split(/\W+/), text }));

const commentsIn = (file: string): Place[] =>
	placesIn(readProjectFile(file).match(/(?<=^|\s)\/\/ .*|\/\*\*[^]*?\*\//gm) ?? []);

const documents = PAGES.filter((page) => !/CHANGELOG|^examples|^\.github/.test(page));

test.each<[string, string[], (file: string) => Place[]]>([
	['name', files, namesIn],
	['comment', files, commentsIn],
	['document', documents, (file) => placesIn(readProjectFile(file).split('\n'))],
])('no %s has a word that is not the field’s', (_, all, placesOf) => {
	const found = all.flatMap((file) =>
		placesOf(file).flatMap(({ words, text }) => {
			const instead = WORDS.find(([word]) => words.some((one) => word.test(one.toLowerCase())));
			return instead === undefined ? [] : [`${file}: ${text.trim()} — say ${instead[1]}`];
		}),
	);
	expect(found).toEqual([]);
});
