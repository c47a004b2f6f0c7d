/** The versions whose saved data the tests have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode, INodeExecutionData } from 'n8n-workflow';

import { workflowOf } from '../support/engineWorkflow';
import type { Saved } from './saved';

/** By version. */
export const savedByVersions: Array<[version: string, saved: Saved]> = readdirSync(__dirname, {
	withFileTypes: true,
})
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => {
		const file = join(__dirname, name, 'saved.json');
		return [name, JSON.parse(readFileSync(file, 'utf8')) as Saved];
	});

/** A saved node behind these items, with the credential of the tests in place of its own. */
export function savedWorkflow(id: string, node: INode, items: Array<INodeExecutionData['json']>) {
	const credentials = { businessDataApi: { id: 'key', name: 'key' } };
	return { id, ...workflowOf(items, node.parameters, { ...node, credentials }) };
}
