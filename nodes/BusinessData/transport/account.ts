/** The credential, checked: where requests go, with which key and under which limits. */
import { limitStoreOf, type Limits, type RedisLimitStore } from '../rateLimit';
import type { RedisConnection } from '../redis';
import { DOCUMENTED_LIMITS, type Endpoint, ENDPOINTS, formatEndpoint } from './endpoints';
import { parseEndpoint } from './endpointPath';
import { hashOf } from '../values/hash';
import { markUnresolvedFields } from '../values/unresolvedValues';
import { InvalidSettingError } from '../values/invalidSettingError';
import { parseUrl } from '../values/parseUrl';
import { parseLimits } from './limitSettings';
import { readRedis } from './redisSettings';
import { checkHeader } from './requestHeaders';
import { readResultSetting, type ResultSetting } from './resultField';
import { readFilledText, readFlag, readText, readWholeNumber } from '../values/settingValues';

/** In percent: the rest must leave room for a request now and then. */
export const MOST_KEPT_FREE = 90;

/** A password may be any text, also one that is otherwise a sign of a missing value. */
const PASSWORDS = ['redisPassword', 'redisSentinelPassword'];

/** The name of the credential type. */
export const CREDENTIAL_TYPE = 'businessDataApi';

/** The credential's fields as n8n hands them over: saved by any version, so nothing is certain. */
export type CredentialFields = Record<string, unknown>;

export interface Account {
	/** Without a trailing slash. */
	baseUrl: string;
	apiKey: string;
	/** Our share of what the service allows, see `shareOf`. */
	limits: Limits;
	/** How much (percent) of each limit is left to other clients. */
	keepFree: number;
	/** The Redis that processes share; undefined for this process alone. */
	redis: RedisConnection | undefined;
	/** Where requests are counted together with other processes; undefined for this process alone. */
	limitStore: RedisLimitStore | undefined;
	/** A hash of the service and the key. */
	identity: string;
	/** The fields as they were read, for n8n to take the key from: an edit takes effect with the next run. */
	fields: CredentialFields;
	transactionDelete: Endpoint;
	contactDelete: Endpoint;
	/** The name of the ID array in a bulk-delete body. */
	deleteIdsField: string;
	/** The header by which the service knows a request that it has had before; empty where it has none. */
	idempotencyHeader: string;
	/** Where a 2xx says that it stands for a failure. */
	result: ResultSetting;
}

/**
 * Checks the credential before any request.
 * @throws InvalidSettingError that says which field is wrong and how to fix it
 */
export function readAccount(fields: CredentialFields): Account {
	const checked = markUnresolvedFields(fields, PASSWORDS);
	const baseUrl = readBaseUrl(checked.baseUrl);
	const apiKey = readApiKey(checked.apiKey);
	const isCustomized = readFlag('Customize for This Installation', checked.customize);
	const custom = isCustomized ? checked : {};
	const { deleteIdsField = 'ids', limits: limitTable = DOCUMENTED_LIMITS } = custom;
	const { transactionDelete = formatEndpoint(ENDPOINTS.deleteTransactions) } = custom;
	const { contactDelete = formatEndpoint(ENDPOINTS.deleteContacts) } = custom;
	const keepFree = readKeepFree(custom);
	const limits = parseLimits(limitTable, keepFree);
	const redis = readRedis(checked);
	const identity = identityOf(baseUrl, apiKey);
	return {
		baseUrl,
		apiKey,
		limits,
		keepFree,
		redis,
		limitStore: redis === undefined ? undefined : limitStoreOf(redis, identity),
		identity,
		fields,
		transactionDelete: readDeleteEndpoint('Transaction Delete Endpoint', transactionDelete),
		contactDelete: readDeleteEndpoint('Contact Delete Endpoint', contactDelete),
		result: readResultSetting(custom),
		deleteIdsField: readFilledText(
			'Delete IDs Field',
			deleteIdsField,
			'Enter the name of the list of IDs in the request body, for example ids.',
		),
		idempotencyHeader: readIdempotencyHeader(custom.idempotencyHeader),
	};
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function readBaseUrl(value: unknown): string {
	const invalid = (problem: string, description: string) =>
		new InvalidSettingError('Base URL', problem, description);
	const text = readFilledText(
		'Base URL',
		value,
		"Enter the service's address in the credential, for example https://api.example.com.",
	);
	const url = parseUrl(text);
	if (url === undefined || !/^https?:\/\//i.test(text)) {
		throw invalid(
			'is not a web address',
			'Enter it with https://, for example https://api.example.com.',
		);
	}
	if (url.username !== '' || url.password !== '') {
		throw invalid('must not contain a user or a password', 'Remove the part before the "@".');
	}
	if (text.includes('?') || text.includes('#')) {
		throw invalid('must not have a query or a fragment', 'Remove the part from the "?" or "#" on.');
	}
	if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname)) {
		throw invalid(
			'must start with https://',
			'Over http:// the key could be read on its way; http:// is accepted for localhost only.',
		);
	}
	return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** A key has its limits with the service, whatever path and spelling of the host lead there. */
function identityOf(baseUrl: string, apiKey: string): string {
	const { protocol, hostname, port } = new URL(baseUrl);
	const service = `${protocol}//${hostname.replace(/\.$/, '')}:${port}`;
	return hashOf([service, apiKey.toLowerCase()]);
}

function readApiKey(value: unknown): string {
	const text = readText('API Key', value).trim();
	if (!/^[\da-f]{64}$/i.test(text)) {
		throw new InvalidSettingError(
			'API Key',
			describeBadKey(text),
			text === ''
				? 'Create a key in the settings of the business, under API keys, and enter it in the credential.'
				: 'A key has exactly 64 characters, 0–9 and a–f. Copy it again in full; if it is lost, create a new one, because a key is shown only once.',
		);
	}
	return text;
}

/** Says what is wrong without showing any of the key. */
function describeBadKey(text: string): string {
	if (text === '') return 'is empty';
	if (text.length !== 64) return `has ${text.length} characters instead of 64`;
	return 'contains characters other than 0–9 and a–f';
}

function readDeleteEndpoint(field: string, value: unknown): Endpoint {
	const endpoint = parseEndpoint(readText(field, value), field);
	if (endpoint.method === 'GET' || endpoint.method === 'HEAD') {
		throw new InvalidSettingError(
			field,
			`${endpoint.method} cannot delete`,
			'Use the method that the service expects, such as POST or DELETE.',
		);
	}
	return endpoint;
}

function readIdempotencyHeader(value: unknown): string {
	const field = 'Idempotency Header';
	const name = readText(field, value).trim();
	if (name !== '') checkHeader(field, name, '');
	return name;
}

function readKeepFree({ keepFree = 0 }: CredentialFields): number {
	const description = 'Enter how many percent of each limit are left to other programs.';
	return readWholeNumber('Keep Free', keepFree, { least: 0, most: MOST_KEPT_FREE }, description);
}
