/** Examples for the tests of transport/ and resources/: a key, requests and responses. */
import type { ServiceResponse } from '../../../nodes/BusinessData/transport/response';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';

export const BASE_URL = 'https://api.example.com';
/** With letters, so that its case can be varied. */
export const KEY = '0123456789abcdefABCDEF9876543210'.repeat(2);

/** The values of a credential that n8n saves when only the required fields are filled in. */
export const requiredFields = { baseUrl: BASE_URL, apiKey: KEY };

export function requestOf(
	method: ServiceRequest['endpoint']['method'],
	path: string,
	changes: Partial<ServiceRequest> = {},
): ServiceRequest {
	return {
		endpoint: { method, path },
		query: [],
		headers: {},
		timeoutMs: 60_000,
		maxWaitMs: Infinity,
		...changes,
	};
}

export const read = requestOf('GET', '/masterdata/getContacts');
export const send = requestOf('POST', '/txndata/sendTxn');

/** A response with a body of bytes, of text, or of anything else as JSON. */
export function responseOf(
	body: unknown,
	{ statusCode = 200, headers = {} }: Partial<Omit<ServiceResponse, 'body'>> = {},
): ServiceResponse {
	if (Buffer.isBuffer(body)) return { statusCode, headers, body };
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return { statusCode, headers, body: Buffer.from(text) };
}

/** The error that `act` throws. */
export function errorOf(act: () => unknown): unknown {
	try {
		act();
	} catch (error) {
		return error;
	}
	throw new Error('nothing was thrown');
}
