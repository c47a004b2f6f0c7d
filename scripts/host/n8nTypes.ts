// The parts that matter here of what n8n saves and returns.

export interface WorkflowNode {
	name: string;
	type: string;
	credentials?: Record<string, { id: string | null; name: string }>;
	[field: string]: unknown;
}

/** A workflow as the editor exports and imports it. */
export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export interface SavedWorkflow extends Workflow {
	id: string;
	versionId?: string;
}

/** A credential with its secrets, to be saved. */
export interface Credential {
	name: string;
	/** The credential type, e.g. `businessDataApi`. */
	type: string;
	data: Record<string, unknown>;
}

/** An execution in the list of executions. */
export interface ExecutionListing {
	id: string;
	status: string;
	mode: string;
	workflowId: string;
}

/** A node type as the editor gets it. */
export interface NodeType {
	/** With its package, e.g. `n8n-nodes-business-data.businessData`. */
	name: string;
	version: number | number[];
	/** The paths of its icons for the light and the dark theme. */
	iconUrl: { light: string; dark: string };
	codex?: { categories?: string[] };
	properties: { name: string; options?: { name: string; value?: unknown }[] }[];
}

/** What a new major version of n8n will change, by rule. */
export interface MigrationReport {
	instanceResults: { ruleId: string }[];
	workflowResults: { ruleId: string; affectedWorkflows: { name: string }[] }[];
}
