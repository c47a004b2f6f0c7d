/** What users read in the editor follows n8n's rules for the user interface. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import { BusinessDataTrigger } from '../../../nodes/BusinessData/BusinessDataTrigger.node';
import { allOf, choicesOf, description, groupsOf, operationsOf } from './properties';

const credential = new BusinessDataApi();
const { description: trigger } = new BusinessDataTrigger();
const properties: INodeProperties[] = allOf([
	...[...description.properties, ...trigger.properties, ...credential.properties],
]);
const choices: INodePropertyOptions[] = properties.flatMap(choicesOf);
const groups = properties.flatMap(groupsOf);
const actions = choicesOf(description.properties[0]).flatMap(({ value }) =>
	choicesOf(operationsOf(String(value))),
);

/** Words that stay small in a title, unless they come first. */
const SMALL_WORDS = new Set(['a', 'an', 'and', 'as', 'for', 'in', 'of', 'or', 'the', 'to', 'n8n']);

function isTitleCase(text: string): boolean {
	const words = text.replace(/[()]/g, '').split(/[\s-]+/);
	return words.every(
		(word, index) => /^[A-Z\d]/.test(word) || (index > 0 && SMALL_WORDS.has(word)),
	);
}

/** One sentence without a full stop, or several with one each; the first letter is a capital. */
function isDescription(text: string): boolean {
	if (!/^[A-Z]/.test(text) || text !== text.trim() || text.includes('  ')) return false;
	return /[.!?] [A-Z]/.test(text) ? text.endsWith('.') : !text.endsWith('.');
}

describe('the rules themselves', () => {
	test.each([
		['Data to Send', true],
		['Send (WP)', true],
		['Auto-Map Input Data', true],
		['JSON Body', true],
		['Data to send', false],
		['to Send', false],
	])('"%s" as a title: %j', (text, isOne) => {
		expect(isTitleCase(text)).toBe(isOne);
	});

	test.each([
		['The path below the base URL', true],
		['Leave it empty. It is found then.', true],
		['The path below the base URL.', false],
		['Leave it empty. It is found then', false],
		['the path', false],
	])('"%s" as a description: %j', (text, isOne) => {
		expect(isDescription(text)).toBe(isOne);
	});
});

test('every label is in title case', () => {
	const labels = [
		...[...properties, ...groups].map(({ displayName }) => displayName),
		...choices.map(({ name }) => name),
	];
	expect(labels.length).toBeGreaterThan(100);
	expect(labels.filter((label) => !isTitleCase(label))).toEqual([]);
});

test('every field has a description, but those that every n8n user knows', () => {
	const known = ['Resource', 'Operation', 'Options', 'Name', 'Value'];
	const without = properties.filter((property) => property.description === undefined);
	expect(
		without.map(({ displayName }) => displayName).filter((name) => !known.includes(name)),
	).toEqual([]);
});

test('every description is in sentence case, with full stops only between sentences', () => {
	const texts = [...properties, ...choices].flatMap(({ description: text }) => text ?? []);
	expect(texts.length).toBeGreaterThan(100);
	expect(texts.filter((text) => !isDescription(text))).toEqual([]);
	expect([description, trigger].map((node) => isDescription(node.description))).toEqual([
		true,
		true,
	]);
});

test('every switch says what it is about: whether …', () => {
	const switches = properties.filter(({ type }) => type === 'boolean');
	expect(switches.length).toBeGreaterThanOrEqual(3);
	for (const property of switches) {
		expect(property.description).toMatch(/^Whether /);
		expect(property.default).toBe(false);
	}
});

test('every placeholder of a value is an example', () => {
	const placeholders = properties
		.filter(({ type }) => type === 'string' || type === 'number')
		.flatMap(({ placeholder }) => placeholder ?? []);
	expect(placeholders.length).toBeGreaterThan(0);
	expect(placeholders.filter((text) => !text.startsWith('e.g. '))).toEqual([]);
});

test('every group of fields can be added', () => {
	const collections = properties.filter(({ type }) => /^(fixedC|c)ollection$/.test(type));
	expect(collections.length).toBeGreaterThan(5);
	for (const { placeholder } of collections) expect(placeholder).toMatch(/^Add \S/);
});

test('every operation has an action in sentence case that starts with a verb and has no article', () => {
	expect(actions).toHaveLength(12);
	for (const { action, description: text } of actions) {
		expect(action).toMatch(/^(Send|Get|Delete|Wait|Mark|Release) ([a-z]|API )/);
		expect(action).not.toMatch(/\b(a|an|the)\b/i);
		// Capitals are for names only.
		expect(action?.slice(1).replace(/\b(API|WP)\b/g, '')).not.toMatch(/[A-Z]/);
		expect(text).toBeDefined();
	}
	expect(new Set(actions.map(({ action }) => action)).size).toBe(12);
});

test('every default of a list is one of its choices', () => {
	for (const list of properties.filter(({ type }) => type === 'options')) {
		expect(choicesOf(list).map(({ value }) => value)).toContain(list.default);
	}
});

test('every secret is hidden', () => {
	const secrets = credential.properties.filter(({ name }) => /key|password/i.test(name));
	expect(secrets.length).toBeGreaterThan(0);
	for (const { typeOptions } of secrets) expect(typeOptions).toMatchObject({ password: true });
});

test('resource and operation take no expression', () => {
	const lists = description.properties.filter(({ name }) => /^(resource|operation)$/.test(name));
	expect(lists).toHaveLength(7);
	for (const list of lists) expect(list.noDataExpression).toBe(true);
});

describe('the icons', () => {
	const dist = join(__dirname, '../../../dist');

	test.each([
		['the node', description.icon, 'nodes/BusinessData'],
		['the credential', credential.icon, 'credentials'],
	])('of %s are there for light and dark', (_, icon, folder) => {
		const { light, dark } = icon as { light: string; dark: string };
		expect(light).not.toBe(dark);
		for (const file of [light, dark]) {
			expect(existsSync(join(dist, folder, file.replace(/^file:/, '')))).toBe(true);
		}
	});
});
