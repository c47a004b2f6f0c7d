/** What a trigger reads, from its fields, checked before any request. */
import type { INode, IPollFunctions } from 'n8n-workflow';

import { type ListOptions, type ListSettings, readListSettings } from '../lists/listSettings';
import { checkQuery, parseRequestOptions, type RequestOptions } from '../parameters/requestOptions';
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
import {
	type Change,
	CHANGES,
	RECORD_NAMES,
	type RecordName,
	SOURCES,
	type SourceName,
} from './sources';
import { MAX_DELETION_PERCENT } from './changeFields';
import { WatchedFields } from './watchedFields';

/** Identifies the list that is watched, without secrets: when a part changes, the next poll is a first poll. */
export interface WatchedList {
	/** The source, with its path where it is an endpoint. */
	source: string;
	/** A hash of the credential's ID and the base URL. */
	business: string;
	idField: string;
	itemsField: string;
	/** A hash of the query parameters that stay the same from poll to poll. */
	query: string;
	/** A hash of the headers that stay the same from poll to poll; empty where there are none. */
	headers: string;
}

export interface PollSettings {
	watchedList: WatchedList;
	request: ServiceRequest;
	list: ListSettings;
	recordName: RecordName;
	idField: string;
	/** The events that start the workflow. */
	wanted: Change[];
	emitsExisting: boolean;
	/** Whether the query or a header changes from poll to poll: then a missing record has just not changed. */
	readsChangesOnly: boolean;
	incremental: Incremental | undefined;
	/** What a record that is deleted has in a field, as text. */
	deletedWhen: { field: string; values: string[] } | undefined;
	watchedFields: WatchedFields;
	/** Whether updates say which fields have changed. */
	emitsChangedFields: boolean;
	/** The share of the known records that one poll may report as deleted. */
	maxDeletionPercent: number;
}

interface TriggerOptions extends ListOptions, RequestOptions {
	emitExisting?: unknown;
	incremental?: unknown;
	deletedWhen?: unknown;
	watchFields?: unknown;
	ignoreFields?: unknown;
	changedFields?: unknown;
	maxDeletionPercent?: unknown;
}

/** @throws InvalidSettingError that names the field */
export function readPollSettings(context: IPollFunctions, account: Account): PollSettings {
	const parameter = parametersOf(context);
	const source = readChoice('Source', parameter('source'), SOURCES);
	const options: TriggerOptions = readGroup('Options', parameter('options'));
	const requestOptions = parseRequestOptions(options);
	const list = readListSettings(options);
	const incremental = readIncremental(options.incremental);
	refuseSameParameter(incremental, list);
	const written = context.getNode().parameters;
	const { path, query, isConstant } = readAddress(parameter, written.path, source);
	const idField = readFilledText(
		'ID Field',
		parameter('idField'),
		`Enter the field that is unique to a ${RECORD_NAMES[source]}, for example id.`,
	);
	const recordName = RECORD_NAMES[source];
	const parameters = splitEntries(written.options, options, 'queryParameters');
	const headers = splitEntries(written.options, options, 'headerParameters');
	const watchedList = {
		source: source === 'endpoint' ? `endpoint ${path}` : source,
		business: hashOf(businessOf(context.getNode(), account), 16),
		idField,
		itemsField: list.itemsField,
		query: hashOf([isConstant ? query : [], parameters.constant], 16),
		headers: headers.constant.length === 0 ? '' : hashOf(headers.constant, 16),
	};
	return {
		watchedList,
		request: {
			...requestOptions,
			endpoint: { method: 'GET', path },
			query: [...query, ...requestOptions.query],
		},
		list,
		recordName,
		idField,
		wanted: readWanted(parameter('events'), recordName),
		emitsExisting: readFlag('Emit Existing', options.emitExisting),
		readsChangesOnly:
			(!isConstant && query.length > 0) || parameters.hasOthers || headers.hasOthers,
		incremental,
		deletedWhen: readDeletedWhen(options.deletedWhen),
		watchedFields: new WatchedFields(options.watchFields, options.ignoreFields),
		emitsChangedFields: readFlag('Changed Fields', options.changedFields),
		maxDeletionPercent: readPercent(options.maxDeletionPercent),
	};
}

