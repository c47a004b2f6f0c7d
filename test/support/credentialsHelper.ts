/** Gives the engine the credentials of a test, in place of n8n's database. */
import type { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialDataDecryptedObject, ICredentialsHelper, INode } from 'n8n-workflow';

/** Cache of evaluated header templates, by template and credential, because each request needs them. */
const evaluated = new Map<string, string>();

type Helper = Required<ICredentialsHelper>;

/** Implements only what the engine calls. */
export class CredentialsHelper {
	constructor(
		/** Knows the types of credentials. */
		private readonly loader: PackageDirectoryLoader,
		/** By their ID. */
		private readonly credentials: Record<string, ICredentialDataDecryptedObject>,
	) {}

	getParentTypes = () => [];

	isCredentialUsableByNode = () => true;

	async preAuthentication() {
		return await Promise.resolve(undefined);
	}

	/** Applies the credential type's own generic `authenticate` block, as n8n does. */
	async authenticate(...call: Parameters<Helper['authenticate']>) {
		const [data, typeName, options, workflow, node] = call;
		const { authenticate } = this.loader.getCredential(typeName).type;
		if (typeof authenticate !== 'object' || workflow === undefined || node === undefined) {
			return options;
		}
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

	/** Evaluates expressions for the item, as n8n does. */
	async getDecrypted(...call: Parameters<Helper['getDecrypted']>) {
		const [, details, , mode, executeData, raw, values] = call;
		const data = this.credentials[details.id ?? ''];
		if (data === undefined) throw new Error(`There is no credential ${details.id}`);
		if (raw === true || values === undefined) return await Promise.resolve({ ...data });
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			{ ...data } as INode['parameters'],
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}
}
