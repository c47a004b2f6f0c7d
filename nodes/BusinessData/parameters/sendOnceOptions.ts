/** The options for sending once, and how they are read. */
import type { INodeProperties } from 'n8n-workflow';

import { SendOnce } from '../sendOnce';
import { InvalidSettingError } from '../values/invalidSettingError';
import type { Part } from '../transport/multipart';
import { isRead, type ServiceRequest } from '../transport/serviceRequest';
import { readChoice, readPaths, readTextToSend, readWholeNumber } from '../values/settingValues';
import { trimUnseen } from '../values/text';
import type { Run } from '../run/run';
import { contentHash } from './contentHash';

const FIELD = 'Send Once Key';
const LONGEST_KEY = 255;
/** At the pace that the limits allow, enough for weeks. */
const DEFAULT_MAX_ENTRIES = 50_000;
const CONTENT_RULES = ['mustMatch', 'ignore'] as const;

export const sendOnceKeyField: INodeProperties = {
	displayName: FIELD,
	name: 'sendOnceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.invoiceNumber }}',
	description:
		'A value that is unique to the document, such as an invoice number. Each value is sent once per workflow, credential and endpoint, across retries, re-runs and parallel executions. If n8n runs in several processes, choose Redis in the credential.',
};

/** Always shown: options that depend on the key would stay hidden until the editor has data for its expression. */
export const sendOnceOptions: INodeProperties[] = [
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description:
			'Whether to only show what would be sent and when, with its Send Once state, without sending or recording anything',
	},
	{
		displayName: 'Send Once Content',
		name: 'sendOnceContent',
		type: 'options',
		options: [
			{ name: 'Ignore', value: 'ignore', description: 'Compare only the key' },
			{
				name: 'Must Match',
				value: 'mustMatch',
				description: 'The same key with other content is an error, and nothing is sent',
			},
		],
		default: 'mustMatch',
		description: 'What to do if a key was used before with other content',
	},
	{
		displayName: 'Send Once Ignore Fields',
		name: 'sendOnceIgnoreFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. createdAt, meta.requestId',
		description:
			'Fields of the content, and query parameters, that may differ, such as a timestamp, as comma-separated dot paths',
	},
	sendOnceKeyField,
	{
		displayName: 'Send Once Memory',
		name: 'sendOnceMaxEntries',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_ENTRIES,
		description:
			'How many keys to remember per workflow, credential and endpoint. Beyond that, the oldest are forgotten, and their documents could be sent again.',
	},
];

/** A request, with a guard if it has a Send Once Key. */
export type GuardedRequest = Omit<ServiceRequest, 'guard'> & { guard?: SendOnce };

/**
 * The request of an item with its guard, and with its idempotency key if the service has a header for that.
 * @throws InvalidSettingError that names the field
 */
export function withSendOnce(
	run: Run,
	itemIndex: number,
	request: Omit<ServiceRequest, 'guard'>,
): GuardedRequest {
	const options = run.options(itemIndex);
	// A key that is there but undefined comes from an expression that found nothing, and is an error.
	if (isRead(request) || !Object.hasOwn(options, 'sendOnceKey')) return request;
	const { sendOnceMaxEntries = DEFAULT_MAX_ENTRIES, sendOnceContent = 'mustMatch' } = options;
	const rule = readChoice('Send Once Content', sendOnceContent, CONTENT_RULES);
	const ignoreFields = readPaths('Send Once Ignore Fields', options.sendOnceIgnoreFields);
	const guard = new SendOnce(run, {
		workflowId: run.context.getWorkflow().id ?? '',
		key: readKey(options.sendOnceKey),
		maxEntries: readWholeNumber('Send Once Memory', sendOnceMaxEntries, { least: 1 }),
		content: { hash: hashOfContent(request, ignoreFields), mustMatch: rule === 'mustMatch' },
		endpoint: request.endpoint,
	});
	const { idempotencyHeader: name } = run.account;
	if (name === '') return { ...request, guard };
	if (Object.keys(request.headers).some((own) => own.toLowerCase() === name.toLowerCase())) {
		throw new InvalidSettingError(
			'Headers',
			`"${name}" is the idempotency header of the credential`,
			'Remove it: its value comes from the Send Once Key.',
		);
	}
	const headers = { ...request.headers, [name]: guard.idempotencyKey };
	return { ...request, headers, guard, isIdempotent: true };
}

function hashOfContent(
	{ body, encoded, query }: Pick<ServiceRequest, 'body' | 'encoded' | 'query'>,
	ignoreFields: string[],
): string {
	const ignored = ignoreFields.map((field) => field.normalize('NFC'));
	const counts = ({ name }: { name: string }) => !ignored.includes(name.normalize('NFC'));
	const isForm = encoded !== undefined && Array.isArray(body);
	// If a file is the whole body, its name is not sent.
	const unsent = encoded === undefined ? [] : ['fileName'];
	const ofBody = isForm
		? contentHash((body as Part[]).filter(counts), [])
		: contentHash(body, [...ignoreFields, ...unsent]);
	// Without a body, only the query says what is sent.
	const parameters = query.filter(counts);
	return parameters.length === 0 ? ofBody : contentHash([ofBody, parameters], []);
}

/** The key, normalized to one Unicode form (NFC). @throws InvalidSettingError */
export function readKey(value: unknown, { isOption = true } = {}): string {
	const text = typeof value === 'boolean' ? '' : readTextToSend(FIELD, value);
	const key = trimUnseen(text).normalize('NFC');
	const description = `Enter a value that is unique to what is sent, for example {{ $json.invoiceNumber }}${isOption ? ', or remove the option' : ''}.`;
	if (key === '') {
		throw new InvalidSettingError(FIELD, 'is empty, or not a text or a number', description);
	}
	if (key.length <= LONGEST_KEY) return key;
	const problem = `has ${key.length} characters; at most ${LONGEST_KEY} are allowed`;
	throw new InvalidSettingError(FIELD, problem, description);
}
