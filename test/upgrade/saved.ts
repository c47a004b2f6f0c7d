/** What versions of the package have saved in a real n8n, see `record.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';

import { MARKER_HEADER, type Sandbox } from '../../sandbox/server';
import { CREDENTIAL_TYPE, workflowOf } from '../support/engineWorkflow';

export const KEY = '0123456789abcdef'.repeat(4);
/** The same for all versions, because saved state belongs to the address of a service, with its port. */
export const PORT = 28_417;
/** Limits that no test reaches. */
export const LIMITS = { general: [{ max: 1_000, windowSeconds: 1 }], endpoints: {} };

/** The input of every saved node. */
export const RECORD = { id: 'r-1', invoice: 'A-1', total: 12.5 };

/** The requests of the node of this name that the service has received. */
export const requestsOf = (sandbox: Sandbox, name: string) =>
	sandbox.journal
		.all()
		.filter(({ headers }) => headers[MARKER_HEADER] === name)
		.map(({ method, path, query, body }) => ({ method, path, query, body }));

export interface Saved {
	/** The version of n8n that has saved all this. */
	n8n: string;
	/** Nodes as n8n has saved them, with the requests that they made for `RECORD`. */
	nodes: Array<{ node: INode; requests: Array<Partial<ReturnType<typeof requestsOf>[number]>> }>;
	/** A published trigger with the static data of its workflow, which has the state of the service's contacts. */
	trigger: { node: INode; staticData: IDataObject };
	/** A node that has sent `RECORD` with a Send Once Key, and n8n's record of it. */
	sendOnce: {
		workflowId: string;
		node: INode;
		rows: Array<{ workflowId: string; context: string; value: unknown }>;
	};
}

/** What was saved, by version of the package. */
export const savedByVersions: Array<[version: string, saved: Saved]> = readdirSync(__dirname, {
	withFileTypes: true,
})
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => {
		const file = join(__dirname, name, 'saved.json');
		return [name, JSON.parse(readFileSync(file, 'utf8')) as Saved];
	});

/** A workflow with a saved node and these input items. */
export function savedWorkflow(id: string, node: INode, items: Array<INodeExecutionData['json']>) {
	return { id, ...workflowOf(items, node.parameters, node) };
}

/** The credential of a saved node, with other fields. */
export function savedCredential(
	{ credentials }: INode,
	fields: ICredentialDataDecryptedObject,
): Record<string, ICredentialDataDecryptedObject> {
	return { [credentials?.[CREDENTIAL_TYPE]?.id ?? '']: fields };
}
