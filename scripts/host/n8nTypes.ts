// What is saved in n8n and read from it, as far as it matters here.

/** A node of a workflow, as far as it matters here. */
export interface WorkflowNode {
	name: string;
	type: string;
	credentials?: Record<string, { id: string | null; name: string }>;
	[field: string]: unknown;
}

/** A workflow as it is exported from and imported into the editor. */
export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** A workflow that n8n has saved. */
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

/** A node type as the editor gets it, as far as it matters here. */
export interface NodeType {
	/** With its package, e.g. `n8n-nodes-business-data.businessData`. */
	name: string;
	version: number | number[];
	/** The addresses of its icons below n8n's own, for the light and for the dark theme. */
	iconUrl: { light: string; dark: string };
	codex?: { categories?: string[] };
	properties: { name: string; options?: { name: string; value?: unknown }[] }[];
}

/** What a new major version of n8n will change here, by its rules. */
export interface MigrationReport {
	instanceResults: { ruleId: string }[];
	workflowResults: { ruleId: string; affectedWorkflows: { name: string }[] }[];
}