/**
 * The business of a node: its credential in n8n with the base URL. A key belongs to one business (section 5 of the
 * interface document), but the key may be replaced, and the business stays the same.
 */
function businessOf({ credentials }: INode, { baseUrl }: Account): string {
	return JSON.stringify([credentials?.[CREDENTIAL_TYPE]?.id, baseUrl]);
}

/** @throws InvalidSettingError when Pagination would send its value in place of the time */
function refuseSameParameter(incremental: Incremental | undefined, list: ListSettings): void {
	if (incremental?.sendIn !== 'query' || list.type === 'none') return;
	const { parameter } = incremental;
	if (parameter !== list.pagingParameter && parameter !== list.pageSizeParameter) return;
	throw new InvalidSettingError(
		'Incremental',
		`Pagination has the parameter "${parameter}", too`,
		'Enter the name of the parameter that asks for what changed since a time.',
	);
}

function readDeletedWhen(option: unknown): PollSettings['deletedWhen'] {
	const { values } = readGroup('Deleted When', option);
	if (values === undefined) return undefined;
	const group = readGroup('Deleted When', values);
	const howTo = 'Enter what the service says of a deleted record, or remove Deleted When.';
	const marks = readList('Value', readTextToSend('Value', group.value));
	return {
		field: readFilledText('Field', group.field, howTo),
		values: readFilledText('Value', marks.join(), howTo).split(','),
	};
}

function readPercent(value: unknown = MAX_DELETION_PERCENT): number {
	const bounds = { least: 0, most: 100 };
	return readNumber('Max Deletion Percent', value, bounds, 'Use 100 for no guard.');
}

/** Reads a parameter, for a reader of `settingValues`. Where it is not set, n8n gives its default. */
type Parameter = (name: string) => unknown;

function parametersOf(context: IPollFunctions): Parameter {
	const written = context.getNode().parameters;
	return (name) => readMarked(context, name, written[name], () => context.getNodeParameter(name));
}

/** The path with the query behind it, and whether both stay the same from poll to poll. */
function readAddress(
	parameter: Parameter,
	written: unknown,
	source: SourceName,
): { path: string; query: QueryParameters; isConstant: boolean } {
	if (source === 'contacts') {
		return { path: ENDPOINTS.getContacts.path, query: [], isConstant: true };
	}
	const field = 'Path';
	const isConstant = !holdsExpression(written);
	const { path, query } = parsePath(readText(field, parameter('path')), field, !isConstant);
	return { path, query: checkQuery(query, field), isConstant };
}

function readWanted(value: unknown, recordName: RecordName): Change[] {
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
 * The entries whose name and value are no expressions, in the order of their names, and whether there are others.
 * @param written the options as they are saved
 * @param options the options with the values of their expressions
 */
function splitEntries(
	written: unknown,
	options: TriggerOptions,
	name: 'queryParameters' | 'headerParameters',
): { constant: Array<{ name: string; value: unknown }>; hasOthers: boolean } {
	const all = readEntries(name, readGroup(name, options[name]).parameters);
	// An expression may also give all of them.
	const saved = (written as Record<string, { parameters?: unknown }> | undefined)?.[name]
		?.parameters;
	const constant = (Array.isArray(saved) ? readEntries(name, saved) : [])
		.filter((entry) => !holdsExpression(entry))
		.map((entry) => ({ name: String(entry.name).trim(), value: entry.value }))
		.map((entry) =>
			name === 'headerParameters' ? { ...entry, name: entry.name.toLowerCase() } : entry,
		)
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	return { constant, hasOthers: constant.length < all.length };
}
