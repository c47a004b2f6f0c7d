/** Reads and checks the fields of a trigger before any request. */
import type { IPollFunctions } from 'n8n-workflow';

import { type ListSettings, readListSettings } from '../lists/listSettings';
import { parseRequestOptions } from '../parameters/requestOptions';
import { type Account, CREDENTIAL_TYPE } from '../transport/account';
import { ENDPOINTS } from '../transport/endpoints';
import { parsePath } from '../transport/endpointPath';
import { hashOf } from '../values/hash';
import { holdsExpression, readMarked } from '../values/unresolvedValues';
import { InvalidSettingError } from '../values/invalidSettingError';
import type { QueryParameters, ServiceRequest } from '../transport/serviceRequest';
import {
	readChoice,
	readEntries,
	readFilledText,
	readNumber,
	readFlag,
	readGroup,
	readList,
	readText,
	readTextToSend,
} from '../values/settingValues';
import { type Incremental, readIncremental } from './incremental';
import { MAX_DELETION_PERCENT } from './changeOptions';
import { WatchedFields } from './watchedFields';

const SOURCES = ['contacts', 'endpoint'] as const;

export type SourceName = (typeof SOURCES)[number];

/** By source, what a record is called in the names of events, in the output and in errors. */
export const RECORD_NAMES = { contacts: 'contact', endpoint: 'record' } as const;

/** In the order of the list in the editor. */
export const CHANGES = ['Created', 'Deleted', 'Updated'] as const;

export type Change = (typeof CHANGES)[number];

/** Identifies the watched list, without secrets. When a part of it changes, the next poll is a first poll. */
export interface WatchedList {
	/** The source, with the path if it is an endpoint. */
	source: string;
	/** A hash of the credential's ID and the base URL. */
	business: string;
	idField: string;
	itemsField: string;
	/** A hash of the query parameters that stay the same from poll to poll. */
	query: string;
	/** A hash of the headers that stay the same from poll to poll. */
	headers: string;
}

export interface PollSettings {
	watchedList: WatchedList;
	request: ServiceRequest;
	list: ListSettings;
	recordName: (typeof RECORD_NAMES)[SourceName];
	/** The events that start the workflow. */
	wanted: Change[];
	emitsExisting: boolean;
	/** Whether the query or a header is an expression, so that a missing record is just unchanged. */
	readsChangesOnly: boolean;
	incremental: Incremental | undefined;
	/** The field that marks a deleted record, and the values, as text, that do so. */
	deletedWhen: { field: string; values: string[] } | undefined;
	watchedFields: WatchedFields;
	/** Whether updated records come with a list of the changed fields. */
	emitsChangedFields: boolean;
	/** The share (percent) of the known records that one poll may report as deleted. */
	maxDeletionPercent: number;
}

