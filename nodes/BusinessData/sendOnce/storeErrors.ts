/** What is wrong with n8n's store of keys, or with the workflow that they belong to. */
import { isSavedWorkflow } from '../n8nInternals/services';
import { InvalidSettingError } from '../values/invalidSettingError';
import { messageOf } from '../values/text';
import { RequestError } from '../transport/requestError';

/** @throws InvalidSettingError where n8n knows that there is no workflow with this ID, RequestError when it cannot look */
export async function requireWorkflow(id: string): Promise<void> {
	if ((await inStore(async () => await isSavedWorkflow(id))) === false) throw noSuchWorkflow();
}

/** Runs what uses n8n's database. @throws RequestError, or InvalidSettingError for a workflow that was deleted */
export async function inStore<T>(access: () => Promise<T>): Promise<T> {
	try {
		return await access();
	} catch (error) {
		const words = messageOf(error);
		// The rows of a workflow go with it.
		if (/foreign key/i.test(words)) throw noSuchWorkflow();
		throw new RequestError(`Send Once Key: n8n's deduplication store failed (${words})`, {
			outcome: 'notSent',
			description:
				"Nothing was sent for this item, because nobody could tell whether it was sent before. Check n8n's database, then run the node again.",
		});
	}
}

function noSuchWorkflow(): InvalidSettingError {
	return new InvalidSettingError(
		'Workflow ID',
		'there is no such workflow in n8n',
		'Enter the ID of the workflow that sends the document, as its address in the browser shows it.',
	);
}
