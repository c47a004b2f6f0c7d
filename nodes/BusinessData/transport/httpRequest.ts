/** Makes one HTTP request with n8n's own helper, which adds the key, proxies and TLS settings. */
import type { Readable } from 'node:stream';

import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IPollFunctions,
} from 'n8n-workflow';

import { type Account, CREDENTIAL_TYPE } from './account';
import { encodeQuery, type ServiceRequest } from './serviceRequest';

export interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: Readable;
}

export type RequestContext = IExecuteFunctions | IPollFunctions;

/**
 * @param body one Buffer, as `ConnectionWatch` requires
 * @param signal aborts the request, in place of n8n's own signal, which would also abort what has left
 * @throws what n8n's helper throws when there is no response
 */
export async function sendRequest(
	context: RequestContext,
	account: Account,
	request: ServiceRequest,
	body: Buffer | undefined,
	signal: AbortSignal,
): Promise<RawResponse> {
	const { endpoint, query, headers, timeoutMs } = request;
	const { search = encodeQuery(query) } = request;
	const isType = (name: string) => name.toLowerCase() === 'content-type';
	const typeHeader = Object.keys(headers).find(isType) ?? 'Content-Type';
	const contentType = headers[typeHeader] ?? request.encoded?.contentType ?? 'application/json';
	const options: IHttpRequestOptions = {
		method: endpoint.method,
		url: account.baseUrl + endpoint.path + (search === '' ? '' : `?${search}`),
		headers: {
			Accept: 'application/json, */*;q=0.5',
			...headers,
			...(body === undefined ? {} : { [typeHeader]: contentType }),
		},
		// n8n passes a body of exactly this type to URLSearchParams, which cannot take a Buffer.
		body: contentType === 'application/x-www-form-urlencoded' ? body?.toString() : body,
		timeout: timeoutMs,
		// A redirect could lead the key to another host.
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		encoding: 'stream',
	};
	// A copy, because n8n may add to it.
	const data = { ...account.fields } as ICredentialDataDecryptedObject;
	const response = (await context.helpers.httpRequestWithAuthentication.call(
		Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as RequestContext,
		CREDENTIAL_TYPE,
		options,
		// Otherwise n8n would read the credential again, and might send a new key to the old host.
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
	)) as RawResponse;
	// Without a listener, an error after the last read would crash n8n.
	response.body.on('error', () => undefined);
	return response;
}
