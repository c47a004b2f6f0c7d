/** One poll: reads the list, compares it with what was remembered, and remembers it. */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { toNodeError } from '../resources/itemErrors';
import { readPages } from '../resources/list/pages';
import { CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { idOf } from './comparePage';
import { Events, recordOf } from './events';
import { holdExpressions } from './expressions';
import { Memory } from './memory';
import { PollClient } from './pollClient';
import { type Question, readQuestion } from './question';
import { ListReader } from './readList';
import type { RecordEvent } from './sources';

/** How many events a manual test run shows. */
const SAMPLE_SIZE = 10;

/** Triggers whose poll is under way, by workflow and node. */
const underWay = new Set<string>();

/**
 * The changes since the last poll; null when there is none.
 * @throws a node error; what was remembered stays as it was then
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const startedAt = performance.now();
	try {
		const account = readAccount(await context.getCredentials(CREDENTIAL_TYPE));
		await holdExpressions(context);
		const question = readQuestion(context, account);
		const client = new PollClient(context, account, startedAt);
		const events =
			context.getMode() === 'manual'
				? await sample(question, client)
				: await changesInTurn(context, question, client);
		if (events.length === 0) return null;
		const { recordName } = question;
		return [
			events.map(({ change, record }) => ({
				json: { event: recordName + change, [recordName]: record },
			})),
		];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** Some of the records as they are, as if they had just been changed. */
async function sample(question: Question, client: PollClient): Promise<RecordEvent[]> {
	const { request, settings, wanted, idField } = question;
	const records: unknown[] = [];
	for await (const page of readPages(client, request, settings)) {
		records.push(...page.slice(0, SAMPLE_SIZE));
		if (records.length >= SAMPLE_SIZE) break;
	}
	// One of which more is known than the ID, where there is one.
	const change = wanted.find((one) => one !== 'Deleted') ?? 'Deleted';
	return records.slice(0, SAMPLE_SIZE).map((record, index) => {
		const id = idOf(record, question, `${index + 1} of ${records.length}`);
		return {
			change,
			record: change === 'Deleted' ? recordOf(id, idField) : (record as IDataObject),
		};
	});
}

/** The changes, unless the poll before is still under way: both would see the same. */
async function changesInTurn(
	context: IPollFunctions,
	question: Question,
	client: PollClient,
): Promise<RecordEvent[]> {
	const name = `${context.getWorkflow().id} ${context.getNode().name}`;
	if (underWay.has(name)) return [];
	underWay.add(name);
	try {
		return await changes(context, question, client);
	} finally {
		underWay.delete(name);
	}
}

async function changes(
	context: IPollFunctions,
	question: Question,
	client: PollClient,
): Promise<RecordEvent[]> {
	const tell = (sentence: string) =>
		context.logger.info(sentence, {
			workflowId: context.getWorkflow().id,
			nodeName: context.getNode().name,
		});
	const memory = new Memory(context, question, tell);
	const state = await memory.recall();
	const found = new Events(question.idField);
	await new ListReader(client, question, state, found, tell).read();
	const events = found.list.filter(({ change }) => question.wanted.includes(change));
	return (await memory.keep(state, events.length > 0)) ? events : [];
}
