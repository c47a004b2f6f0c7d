/** Reads and checks the credential: where requests go, with which key and under which limits. */
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
import { pluralize } from '../values/text';

/** In percent. The rest must leave room for a request now and then. */
export const MOST_KEPT_FREE = 90;

/** Fields in which any text is allowed, even if it would be a sign of a missing value elsewhere. */
const ANY_TEXT = ['redisPassword', 'redisSentinelPassword', 'failureValues', 'successValues'];

export const CREDENTIAL_TYPE = 'businessDataApi';

/** The fields as n8n stored them. Any version may have saved them, so nothing is certain about their values. */
export type CredentialFields = Record<string, unknown>;

export interface Account {
	/** Without a trailing slash. */
	baseUrl: string;
	apiKey: string;
	/** Our share of what the service allows, see `shareOf`. */
	limits: Limits;
	/** How much (percent) of each limit is left to other clients. */
	keepFree: number;
	/** The Redis that processes share, if any. */
	redis: RedisConnection | undefined;
	/** Counts the requests of all processes if they share a Redis. */
	limitStore: RedisLimitStore | undefined;
	/** A hash of the service and the key. */
	identity: string;
	/** The fields as they were read. n8n takes the key from them, so that an edit takes effect with the next run. */
	fields: CredentialFields;
	transactionDelete: Endpoint;
	contactDelete: Endpoint;
	/** The name of the ID array in a bulk-delete body. */
	deleteIdsField: string;
	/** The header by which the service recognizes a retried request; empty if it has none. */
	idempotencyHeader: string;
	/** How a 2xx shows that it is a failure. */
	result: ResultSetting;
}

/** The values of the fields under Customize for This Installation when that is off. */
export const CUSTOM_DEFAULTS = {
	limits: DOCUMENTED_LIMITS,
	keepFree: 0,
	transactionDelete: formatEndpoint(ENDPOINTS.deleteTransactions),
	contactDelete: formatEndpoint(ENDPOINTS.deleteContacts),
	deleteIdsField: 'ids',
	idempotencyHeader: '',
	resultField: '',
	failureValues: 'false',
	successValues: '',
};

/** @throws InvalidSettingError that names the field and how to fix it */
export function readAccount(fields: CredentialFields): Account {
	const checked = markUnresolvedFields(fields, ANY_TEXT);
	const baseUrl = readBaseUrl(checked.baseUrl);
	const apiKey = readApiKey(checked.apiKey);
	refuseKeyIn(baseUrl, apiKey);
	const isCustomized = readFlag('Customize for This Installation', checked.customize);
	const custom: CredentialFields = { ...CUSTOM_DEFAULTS, ...(isCustomized ? checked : {}) };
	const keepFree = readWholeNumber(
		'Keep Free',
		custom.keepFree,
		{ least: 0, most: MOST_KEPT_FREE },
		'Enter the percentage of each limit to leave to other programs.',
	);
	const redis = readRedis(checked);
	const identity = identityOf(baseUrl, apiKey);
	return {
		baseUrl,
		apiKey,
		keepFree,
		redis,
		identity,
		fields,
		limits: parseLimits(custom.limits, keepFree),
		limitStore: redis === undefined ? undefined : limitStoreOf(redis, identity),
		transactionDelete: readDeletion('Transaction Delete Endpoint', custom.transactionDelete),
		contactDelete: readDeletion('Contact Delete Endpoint', custom.contactDelete),
		result: readResultSetting(custom),
		deleteIdsField: readFilledText(
			'Delete IDs Field',
			custom.deleteIdsField,
			'Enter the name of the list of IDs in the request body, for example ids.',
		),
		idempotencyHeader: readIdempotencyHeader(custom.idempotencyHeader),
	};
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const LIKE_THIS = 'in the credential, with https://, for example https://api.example.com.';

function readBaseUrl(value: unknown): string {
	const field = 'Base URL';
	const text = readFilledText(field, value, `Enter the service's address ${LIKE_THIS}`);
	const invalid = (problem: string, howToFix: string) =>
		new InvalidSettingError(field, problem, howToFix);
	const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
	if (url === undefined) throw invalid('is not a web address', `Enter it ${LIKE_THIS}`);
	if (url.username !== '' || url.password !== '') {
		throw invalid('must not contain a user or a password', 'Remove the part before the "@".');
	}
	if (/[?#]/.test(text)) {
		throw invalid('must not have a query or a fragment', 'Remove the part from the "?" or "#" on.');
	}
	if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname)) {
		const why = 'Over http:// the key could be read on its way; it is accepted for localhost only.';
		throw invalid('must start with https://', why);
	}
	return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** Servers along the way log addresses. */
function refuseKeyIn(baseUrl: string, apiKey: string): void {
	if (!baseUrl.toLowerCase().includes(apiKey.toLowerCase())) return;
	const howToFix = 'Remove it: the key goes out in a header.';
	throw new InvalidSettingError('Base URL', 'must not contain the API key', howToFix);
}

/** The limits of a key depend neither on the path nor on how the host is spelled. */
function identityOf(baseUrl: string, apiKey: string): string {
	const { protocol, hostname, port } = new URL(baseUrl);
	const service = `${protocol}//${hostname.replace(/\.$/, '')}:${port}`;
	return hashOf([service, apiKey.toLowerCase()]);
}

/** Its errors reveal nothing of the key. */
function readApiKey(value: unknown): string {
	const field = 'API Key';
	const key = readFilledText(
		field,
		value,
		'Create a key in the settings of the business, under API keys, and enter it in the credential.',
	);
	if (/^[\da-f]{64}$/i.test(key)) return key;
	throw new InvalidSettingError(
		field,
		key.length === 64
			? 'contains characters other than 0–9 and a–f'
			: `has ${pluralize(key.length, 'character')} instead of 64`,
		'A key has exactly 64 characters, 0–9 and a–f. Copy it again in full. If it is lost, create a new one, because a key is shown only once.',
	);
}

function readDeletion(field: string, value: unknown): Endpoint {
	const endpoint = parseEndpoint(readText(field, value), field);
	if (endpoint.method !== 'GET' && endpoint.method !== 'HEAD') return endpoint;
	const howToFix = 'Use the method that the service expects, such as POST or DELETE.';
	throw new InvalidSettingError(field, `${endpoint.method} cannot delete`, howToFix);
}

function readIdempotencyHeader(value: unknown): string {
	const field = 'Idempotency Header';
	const name = readText(field, value).trim();
	if (name !== '') checkHeader(field, name, '');
	return name;
}