/** @throws InvalidSettingError that names the field */
export function readPollSettings(context: IPollFunctions, account: Account): PollSettings {
	const { parameters: saved, credentials } = context.getNode();
	const parameter: Parameter = (name) =>
		readMarked(context, name, saved[name], () => context.getNodeParameter(name));
	const source = readChoice('Source', parameter('source'), SOURCES);
	const options = readGroup('Options', parameter('options'));
	const { maxDeletionPercent = MAX_DELETION_PERCENT } = options;
	const requestOptions = parseRequestOptions(options);
	const list = readListSettings(options);
	const incremental = readIncremental(options.incremental);
	const { path, query, isConstant } = readAddress(parameter, saved.path, source);
	const recordName = RECORD_NAMES[source];
	const idField = readFilledText(
		'ID Field',
		parameter('idField'),
		`Enter the field that identifies a ${recordName}, for example id.`,
	);
	const parameters = splitEntries(saved.options, options, 'queryParameters');
	const headers = splitEntries(saved.options, options, 'headerParameters');
	// Not the key: it belongs to one business (section 5 of the interface document), but may be replaced.
	const business = JSON.stringify([credentials?.[CREDENTIAL_TYPE]?.id, account.baseUrl]);
	return {
		watchedList: {
			source: source === 'endpoint' ? `endpoint ${path}` : source,
			business: hashOf(business, 16),
			idField,
			itemsField: list.itemsField,
			query: hashOf([isConstant ? query : [], parameters.constant], 16),
			headers: hashOf(headers.constant, 16),
		},
		request: {
			...requestOptions,
			endpoint: { method: 'GET', path },
			query: [...query, ...requestOptions.query],
		},
		list: { ...list, idField },
		recordName,
		wanted: readWanted(parameter('events'), recordName),
		emitsExisting: readFlag('Emit Existing', options.emitExisting),
		readsChangesOnly:
			(!isConstant && query.length > 0) || parameters.hasOthers || headers.hasOthers,
		incremental,
		deletedWhen: readDeletedWhen(options.deletedWhen),
		watchedFields: new WatchedFields(options.watchFields, options.ignoreFields),
		emitsChangedFields: readFlag('Changed Fields', options.changedFields),
		maxDeletionPercent: readNumber(
			'Max Deletion Percent',
			maxDeletionPercent,
			{ least: 0, most: 100 },
			'Use 100 for no guard.',
		),
	};
}

/** Returns a parameter, to be read by a function of `settingValues`. If it is not set, n8n returns its default. */
type Parameter = (name: string) => unknown;

function readDeletedWhen(option: unknown): PollSettings['deletedWhen'] {
	const { values } = readGroup('Deleted When', option);
	if (values === undefined) return undefined;
	const group = readGroup('Deleted When', values);
	const howToFix = 'Enter how the service marks a deleted record, or remove Deleted When.';
	const field = readFilledText('Field', group.field, howToFix);
	const texts = readList('Value', readTextToSend('Value', group.value));
	if (texts.length === 0) throw new InvalidSettingError('Value', 'is empty', howToFix);
	return { field, values: texts };
}

/** The path and the query in it, and whether both stay the same from poll to poll. */
function readAddress(
	parameter: Parameter,
	saved: unknown,
	source: SourceName,
): { path: string; query: QueryParameters; isConstant: boolean } {
	if (source === 'contacts') {
		return { path: ENDPOINTS.getContacts.path, query: [], isConstant: true };
	}
	const field = 'Path';
	const isConstant = !holdsExpression(saved);
	const { path, query } = parsePath(readText(field, parameter('path')), field, !isConstant);
	return { path, query, isConstant };
}

function readWanted(value: unknown, recordName: string): Change[] {
	const changes = (Array.isArray(value) ? value : []).map((event: unknown) =>
		CHANGES.find((change) => recordName + change === event),
	);
	const known = changes.filter((change) => change !== undefined);
	if (known.length > 0 && known.length === changes.length) return known;
	throw new InvalidSettingError(
		'Events',
		'is not a list of known events',
		`Choose at least one of ${CHANGES.map((change) => recordName + change).join(', ')}.`,
	);
}

/**
 * The entries whose name and value are not expressions, sorted, and whether there are others.
 * @param saved the options as n8n has saved them
 * @param options the options with the values of their expressions
 */
function splitEntries(
	saved: unknown,
	options: Record<string, unknown>,
	name: 'queryParameters' | 'headerParameters',
): { constant: string[]; hasOthers: boolean } {
	const all = readEntries(name, readGroup(name, options[name]).parameters);
	const groups = saved as Record<string, { parameters?: unknown }> | undefined;
	const entries = groups?.[name]?.parameters;
	// One expression may return all of them.
	const constant = (Array.isArray(entries) ? readEntries(name, entries) : [])
		.filter((entry) => !holdsExpression(entry))
		.map((entry) => JSON.stringify([entry.name, entry.value]))
		.sort();
	return { constant, hasOthers: constant.length < all.length };
}
