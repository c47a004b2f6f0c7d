import { isSavedWorkflow } from '../n8nInternals/services';
import { InvalidSettingError } from '../values/invalidSettingError';
import { messageOf } from '../values/text';
import { RequestError } from '../transport/requestError';

/** @throws InvalidSettingError if there is no such workflow, RequestError if n8n cannot tell */
export async function requireWorkflow(id: string): Promise<void> {
	if ((await inStore(isSavedWorkflow(id))) === false) throw noSuchWorkflow();
}

/** @throws RequestError, or InvalidSettingError if the workflow was deleted */
export async function inStore<T>(access: Promise<T>): Promise<T> {
	try {
		return await access;
	} catch (error) {
		const words = messageOf(error);
		// n8n deletes the rows of a workflow together with it.
		if (/foreign key/i.test(words)) throw noSuchWorkflow();
		throw storeFailed(words);
	}
}

export function storeFailed(words: string): RequestError {
	return new RequestError(`Send Once Key: n8n's deduplication store failed (${words})`, {
		outcome: 'notSent',
		description:
			"Without it, nobody can tell what was sent before, so nothing was sent. Check n8n's database, then run the item again.",
	});
}

function noSuchWorkflow(): InvalidSettingError {
	return new InvalidSettingError(
		'Workflow ID',
		'there is no such workflow in n8n',
		'Enter the ID of the workflow that sends the document, as its address in the browser shows it.',
	);
}
