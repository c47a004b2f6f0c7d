/** Saved nodes of workflows, and credentials. */

export type CredentialFields = Record<string, unknown>;

export interface SavedNode {
	id: string;
	workflowId: string;
	parameters: Record<string, unknown>;
	/** The ID of its credential. */
	credential: string;
	onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	retryOnFail?: boolean;
	maxTries?: number;
	/** In milliseconds. */
	waitBetweenTries?: number;
}

export const NODE_TYPE = 'n8n-nodes-business-data.businessData';
export const TOOL_TYPE = `${NODE_TYPE}Tool`;
export const CREDENTIAL_TYPE = 'businessDataApi';

export function nodeJson({ id, workflowId: _, credential, ...own }: SavedNode, type = NODE_TYPE) {
	return {
		id,
		name: 'Business Data',
		type,
		typeVersion: 1,
		position: [0, 0],
		credentials: { [CREDENTIAL_TYPE]: { id: credential, name: credential } },
		...own,
	};
}
