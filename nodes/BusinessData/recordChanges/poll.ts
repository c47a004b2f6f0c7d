/** One poll: reads all contacts, compares them with what was remembered, and remembers them. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { abortController } from '../rateLimit/abort';
import { toNodeError } from '../resources/itemErrors';
import { type ListOptions, readListSettings, readPages } from '../resources/list/pages';
import { parseRequestOptions, type RequestOptions } from '../resources/requestOptions';
import { CREDENTIAL_TYPE, readAccount } from '../transport/account';
import { Client } from '../transport/client';
import { ENDPOINTS } from '../transport/endpoints';
import { InvalidSettingError } from '../transport/invalidSettingError';
import { readEntries, readFlag, readGroup } from '../transport/settingValues';
import { Waits } from '../transport/waits';
import {
	type ContactEvent,
	type ContactEventName,
	EVENT_NAMES,
	eventsBetween,
} from './contactEvents';
import { type ContactState, readState, type SavedState, saveState, stateOf } from './contactState';

interface TriggerOptions extends ListOptions, RequestOptions {
	emitExisting?: unknown;
}

/** How many events a manual test run shows. */
const SAMPLE_SIZE = 10;

/** Triggers whose poll is under way, by workflow and node. */
const underWay = new Set<string>();

/**
 * The changes since the last poll; null when there is none.
 * @throws a node error; what was remembered stays as it was then
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const name = `${context.getWorkflow().id} ${context.getNode().name}`;
	// A poll that waits for the limits may last until the next one is due: both would see the same.
	if (underWay.has(name)) return null;
	underWay.add(name);
	try {
		const events = context.getMode() === 'manual' ? await sample(context) : await changes(context);
		if (events.length === 0) return null;
		return [events.map(({ event, contact }) => ({ json: { event, contact } }))];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	} finally {
		underWay.delete(name);
	}
}

/** Some of the contacts as they are, as if they had just been changed. */
async function sample(context: IPollFunctions): Promise<ContactEvent[]> {
	const [event = 'contactCreated'] = wantedEvents(context);
	const contacts: IDataObject[] = [];
	for await (const page of pagesOf(context)) {
		contacts.push(...(page.slice(0, SAMPLE_SIZE) as IDataObject[]));
		if (contacts.length >= SAMPLE_SIZE) break;
	}
	return contacts.slice(0, SAMPLE_SIZE).map((contact) => ({ event, contact }));
}

async function changes(context: IPollFunctions): Promise<ContactEvent[]> {
	const contacts: IDataObject[] = [];
	// Before the first request, so that a mistake in them sends nothing.
	const wanted = wantedEvents(context);
	const idField = readIdField(context);
	const isExistingWanted = readFlag('Emit Existing', optionsOf(context).emitExisting);
	for await (const page of pagesOf(context)) {
		// One by one: a call cannot take as many arguments as a page may have contacts.
		for (const contact of page) contacts.push(contact as IDataObject);
	}

	const current = stateOf(contacts, idField);
	const remembered = context.getWorkflowStaticData('node') as { contacts?: SavedState };
	const previous = readState(remembered.contacts);
	if (previous !== undefined && readsChangesOnly(context)) {
		// The others were not asked for, so they are as they were.
		for (const [id, contact] of previous) {
			if (!current.has(id)) current.set(id, contact);
		}
	}
	const nothing: ContactState = new Map();
	const events = eventsBetween(previous ?? nothing, current, contacts, idField);
	// Saved only when it is another, because n8n writes all of it into its database.
	if (previous === undefined || events.length > 0) remembered.contacts = saveState(current);

	if (previous === undefined && !isExistingWanted) return [];
	return events.filter(({ event }) => wanted.includes(event));
}

function pagesOf(context: IPollFunctions): AsyncGenerator<unknown[]> {
	return readAll(context, optionsOf(context));
}

async function* readAll(
	context: IPollFunctions,
	options: TriggerOptions,
): AsyncGenerator<unknown[]> {
	const account = readAccount(await context.getCredentials(CREDENTIAL_TYPE));
	const { signal } = abortController();
	const client = new Client(context, account, randomUUID(), new Waits(), signal);
	const { method, path } = ENDPOINTS.getContacts;
	const request = { endpoint: { method, path }, ...parseRequestOptions(options) };
	yield* readPages(client, request, { ...readListSettings(options), needsList: true });
}

function optionsOf(context: IPollFunctions): TriggerOptions {
	return readGroup('Options', context.getNodeParameter('options', {}));
}

function wantedEvents(context: IPollFunctions): ContactEventName[] {
	const value = context.getNodeParameter('events', []);
	const isKnown = (name: unknown) => EVENT_NAMES.some((known) => known === name);
	if (Array.isArray(value) && value.length > 0 && value.every(isKnown)) {
		return value as ContactEventName[];
	}
	throw new InvalidSettingError(
		'Events',
		'is not a list of known events',
		`Choose at least one of ${EVENT_NAMES.join(', ')}.`,
	);
}

function readIdField(context: IPollFunctions): string {
	const value = context.getNodeParameter('idField', 'id');
	if (typeof value === 'string' && value.trim() !== '') return value.trim();
	throw new InvalidSettingError(
		'ID Field',
		'is empty',
		'Enter the field that is unique to a contact, for example id.',
	);
}

/**
 * Whether a query parameter is an expression, such as "changed since the last hour": then a contact that
 * is missing from the answer has only not changed.
 */
function readsChangesOnly(context: IPollFunctions): boolean {
	const { options } = context.getNode().parameters as { options?: TriggerOptions };
	const { parameters } = readGroup('Query Parameters', options?.queryParameters);
	return readEntries('Query Parameters', parameters).some(
		({ value }) => typeof value === 'string' && value.startsWith('='),
	);
}
