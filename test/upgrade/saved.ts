/** What a version of the package has left behind in a real n8n and its Redis, see `record.ts`. */
import type { IDataObject, INode } from 'n8n-workflow';

export const KEY = '0123456789abcdef'.repeat(4);
/** The same for all versions: what is saved belongs to a service, and its address has a port. */
export const PORT = 28_417;
/** No test reaches them. */
export const LIMITS = { general: [{ max: 1_000, windowSeconds: 1 }], endpoints: {} };

/** The input of every saved node. */
export const RECORD = { id: 'r-1', invoice: 'A-1', total: 12.5 };

/** A request as the service has received it. */
export interface SavedRequest {
	method: string;
	path: string;
	query: unknown;
	body?: unknown;
}

export interface Saved {
	/** The version of n8n that has saved all this. */
	n8n: string;
	/** Nodes as n8n has saved them, with the requests that they made of `RECORD`. */
	nodes: Array<{ node: INode; requests: SavedRequest[] }>;
	/** A published trigger, with the static data of its workflow: what it remembered of the service's contacts. */
	trigger: { node: INode; staticData: IDataObject };
	/** A node that has sent `RECORD` with a Send Once Key, and n8n's record of it. */
	sendOnce: {
		workflowId: string;
		node: INode;
		rows: Array<{ workflowId: string; context: string; value: unknown }>;
	};
}
