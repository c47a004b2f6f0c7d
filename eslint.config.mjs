// n8n's own rules for community nodes, and TypeScript's for the whole repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const published = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** What no name and no comment says, by the word that it says instead: one word for one thing, the field's. */
const WORDS = JSON.parse(
	readFileSync(join(import.meta.dirname, 'test/unit/repository/words.json'), 'utf8'),
);
const PLAIN_IN_A_SENTENCE = ['told', 'lasting', 'passing'];
/** Finds one of the words in a name of any case, and no longer word. */
const inName = (words) => {
	const any = words.join('|');
	const capitalized = any.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
	const inCamelCase = `((?<![A-Za-z])(${any})|(${capitalized}))(?![a-z])`;
	return `/${inCamelCase}|(?<![A-Z])(${any.toUpperCase()})(?![A-Z])/`;
};
const wordRules = {
	'no-restricted-syntax': [
		'error',
		...Object.entries(WORDS).map(([instead, words]) => ({
			selector: `:matches(Identifier, PrivateIdentifier)[name=${inName(words)}]:not(MemberExpression > .property)`,
			message: `Say: ${instead}`,
		})),
		{
			selector: 'SpreadElement > ObjectExpression.argument',
			message: 'Write the properties without a spread',
		},
		{
			selector:
				':matches([id.type="ArrayPattern"][init.type="ArrayExpression"], AssignmentExpression[left.type="ArrayPattern"][right.type="ArrayExpression"])',
			message: 'Write a statement for each name',
		},
	],
	'no-warning-comments': [
		'error',
		{
			terms: Object.values(WORDS)
				.flat()
				.filter((word) => !PLAIN_IN_A_SENTENCE.includes(word)),
			location: 'anywhere',
		},
	],
};

/** The folders of the node, from the ground up: each knows those in the lines above its own. */
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
const mayNot = (regex, message) => ({ regex, message });
const layerRules = LAYERS.flatMap((names, index) =>
	names.map((name) => {
		const patterns = [
			mayNot(
				`^(\\.\\./)+(${LAYERS.slice(index).flat().join('|')})(/|$)`,
				'Import from the layers below only',
			),
			mayNot(`^(\\.\\./)+(${ONE_DOOR.join('|')})/`, 'Import from the index of the folder'),
		];
		if (name === 'rateLimit')
			patterns.push(mayNot('n8n|http|axios', 'It knows no n8n and no HTTP'));
		return {
			files: [`nodes/BusinessData/${name}/**/*.ts`],
			rules: { 'no-restricted-imports': ['error', { patterns }] },
		};
	}),
);

export default tseslint.config(
	{ ignores: ['dist/', 'coverage/', 'node_modules/'] },
	js.configs.recommended,
	{ files: ['**/*.{ts,js,mjs}'], rules: wordRules },
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: { parserOptions: { projectService: true } },
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/return-await': ['error', 'always'],
			'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
			],
		},
	},
	{ files: published, ...n8nCommunityNodesPlugin.configs.recommended },
	{
		files: published,
		rules: {
			// It fails where n8n loads packages, and the rules for layers do not see it.
			'no-restricted-syntax': [...wordRules['no-restricted-syntax'], 'ImportExpression'],
			// The limiter needs timers and one registry per process (globalThis).
			'@n8n/community-nodes/no-restricted-globals': 'off',
			// The limiter is Bottleneck, its Redis client ioredis; docs/verification.md names the parts of Node.
			'@n8n/community-nodes/no-restricted-imports': 'off',
			// Errors become n8n's own in one place, at the border: run/itemErrors.ts.
			'@n8n/community-nodes/require-node-api-error': 'off',
		},
	},
	...layerRules,
	{
		files: ['package.json'],
		...n8nCommunityNodesPlugin.configs.recommended,
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
	},
	{
		files: ['package.json'],
		// The limiter is Bottleneck, and queue mode needs a Redis client, ioredis.
		rules: { '@n8n/community-nodes/no-runtime-dependencies': 'off' },
	},
	{
		files: ['nodes/**/*.ts'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// They ask for the literal 'main', where n8n's newer rules ask for NodeConnectionTypes.Main.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
	{
		files: ['credentials/**/*.ts'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// It is for n8n's own credentials, whose documentation has no full address.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['**/*.{js,mjs}'],
		languageOptions: {
			globals: {
				console: 'readonly',
				module: 'writable',
				process: 'readonly',
				require: 'readonly',
				exports: 'writable',
				__dirname: 'readonly',
			},
		},
	},
);
