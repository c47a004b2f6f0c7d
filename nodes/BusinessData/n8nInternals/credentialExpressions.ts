/** Inspects the expressions in a credential. n8n's API for nodes gives only their values for one item. */
import type { IExecuteFunctions, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

/** Variables that have the same value for all items. */
const SHARED = ['$env', '$secrets', '$vars'];

/** Whether the credential may differ between items; also true if this n8n does not reveal its expressions. */
export async function mayDifferByItem(context: IExecuteFunctions, type: string): Promise<boolean> {
	const { additionalData } = context as { additionalData?: IWorkflowExecuteAdditionalData };
	const details = context.getNode().credentials?.[type];
	if (additionalData === undefined || details === undefined) return true;
	const isRaw = true;
	try {
		const stored = await additionalData.credentialsHelper.getDecrypted(
			additionalData,
			details,
			type,
			context.getMode(),
			undefined,
			isRaw,
		);
		const text = JSON.stringify(stored);
		const names = text.match(/\$\w*/g) ?? [];
		return text.includes('"=') && names.some((name) => !SHARED.includes(name));
	} catch {
		return true;
	}
}
