/** One poll: reads the list, compares it with what was remembered, and remembers it. */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { ShutdownError } from '../n8nInternals/shutdown';
import { acquireExpressionIsolate } from '../n8nInternals/pollContext';
import { toNodeError } from '../run/itemErrors';
import { type PageClient, readPages } from '../lists/pages';
import { CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { RequestError } from '../transport/requestError';
import { mayWaitForSchedule } from './activation';
import { idOf, isMarked } from './comparePage';
import { emitDeletions, knownForGuard } from './endRead';
import { recordWithId, type RecordEvent, Events } from './events';
import { Memory } from './memory';
import { PollClient } from './pollClient';
import { beginPoll } from './pollTime';
import { type PollSettings, readPollSettings } from './pollSettings';
import { ListReader } from './readList';
import { boundFieldHashes, type State } from './state';
import { fieldNamesOf } from './watchedFields';

/** How many events a manual test run shows. */
const SAMPLE_SIZE = 10;

/** Triggers whose poll is under way. */
const underWay = new Set<string>();
/** How long (ms) n8n may take to save a durable cursor. */
const CURSOR_SAVED_WITHIN_MS = 5_000;

const DAY_MS = 86_400_000;

/** By trigger, when withheld deletions were last reported. Not in the state, because a failed poll saves none. */
const withheldReportedAt = new Map<string, number>();

/** Writes a sentence into n8n's log. */
type Log = (sentence: string, level?: 'info' | 'warn') => void;

/**
 * Returns the changes since the last poll; null if there are none, or if the next poll reports them.
 * @throws a node error. What was remembered stays unchanged then
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const time = beginPoll(context);
	const isTest = context.getMode() === 'manual';
	const log = logOf(context);
	let client: PollClient | undefined;
	try {
		const account = readAccount(await context.getCredentials(CREDENTIAL_TYPE));
		await acquireExpressionIsolate(context);
		const settings = readPollSettings(context, account);
		requireEvents(settings);
		client = new PollClient(context, account, time);
		const events = isTest
			? await sample(settings, client)
			: await exclusiveChanges(context, settings, client, log, time.isActivation);
		if (events.length === 0) return null;
		const { recordName } = settings;
		return [
			events.map(({ change, record, changedFields }) => ({
				json: {
					event: recordName + change,
					[recordName]: record,
					...(changedFields === undefined ? {} : { changedFields }),
				},
			})),
		];
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error);
		const isForNextPoll =
			error instanceof ShutdownError || (time.isActivation && mayWaitForSchedule(context, error));
		if (isTest || !isForNextPoll) throw nodeError;
		log(`Not polled; the next scheduled poll retries: ${nodeError.message}`, 'warn');
		return null;
	} finally {
		client?.end();
	}
}

/** @throws RequestError if only deletions are wanted, but the trigger's reads cannot show any */
function requireEvents(settings: PollSettings): void {
	const { wanted, recordName, readsChangesOnly, incremental, deletedWhen } = settings;
	const seesDeletions =
		deletedWhen !== undefined || (!readsChangesOnly && incremental?.fullReadMs !== 0);
	if (seesDeletions || wanted.some((change) => change !== 'Deleted')) return;
	const [reason, howToFix] = readsChangesOnly
		? ['A query parameter or a header is an expression', 'Replace it with a fixed value']
		: ['Full Read Hours is 0', 'Enter a number of hours'];
	throw nothingToEmit(
		'This trigger can never emit anything',
		`${reason}, so that only changed ${recordName}s are read, and deletions cannot be seen. ${howToFix}, choose another event, or set Deleted When.`,
	);
}

/** The first records of the list, as if they had just changed; an updated record in all fields. */
async function sample(settings: PollSettings, client: PageClient): Promise<RecordEvent[]> {
	const { request, list, wanted, recordName, deletedWhen } = settings;
	const { watchedList, watchedFields, emitsChangedFields } = settings;
	const showsFields = emitsChangedFields && wanted.includes('Updated');
	// A deleted record may show only its ID.
	const change = showsFields ? 'Updated' : (wanted.find((one) => one !== 'Deleted') ?? 'Deleted');
	const isShown = (record: unknown) => change === 'Deleted' || !isMarked(record, deletedWhen);
	const records: unknown[] = [];
	for await (const page of readPages(client, request, list)) {
		records.push(...page.records.filter(isShown).slice(0, SAMPLE_SIZE));
		if (records.length >= SAMPLE_SIZE) break;
	}
	if (records.length === 0) {
		// In the editor, a poll without items shows nothing at all.
		throw nothingToEmit(
			`The list has no ${recordName}s to show`,
			`Create a ${recordName} in the service, or check the options that filter the list. A published trigger waits for the first one.`,
		);
	}
	return records.slice(0, SAMPLE_SIZE).map((record, index) => {
		const id = idOf(record, settings, `${index + 1} of ${records.length}`);
		if (change === 'Deleted' && !isMarked(record, deletedWhen))
			return { change, record: recordWithId(id, watchedList.idField) };
		const changedFields = showsFields ? fieldNamesOf(watchedFields.watchedPart(record)) : undefined;
		return { change, record: record as IDataObject, changedFields };
	});
}

function nothingToEmit(message: string, description: string): RequestError {
	return new RequestError(message, { outcome: 'notSent', description });
}

/** The changes, unless the previous poll is still under way, because both would see the same ones. */
async function exclusiveChanges(
	context: IPollFunctions,
	settings: PollSettings,
	client: PageClient,
	log: Log,
	isActivation: boolean,
): Promise<RecordEvent[]> {
	const memory = new Memory(context, settings, log);
	const { triggerKey } = memory;
	if (underWay.has(triggerKey)) return [];
	underWay.add(triggerKey);
	try {
		const state = await memory.recall();
		const found = new Events();
		const leftOut = state.hasTooManyFields ? state.settings.watched : undefined;
		await new ListReader(client, state, settings, found, log).read();
		boundFieldHashes(state);
		if (state.hasTooManyFields && leftOut !== state.settings.watched) {
			log('Changed Fields: left out, because the records have too many fields to remember', 'warn');
		}
		const withheld = emitDeletions(state, settings, found);
		if (noteWithheld(state, withheld, triggerKey, isActivation)) {
			const error = withheldError(state, withheld, settings);
			// Nothing is remembered then, so the next poll finds the other events again.
			if (!isActivation && settings.wanted.includes('Deleted')) throw error;
			log(error.message, 'warn');
		}
		const events = found.list.filter(({ change }) => settings.wanted.includes(change));
		return (await memory.keep(state, events.length > 0)) ? events : [];
	} finally {
		const end = () => underWay.delete(triggerKey);
		if (memory.isSavedLate) setTimeout(end, CURSOR_SAVED_WITHIN_MS).unref();
		else end();
	}
}

/** @returns whether withheld deletions must be reported now, which is noted unless the poll belongs to an activation */
function noteWithheld(
	state: State,
	withheld: number,
	triggerKey: string,
	isActivation: boolean,
): boolean {
	const last = Math.max(state.guard.reportedAt, withheldReportedAt.get(triggerKey) ?? 0);
	// After a poll that failed with the report, the next one goes on, even days later.
	const hasFailed = last > state.guard.reportedAt;
	// The clock may also have been set back.
	const isOld = Math.abs(Date.now() - last) >= DAY_MS;
	const isDue = withheld > 0 && !hasFailed && isOld;
	state.guard.reportedAt = withheld === 0 ? 0 : isDue && !isActivation ? Date.now() : last;
	withheldReportedAt.set(triggerKey, state.guard.reportedAt);
	return isDue;
}

function withheldError(
	state: State,
	withheld: number,
	{ recordName, maxDeletionPercent, deletedWhen }: PollSettings,
): RequestError {
	const known = Math.max(withheld, knownForGuard(state));
	const [orMarked, orMark] =
		deletedWhen === undefined ? ['', ''] : [' or marked as deleted', ', a wrong Deleted When'];
	return new RequestError(
		`${withheld} of ${known} known ${recordName}s are missing in the list${orMarked}; their deletion is withheld`,
		{
			outcome: 'unknown',
			description: `More than ${maxDeletionPercent} % at once is more likely a role of the API key that hides them, a filter${orMark} or another business than deletions. If they come back, nothing has happened. If they were deleted, set the option Max Deletion Percent to 100 until the next poll has emitted them.`,
		},
	);
}

function logOf(context: IPollFunctions): Log {
	const { name } = context.getNode();
	const details = { workflowId: context.getWorkflow().id, nodeName: name };
	return (sentence, level = 'info') => context.logger[level](`${name}: ${sentence}`, details);
}
