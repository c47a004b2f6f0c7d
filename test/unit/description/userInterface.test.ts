/** What n8n's lint rules do not see of its rules for the user interface: they read literals alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import { BusinessDataTrigger } from '../../../nodes/BusinessData/BusinessDataTrigger.node';
import { allOf, choicesOf, description, operationsOf, optionsOf } from './properties';

const credential = new BusinessDataApi();
const { description: trigger } = new BusinessDataTrigger();
const properties: INodeProperties[] = allOf([
	...[...description.properties, ...trigger.properties, ...credential.properties],
]);
const actions = choicesOf(description.properties[0]).flatMap(({ value }) =>
	choicesOf(operationsOf(String(value))),
);

test('every field has a description, but those that every n8n user knows', () => {
	const known = ['Resource', 'Operation', 'Options', 'Name', 'Value'];
	const without = properties.filter((property) => property.description === undefined);
	expect(
		without.map(({ displayName }) => displayName).filter((name) => !known.includes(name)),
	).toEqual([]);
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

test('options are in alphabetical order', () => {
	for (const collection of properties.filter(({ type }) => type === 'collection')) {
		const names = optionsOf(collection).map(({ displayName }) => displayName);
		expect(names).toEqual([...names].sort());
	}
});

test('every operation has an action in sentence case that starts with a verb and has no article', () => {
	expect(new Set(actions.map(({ action }) => action)).size).toBe(actions.length);
	for (const { action, description: text } of actions) {
		expect(action).toMatch(/^(Send|Get|Delete|Wait|Mark|Release) ([a-z]|API )/);
		expect(action).not.toMatch(/\b(a|an|the)\b/i);
		// Capitals are for names only.
		expect(action?.slice(1).replace(/\b(API|WP)\b/g, '')).not.toMatch(/[A-Z]/);
		expect(text).toBeDefined();
	}
});

test('every secret is hidden', () => {
	const secrets = credential.properties.filter(({ name }) => /key|password/i.test(name));
	expect(secrets.length).toBeGreaterThan(0);
	for (const { typeOptions } of secrets) expect(typeOptions).toMatchObject({ password: true });
});

test('resource and operation take no expression', () => {
	const lists = description.properties.filter(({ name }) => /^(resource|operation)$/.test(name));
	expect(lists.length).toBeGreaterThan(1);
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
