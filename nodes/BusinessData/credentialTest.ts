/**
 * The test that n8n makes of a saved credential: checks every field, and the key by one read of contacts under the
 * limits. It runs in n8n's main process, so it does not show whether workers reach Redis.
 */
import {
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type IHttpRequestOptions,
	type INodeCredentialTestResult,
	type IPollFunctions,
	LoggerProxy,
} from 'n8n-workflow';

import { type Account, readAccount } from './transport/account';
import { boundedSignal, never } from './async';
import { KEY_PREFIX, RedisScript } from './redis';
import { jsonOf } from './transport/response';
import { Client } from './transport/client';
import { ENDPOINTS } from './transport/endpoints';
import { InvalidSettingError } from './values/invalidSettingError';
import { maskKeys } from './values/redact';
import { RequestError } from './transport/requestError';
import { alsoSaid } from './transport/serviceTexts';
import { holdsFailure } from './transport/signsOfFailure';
import { isObject } from './values/isObject';

/** How long (ms) the test may take: someone is waiting for it. */
const DEADLINE_MS = 9_000;
const PRIORITY = 2;
/** Uses a command that the Redis user in docs/queue-mode.md is allowed to run. */
const CHECK_REDIS = new RedisScript("return redis.call('GET', KEYS[1])");

/** Never throws: n8n would not show the error. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		await readContacts(this, readAccount(data));
		return { status: 'OK', message: 'Connection tested successfully' };
	} catch (error) {
		// The credential form has no node to run again and no Max Wait, only a Retry button.
		const message = describe(error)
			.replace(/The next attempt would be too late: .* takes\)\. /, '')
			.replace(/([Rr])un (the node|the item|it) again/g, '$1etry');
		return { status: 'Error', message: maskKeys(message) };
	}
}

/** @throws InvalidSettingError, RedisError, RequestError */
async function readContacts(context: ICredentialTestFunctions, account: Account): Promise<void> {
	let lastStatus: unknown;
	const { signal, release } = boundedSignal(never, DEADLINE_MS, () => tooSlow(lastStatus));
	const noteStatus = (status: unknown) => (lastStatus = status);
	const requestContext = contextFor(context, account.apiKey, signal, noteStatus);
	const client = new Client(requestContext, account, signal, PRIORITY);
	try {
		const response = await client.request({
			endpoint: ENDPOINTS.getContacts,
			query: [],
			headers: {},
			timeoutMs: DEADLINE_MS,
			maxWaitMs: DEADLINE_MS,
		});
		// Without limits, the request above did not use Redis, but Send Once will.
		await account.redis?.run(CHECK_REDIS, [`${KEY_PREFIX}:test`], [], signal);
		if (!isFailure(jsonOf(response))) return;
		throw new InvalidSettingError(
			'API Key',
			`the service answered ${response.statusCode} with what looks like a failure`,
			`Check the key, and the base URL.${alsoSaid(response)}`,
		);
	} catch (error) {
		throw account.redis?.failure() ?? error;
	} finally {
		release();
	}
}

/** @param lastStatus status of the last response, if there was one */
function tooSlow(lastStatus: unknown): Error {
	if (lastStatus === 429) {
		const details = { outcome: 'refused', cause: 'rate-limited', description: '' } as const;
		return new RequestError('The service answered 429 until the end of the test', details);
	}
	return new InvalidSettingError(
		'Base URL',
		`the service gave no response within ${DEADLINE_MS / 1000} s`,
		'Check the address, and whether the service is up.',
	);
}

/** A context for the client, built on the only helper that a test gets: it adds no key, and follows redirects. */
function contextFor(
	{ helpers }: ICredentialTestFunctions,
	apiKey: string,
	signal: AbortSignal,
	onStatus: (status: unknown) => void,
): IPollFunctions {
	const send = async (_: string, options: IHttpRequestOptions) => {
		const response = (await helpers.request({
			method: options.method,
			uri: options.url,
			headers: { ...options.headers, 'x-api-key': apiKey },
			timeout: options.timeout,
			followRedirect: false,
			followAllRedirects: false,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
		})) as { statusCode?: unknown };
		onStatus(response.statusCode);
		return response;
	};
	const context = {
		helpers: { httpRequestWithAuthentication: send },
		getExecutionCancelSignal: () => signal,
		// For n8n's log: a test has no node.
		getNode: () => ({ name: 'Credential test' }),
		getWorkflow: () => ({}),
		logger: LoggerProxy,
	};
	return context as unknown as IPollFunctions;
}

/** Whether the body itself reports a failure. Its lists hold records, so they are not searched. */
function isFailure(body: unknown): boolean {
	if (!isObject(body)) return false;
	const own = Object.entries(body).filter(
		([name, value]) => typeof value !== 'object' || /^(errors?|faults?)$/i.test(name),
	);
	return holdsFailure(Object.fromEntries(own));
}

/** One text that begins with the label of the field to fix, because n8n shows no description here. */
function describe(error: unknown): string {
	if (!(error instanceof RequestError)) {
		const { message = String(error), description } = error as Partial<InvalidSettingError>;
		return description === undefined ? message : `${message} — ${description}`;
	}
	const {
		cause,
		outcome,
		statusCode = 0,
		description,
		isByResultField,
		retryAfterSeconds = 60,
	} = error.details;
	if (cause === 'rate-limited') {
		const noRoom = `The limits of this key leave no room for another ${retryAfterSeconds} s`;
		return `${outcome === 'notSent' ? error.message : noRoom}. Test again after that time.`;
	}
	const isAboutKey = statusCode === 401 || statusCode === 403 || isByResultField === true;
	const label = isAboutKey ? 'API Key: ' : statusCode >= 500 ? '' : 'Base URL: ';
	return `${label}${error.message} — ${description}`;
}
