// Prints, as JSON, which of n8n's lint rules this repository switches off, and where rules complain when all
// are on and comments in the code are ignored, as in n8n's own scanner. A program of its own, because
// ESLint's configuration consists of modules that jest cannot load.
import { relative, sep } from 'node:path';

import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { ESLint } from 'eslint';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const SOURCES = ['nodes/**/*.ts', 'credentials/**/*.ts', 'package.json'];
const BUILT = ['dist/**/*.js'];

const allOf = ({ rules }) => Object.fromEntries(Object.keys(rules).map((rule) => [rule, 'error']));

const { recommended } = n8nCommunityNodesPlugin.configs;
const { community, credentials, nodes } = n8nNodesBase.configs;
const asScanned = new ESLint({
	allowInlineConfig: false,
	overrideConfigFile: true,
	overrideConfig: [
		{ ...recommended, rules: { ...allOf(recommended), 'no-console': 'error' } },
		{
			files: ['**/*.ts', '**/*.json'],
			plugins: { 'n8n-nodes-base': n8nNodesBase },
			languageOptions: {
				parser: tseslint.parser,
				parserOptions: { extraFileExtensions: ['.json'] },
			},
		},
		{ files: ['package.json'], rules: allOf(community) },
		{ files: ['credentials/**/*.ts'], rules: allOf(credentials) },
		{ files: ['nodes/**/*.ts'], rules: allOf(nodes) },
	],
});

/** A file's path from the project's folder, as the page writes it on every system. */
const pathOf = (file) => relative(process.cwd(), file).replaceAll(sep, '/');

/** The files by the rule that complains in them, and all files that were looked at. */
async function scan(patterns) {
	const complaints = {};
	const results = await asScanned.lintFiles(patterns);
	for (const { filePath, messages } of results) {
		// A file that cannot be parsed has a message without a rule.
		for (const { ruleId, message } of messages) {
			(complaints[ruleId ?? message] ??= []).push(pathOf(filePath));
		}
	}
	return { complaints, files: results.map(({ filePath }) => pathOf(filePath)) };
}

/** The rules of n8n that the repository's own configuration switches off for any of the files. */
async function findRulesThatAreOff(files) {
	const eslint = new ESLint();
	const configs = await Promise.all(files.map((file) => eslint.calculateConfigForFile(file)));
	const isOff = ([rule, [severity]]) => /n8n/.test(rule) && severity === 0;
	const off = configs.flatMap(({ rules }) => Object.entries(rules).filter(isOff));
	return [...new Set(off.map(([rule]) => rule))];
}

const sources = await scan(SOURCES);
const built = await scan(BUILT);
const off = await findRulesThatAreOff(sources.files);
console.log(JSON.stringify({ off, sources, built }));
