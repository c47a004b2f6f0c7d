/**
 * The credential's Test button: checks every field, Redis where the limits are counted there, and the key, by one read
 * of contacts that takes its slot like any other request. n8n runs it in its main process, so it does not check whether
 * workers reach Redis.
 */
import { randomUUID } from 'node:crypto';

import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
	IPollFunctions,
} from 'n8n-workflow';

import { type Account, readAccount } from './transport/account';
import { type ServiceResponse, jsonOf } from './transport/response';
import { Client } from './transport/client';
import { ENDPOINTS } from './transport/endpoints';
import { InvalidSettingError } from './values/invalidSettingError';
import { maskKeys } from './values/redact';
import { RequestError } from './transport/requestError';
import { alsoSaid } from './transport/serviceTexts';
import { holdsFailure } from './transport/signsOfFailure';
import { RunWaitTime } from './transport/waitTime';
import { isObject } from './values/isObject';

/** How long (ms) the test may take: a person waits for it. */
const DEADLINE_MS = 9_000;
/** How long (ms) a Redis that cannot be used may take to come back. */
const REDIS_DEADLINE_MS = 3_000;
const PRIORITY = 2;

/** Never throws: n8n would not show the error. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		await readContacts(this, readAccount(data));
		return { status: 'OK', message: 'Connection tested successfully' };
	} catch (error) {
		return { status: 'Error', message: maskKeys(describe(error)) };
	}
}

/** @throws InvalidSettingError, RedisError, RequestError */
async function readContacts(context: ICredentialTestFunctions, account: Account): Promise<void> {
	const stop = new AbortController();
	const timers = [
		setTimeout(() => {
			if (account.redis?.failure() !== undefined) stop.abort();
		}, REDIS_DEADLINE_MS),
		setTimeout(() => stop.abort(tooSlow()), DEADLINE_MS),
	];
	const client = new Client(
		contextFor(context, account.apiKey, stop.signal),
		account,
		randomUUID(),
		new RunWaitTime(),
		stop.signal,
		PRIORITY,
	);
	try {
		const response = await client.request({
			endpoint: ENDPOINTS.getContacts,
			query: [],
			headers: {},
			timeoutMs: DEADLINE_MS,
			maxWaitMs: DEADLINE_MS,
		});
		const body = jsonOf(response);
		if (isFailure(body)) throw failureError(response);
	} catch (error) {
		throw account.redis?.failure() ?? error;
	} finally {
		timers.forEach(clearTimeout);
	}
}

/**
 * The context that a client needs, made from the only helper that n8n offers a test. The helper adds no key, and
 * follows redirects by default.
 */
function contextFor(
	{ helpers }: ICredentialTestFunctions,
	apiKey: string,
	signal: AbortSignal,
): IPollFunctions {
	const send = async (_: string, options: IHttpRequestOptions) =>
		(await helpers.request({
			method: options.method,
			uri: options.url,
			headers: { ...options.headers, 'x-api-key': apiKey },
			timeout: options.timeout,
			followRedirect: false,
			followAllRedirects: false,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
		})) as unknown;
	const context = {
		helpers: { httpRequestWithAuthentication: send },
		getExecutionCancelSignal: () => signal,
	};
	return context as unknown as IPollFunctions;
}

/** Whether the body itself says that it failed; what its lists hold are records. */
function isFailure(body: unknown): boolean {
	if (!isObject(body)) return false;
	const own = Object.entries(body).filter(
		([name, value]) => typeof value !== 'object' || /^(errors?|faults?)$/i.test(name),
	);
	return holdsFailure(Object.fromEntries(own));
}

function failureError(response: ServiceResponse): InvalidSettingError {
	return new InvalidSettingError(
		'API Key',
		`the service answered ${response.statusCode} with what looks like a failure`,
		`Check the key, and the base URL.${alsoSaid(response)}`,
	);
}

function tooSlow(): InvalidSettingError {
	return new InvalidSettingError(
		'Base URL',
		`the service gave no response within ${DEADLINE_MS / 1000} s`,
		'Check the address, and whether the service is up.',
	);
}

/** One text, because n8n shows no description; it begins with the label of the field where one is known. */
function describe(error: unknown): string {
	if (error instanceof RequestError) return describeRequest(error);
	const { message = String(error), description } = error as Partial<InvalidSettingError>;
	return description === undefined ? message : `${message} — ${description}`;
}

function describeRequest({ message, details }: RequestError): string {
	const { cause, statusCode, description, retryAfterSeconds } = details;
	if (cause === 'rate-limited') {
		return `The limits of this key leave no room for another ${retryAfterSeconds ?? 60} s. Test again after that time.`;
	}
	const isOfKey = statusCode === 401 || statusCode === 403;
	const isOfService = statusCode !== undefined && statusCode >= 500;
	const label = isOfKey ? 'API Key: ' : isOfService ? '' : 'Base URL: ';
	return `${label}${message} — ${description}`;
}
