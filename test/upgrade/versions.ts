/** The versions whose saved data the tests have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject, INode, INodeExecutionData } from 'n8n-workflow';

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

/** A saved node behind these items. */
export function savedWorkflow(id: string, node: INode, items: Array<INodeExecutionData['json']>) {
	return { id, ...workflowOf(items, node.parameters, node) };
}

/** The credential of a saved node, with the fields of the tests. */
export function savedCredential(
	{ credentials }: INode,
	fields: ICredentialDataDecryptedObject,
): Record<string, ICredentialDataDecryptedObject> {
	return { [credentials?.businessDataApi?.id ?? '']: fields };
}
