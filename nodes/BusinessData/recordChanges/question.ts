/** What a trigger asks for, read from its fields and checked before anything is sent. */
import { createHash } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';

import {
	type ListOptions,
	type ListSettings,
	readListSettings,
} from '../resources/list/listSettings';
import { checkQuery, parseRequestOptions, type RequestOptions } from '../resources/requestOptions';
import type { Account } from '../transport/account';
import { ENDPOINTS } from '../transport/endpoints';
import { parsePath } from '../transport/endpointPath';
import { InvalidSettingError } from '../transport/invalidSettingError';
import type { ServiceRequest } from '../transport/serviceRequest';
import { readEntries, readFlag, readGroup, readText } from '../transport/settingValues';
import { type Change, CHANGES, RECORD_NAMES, type RecordName, type SourceName } from './sources';

/** What a memory belongs to, without a secret: when one of these changes, nothing is known any more. */
export interface Asked {
	/** The source, with its path where it is an endpoint. */
	source: string;
	/** A hash of the base URL and the key. */
	account: string;
	idField: string;
	itemsField: string;
	/** A hash of the query parameters that stay the same from poll to poll. */
	query: string;
}

export interface Question {
	asked: Asked;
	request: ServiceRequest;
	settings: ListSettings;
	recordName: RecordName;
	idField: string;
	/** The events that start the workflow. */
	wanted: Change[];
	emitsExisting: boolean;
	/** The query changes from poll to poll, so that what is missing in an answer has only not changed. */
	readsChangesOnly: boolean;
}

interface TriggerOptions extends ListOptions, RequestOptions {
	emitExisting?: unknown;
}

type Query = ServiceRequest['query'];

/** @throws InvalidSettingError that names the field */
export function readQuestion(context: IPollFunctions, account: Account): Question {
	const source = readSource(context);
	const options: TriggerOptions = readGroup('Options', context.getNodeParameter('options', {}));
	const requestOptions = parseRequestOptions(options);
	const settings = readListSettings(options);
	const { path, query, isConstant } = readAddress(context, source);
	const idField = readIdField(context, source);
	const recordName = RECORD_NAMES[source];
	const ofOptions = constantPart(context, requestOptions.query);
	const asked = {
		source: source === 'endpoint' ? `endpoint ${path}` : source,
		account: shortHash(account.identity),
		idField,
		itemsField: settings.itemsField,
		query: shortHash(JSON.stringify([isConstant ? query : [], ofOptions])),
	};
	return {
		asked,
		request: {
			...requestOptions,
			endpoint: { method: 'GET', path },
			query: [...query, ...requestOptions.query],
		},
		settings,
		recordName,
		idField,
		wanted: readWanted(context, recordName),
		emitsExisting: readFlag('Emit Existing', options.emitExisting),
		readsChangesOnly:
			(!isConstant && query.length > 0) || ofOptions.length < requestOptions.query.length,
	};
}

function readSource(context: IPollFunctions): SourceName {
	const source = context.getNodeParameter('source', 'contacts');
	if (typeof source === 'string' && Object.hasOwn(RECORD_NAMES, source))
		return source as SourceName;
	throw new InvalidSettingError('Source', 'is not known', 'Choose an entry of the list.');
}

/** The path with the query behind it, and whether both stay the same from poll to poll. */
function readAddress(
	context: IPollFunctions,
	source: SourceName,
): { path: string; query: Query; isConstant: boolean } {
	if (source === 'contacts') {
		return { path: ENDPOINTS.getContacts.path, query: [], isConstant: true };
	}
	const field = 'Path';
	const { path, query } = parsePath(readText(field, context.getNodeParameter('path', '')), field);
	const isConstant = !isExpression(context.getNode().parameters.path);
	return { path, query: checkQuery(query, field), isConstant };
}

function readIdField(context: IPollFunctions, source: SourceName): string {
	const value = context.getNodeParameter('idField', 'id');
	if (typeof value === 'string' && value.trim() !== '') return value.trim();
	throw new InvalidSettingError(
		'ID Field',
		'is empty',
		`Enter the field that is unique to a ${RECORD_NAMES[source]}, for example id.`,
	);
}

function readWanted(context: IPollFunctions, recordName: RecordName): Change[] {
	const value = context.getNodeParameter('events', []);
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

/** Of the parameters in the options, those whose name and value are no expressions. */
function constantPart(context: IPollFunctions, query: Query): Query {
	const { options } = context.getNode().parameters as { options?: TriggerOptions };
	const field = 'Query Parameters';
	if (isExpression(options) || isExpression(options?.queryParameters)) return [];
	const { parameters } = readGroup(field, options?.queryParameters);
	if (isExpression(parameters)) return [];
	const written = readEntries(field, parameters);
	return query.filter((_, index) => {
		const { name, value } = written[index] ?? {};
		return !isExpression(name) && !isExpression(value);
	});
}

/** Whether a field as it is saved holds an expression, as n8n marks them. */
function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
