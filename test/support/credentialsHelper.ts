/** Gives the engine the credentials of a test, in place of n8n's database. */
import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialsHelper,
	IExecuteData,
	IHttpRequestOptions,
	INode,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { PackageDirectoryLoader } from 'n8n-core';

/** What the templates of headers give, by template and credential: each request asks for them. */
const evaluated = new Map<string, string>();

/** What the engine calls. */
type Used =
	| 'getParentTypes'
	| 'isCredentialUsableByNode'
	| 'authenticate'
	| 'preAuthentication'
	| 'getDecrypted';

export class CredentialsHelper implements Pick<ICredentialsHelper, Used> {
	constructor(
		/** Knows the types of credentials. */
		private readonly loader: PackageDirectoryLoader,
		/** By their ID. */
		private readonly credentials: Record<string, ICredentialDataDecryptedObject>,
	) {}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	/** Applies the credential type's own generic `authenticate` block, as n8n does. */
	async authenticate(
		data: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.loader.getCredential(typeName).type;
		if (authenticate === undefined || typeof authenticate === 'function') return options;
		const headers = { ...options.headers };
		for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
			const key = JSON.stringify([value, data]);
			const known =
				evaluated.get(key) ??
				(workflow.expression.getSimpleParameterValue(node, value as string, 'internal', {
					$credentials: data,
				}) as string);
			evaluated.set(key, known);
			headers[name] = known;
		}
		return await Promise.resolve({ ...options, headers });
	}

	async preAuthentication() {
		return await Promise.resolve(undefined);
	}

	/** Has expressions evaluated for the item, as n8n does. */
	async getDecrypted(
		_: IWorkflowExecuteAdditionalData,
		details: { id: string | null },
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const data = this.credentials[details.id ?? ''];
		if (data === undefined) throw new Error(`There is no credential ${details.id}`);
		if (raw === true || values === undefined) return await Promise.resolve({ ...data });
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			{ ...data } as INode['parameters'],
			...([runExecutionData, runIndex, itemIndex, node.name, connectionInputData] as const),
			...([mode, {}, executeData] as const),
		) as ICredentialDataDecryptedObject;
	}
}
