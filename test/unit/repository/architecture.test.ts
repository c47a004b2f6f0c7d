// docs/architecture.md is accurate: its diffs apply, build and work, the files it names exist, and every folder of the
// node has a layer.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import type * as endpoints from '../../../nodes/BusinessData/transport/endpoints';
import type * as sandboxLimits from '../../../sandbox/limits';
import { ProjectCopy } from '../../support/projectCopy';
import { choicesOf, fieldsOf, operationsOf, optionsOf } from '../description/properties';
import { codeIn, PROJECT_FOLDER, readProjectFile } from './projectFiles';

const page = readProjectFile('docs/architecture.md');
const diffs = [...page.matchAll(/```diff\n([\s\S]*?)```/g)].map(([, diff = '']) => diff);

const CODE = join('nodes', 'BusinessData');

let copy: ProjectCopy | undefined;
afterAll(() => copy?.remove());

test('the diffs apply, and the changed code builds with the new operation and its limits', () => {
	const { folder } = (copy = new ProjectCopy());
	for (const diff of diffs) copy.apply(diff);
	expect(copy.run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'], 120_000)).toBe(true);

	const built = (file: string): unknown =>
		jest.requireActual(join(folder, 'dist', 'nodes', 'BusinessData', file));
	const { BusinessData } = built('BusinessData.node.js') as { BusinessData: new () => INodeType };
	const { description } = new BusinessData();
	const ofPayments = operationsOf('payment', description);
	expect(choicesOf(ofPayments).map(({ value }) => value)).toEqual(['getMany', 'send']);
	expect(ofPayments?.default).toBe('send');
	const fields = fieldsOf('payment', 'getMany', description);
	expect(fields.map(({ name }) => name)).toEqual(['returnAll', 'limit', 'options']);
	const options = optionsOf(fields.at(-1)).map(({ name }) => name);
	expect(options).toEqual(expect.arrayContaining(['itemsField', 'pagination']));

	const node = built('transport/endpoints.js') as typeof endpoints;
	const sandbox = jest.requireActual<typeof sandboxLimits>(join(folder, 'sandbox', 'limits.ts'));
	for (const { general } of [node.DOCUMENTED_LIMITS, sandbox.DOCUMENTED_LIMITS]) {
		expect(general).toContainEqual({ max: 2_000, windowSeconds: 7_200 });
	}
	const ofReads = node.DOCUMENTED_LIMITS.endpoints['GET /txndata/getPayments'];
	expect(ofReads).toEqual({ max: 20, windowSeconds: 60 });
});

test('every file and folder named on the page exists', () => {
	const paths = codeIn(page).filter(
		(code) => /^[\w./-]+(\/|\.\w+)$/.test(code) && !code.startsWith('/'),
	);
	expect(paths.length).toBeGreaterThan(10);
	const isThere = (path: string): boolean =>
		['', ...['', 'resources', 'trigger', 'rateLimit'].map((name) => join(CODE, name))].some(
			(folder) => existsSync(join(PROJECT_FOLDER, folder, path)),
		);
	expect(paths.filter((path) => !isThere(path) && path !== 'index.ts')).toEqual([]);
});

test('every folder of the node has a layer, so that ESLint checks its imports', () => {
	const entries = readdirSync(join(PROJECT_FOLDER, CODE), { withFileTypes: true });
	const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'));
	const config = readProjectFile('eslint.config.mjs');
	expect(folders.filter(({ name }) => !config.includes(`'${name}'`))).toEqual([]);
});

test('no files import one another in a circle, not even for types', () => {
	const circles: string[] = [];
	const done = new Set<string>();
	const visit = (file: string, importedBy: string[]) => {
		if (importedBy.includes(file)) circles.push([...importedBy, file].join(' → '));
		if (importedBy.includes(file) || done.has(file)) return;
		for (const [, path = ''] of readProjectFile(file).matchAll(/ from '(\.[^']*)';/g)) {
			const files = [`${path}.ts`, `${path}/index.ts`].map((name) => join(dirname(file), name));
			const imported = files.find((one) => existsSync(join(PROJECT_FOLDER, one)));
			expect([path, imported]).toEqual([path, expect.any(String)]);
			visit(imported ?? '', [...importedBy, file]);
		}
		done.add(file);
	};
	for (const name of ['BusinessData', 'BusinessDataTrigger'])
		visit(join(CODE, `${name}.node.ts`), []);
	expect(done.size).toBeGreaterThan(100);
	expect(circles).toEqual([]);
});
