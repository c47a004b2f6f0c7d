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
import { businessOf } from '../transport/business';
import { ENDPOINTS } from '../transport/endpoints';
import { parsePath } from '../transport/endpointPath';
import { holdsExpression, readMarked } from '../transport/unmadeValues';
import { InvalidSettingError } from '../transport/invalidSettingError';
import type { ServiceRequest } from '../transport/serviceRequest';
import {
	readChoice,
	readEntries,
	readFilledText,
	readFlag,
	readGroup,
	readText,
	refuseUnmade,
} from '../transport/settingValues';
import {
	type Change,
	CHANGES,
	RECORD_NAMES,
	type RecordName,
	SOURCES,
	type SourceName,
} from './sources';

/** What a memory belongs to, without a secret: when one of these changes, nothing is known any more. */
export interface Asked {
	/** The source, with its path where it is an endpoint. */
	source: string;
	/** A hash of the credential's ID and the base URL. */
	business: string;
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
	const parameter = parametersOf(context);
	const source = readChoice('Source', parameter('source', 'contacts'), SOURCES);
	const options: TriggerOptions = readGroup('Options', parameter('options', {}));
	const requestOptions = parseRequestOptions(options);
	const settings = readListSettings(options);
	const written = context.getNode().parameters;
	const { path, query, isConstant } = readAddress(parameter, written.path, source);
	const idField = readFilledText(
		'ID Field',
		parameter('idField', 'id'),
		`Enter the field that is unique to a ${RECORD_NAMES[source]}, for example id.`,
	);
	const recordName = RECORD_NAMES[source];
	const ofOptions = constantPart(written.options as TriggerOptions, requestOptions.query);
	const asked = {
		source: source === 'endpoint' ? `endpoint ${path}` : source,
		business: shortHash(businessOf(context.getNode(), account)),
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
		wanted: readWanted(parameter('events', []), recordName),
		emitsExisting: readFlag('Emit Existing', options.emitExisting),
		readsChangesOnly:
			(!isConstant && query.length > 0) || ofOptions.length < requestOptions.query.length,
	};
}

/** Reads a parameter, for a reader of `settingValues`. */
type Parameter = (name: string, fallback: unknown) => unknown;

function parametersOf(context: IPollFunctions): Parameter {
	const written = context.getNode().parameters;
	return (name, fallback) =>
		readMarked(context, name, written[name], () => context.getNodeParameter(name, fallback));
}

/** The path with the query behind it, and whether both stay the same from poll to poll. */
function readAddress(
	parameter: Parameter,
	written: unknown,
	source: SourceName,
): { path: string; query: Query; isConstant: boolean } {
	if (source === 'contacts') {
		return { path: ENDPOINTS.getContacts.path, query: [], isConstant: true };
	}
	const field = 'Path';
	const isConstant = !holdsExpression(written);
	const { path, query } = parsePath(readText(field, parameter('path', '')), field, !isConstant);
	return { path, query: checkQuery(query, field), isConstant };
}

function readWanted(value: unknown, recordName: RecordName): Change[] {
	refuseUnmade('Events', value);
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
function constantPart(written: TriggerOptions | undefined, query: Query): Query {
	const field = 'Query Parameters';
	if (typeof written === 'string' || typeof written?.queryParameters === 'string') return [];
	const { parameters } = readGroup(field, written?.queryParameters);
	if (typeof parameters === 'string') return [];
	const entries = readEntries(field, parameters);
	return query.filter((_, index) => !holdsExpression(entries[index]));
}

function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
