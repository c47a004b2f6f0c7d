/**
 * n8n's `httpRequestWithAuthentication`, on the real axios. Modelled on n8n-core's `request-helpers/authentication.js`
 * and backend-network's `http/axios/request.js`.
 */
import type { Stream } from 'node:stream';

import type { AxiosResponse } from 'axios';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialType,
	IHttpRequestOptions,
	INode,
} from 'n8n-workflow';

import type { SimulatedProcess } from '../process/simulatedProcess';
import type { Caller } from '../service/exchange';
import { unsupported } from '../world/unsupported';

interface HelperContext {
	getExecutionCancelSignal?(): AbortSignal | undefined;
	getNode(): INode;
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
}

interface HelperOptions {
	credentialsDecrypted?: ICredentialsDecrypted;
}

type HttpHelper = (
	this: HelperContext,
	type: string,
	options: IHttpRequestOptions,
	additional?: HelperOptions,
) => Promise<unknown>;

/** @param caller passed as the agent of each request, so that the network knows which execution it belongs to */
export function httpHelper(
	process: SimulatedProcess,
	credentialType: ICredentialType,
	caller: Caller,
): HttpHelper {
	const { NodeApiError } = process.realm.n8nWorkflow();
	const axios = process.realm.axios();
	return async function (type, options, additional) {
		if ('getExecutionCancelSignal' in this) options.abortSignal = this.getExecutionCancelSignal?.();
		try {
			const data = additional?.credentialsDecrypted?.data ?? (await this.getCredentials(type));
			// n8n runs the credential's preAuthentication first, and then its authentication.
			await Promise.resolve();
			const headers = await Promise.resolve(authenticated(options, credentialType, data));
			const { method, url, timeout, body, abortSignal } = options;
			const response: AxiosResponse<unknown> = await axios({
				method,
				url,
				timeout,
				headers,
				data: body as Stream | undefined,
				signal: abortSignal,
				maxBodyLength: Infinity,
				maxContentLength: Infinity,
				...(options.disableFollowRedirect === true ? { maxRedirects: 0 } : {}),
				...(options.encoding === undefined ? {} : { responseType: options.encoding }),
				...(options.ignoreHttpStatusErrors === true ? { validateStatus: () => true } : {}),
				proxy: false,
				httpAgent: caller,
				httpsAgent: caller,
			});
			if (options.returnFullResponse !== true) return response.data;
			return {
				body: response.data,
				headers: response.headers,
				statusCode: response.status,
				statusMessage: response.statusText,
			};
		} catch (error) {
			throw new NodeApiError(this.getNode(), error as never);
		}
	};
}

function authenticated(
	{ headers }: IHttpRequestOptions,
	{ authenticate }: ICredentialType,
	data: ICredentialDataDecryptedObject,
): Record<string, string> {
	const added = typeof authenticate === 'object' ? (authenticate.properties.headers ?? {}) : {};
	const values = Object.entries(added).map(([name, template]: [string, unknown]) => {
		const field = /^=\{\{\s*\$credentials\.(\w+)(?:\.trim\(\))?\s*\}\}$/.exec(
			String(template),
		)?.[1];
		if (field === undefined) throw unsupported(`template ${String(template)}`);
		return [name, (data[field] as string).trim()];
	});
	return {
		...(headers as Record<string, string>),
		...(Object.fromEntries(values) as Record<string, string>),
		'User-Agent': 'n8n',
	};
}
