/** One poll: reads the list, compares it with what was remembered, and remembers it. */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { ShutdownError } from '../n8nInternals/shutdown';
import { triggerIdOf } from '../n8nInternals/staticData';
import { holdExpressions } from '../n8nInternals/workflow';
import { toNodeError } from '../resources/itemErrors';
import { readPages } from '../resources/list/pages';
import { CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { isForSchedule } from './activation';
import { idOf } from './comparePage';
import { Events, recordOf } from './events';
import { Memory } from './memory';
import { PollClient } from './pollClient';
import { timeForPoll } from './pollTime';
import { type Question, readQuestion } from './question';
import { ListReader } from './readList';
import type { RecordEvent } from './sources';

/** How many events a manual test run shows. */
const SAMPLE_SIZE = 10;

/** Triggers whose poll is under way, by workflow and node. */
const underWay = new Set<string>();

/** Writes a sentence into n8n's log. */
export type Log = (sentence: string, level?: 'info' | 'warn') => void;

/**
 * The changes since the last poll; null when there is none, or when the next poll tells them.
 * @throws a node error; what was remembered stays as it was then
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const time = timeForPoll(context);
	const isTest = context.getMode() === 'manual';
	const log = logOf(context);
	let client: PollClient | undefined;
	let memory: Memory | undefined;
	try {
		const account = readAccount(await context.getCredentials(CREDENTIAL_TYPE));
		await holdExpressions(context);
		const question = readQuestion(context, account);
		client = new PollClient(context, account, time);
		let events: RecordEvent[];
		if (isTest) events = await sample(question, client);
		else {
			memory = new Memory(context, question, time.isActivation, log);
			events = await changesInTurn(context, question, client, memory, log);
		}
		if (events.length === 0) return null;
		const { recordName } = question;
		return [
			events.map(({ change, record }) => ({
				json: { event: recordName + change, [recordName]: record },
			})),
		];
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error);
		// Where it could not be looked up, something may be known.
		const hasWorked = memory !== undefined && memory.isKnown !== false;
		const isLeft =
			error instanceof ShutdownError ||
			(time.isActivation && isForSchedule(context, error, hasWorked));
		if (isTest || !isLeft) throw nodeError;
		log(`Not polled, which is left to the next poll of the schedule: ${nodeError.message}`, 'warn');
		return null;
	} finally {
		client?.end();
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
	memory: Memory,
	log: Log,
): Promise<RecordEvent[]> {
	const name = `${context.getWorkflow().id} ${triggerIdOf(context)}`;
	if (underWay.has(name)) return [];
	underWay.add(name);
	try {
		const state = await memory.recall();
		const found = new Events(question.idField);
		await new ListReader(client, question, state, found, log).read();
		const events = found.list.filter(({ change }) => question.wanted.includes(change));
		return (await memory.keep(state, events.length > 0)) ? events : [];
	} finally {
		underWay.delete(name);
	}
}

function logOf(context: IPollFunctions): Log {
	const { name } = context.getNode();
	const details = { workflowId: context.getWorkflow().id, nodeName: name };
	return (sentence, level = 'info') => context.logger[level](`${name}: ${sentence}`, details);
}
