// The HTTP request of the benchmark's own nodes, with n8n's helper and its Header Auth credential, as a self-written
// node for a service would make it.
import type {
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

/** The fields of every contender. */
export const REQUEST_PROPERTIES: INodeProperties[] = [
	{ displayName: 'Method', name: 'method', type: 'string', default: 'GET' },
	{ displayName: 'URL', name: 'url', type: 'string', default: '' },
];

export const CREDENTIAL_TYPE = 'httpHeaderAuth';

/** Sends the request of one item, which is the body of a POST. No status is an error. */
export async function sendItem(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<IN8nHttpFullResponse> {
	const json = context.getInputData()[itemIndex]?.json ?? {};
	const method = context.getNodeParameter('method', itemIndex) as IHttpRequestMethods;
	const options: IHttpRequestOptions = {
		method,
		url: context.getNodeParameter('url', itemIndex) as string,
		qs: { number: json.number },
		json: true,
		...(method === 'GET' ? {} : { body: json }),
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	};
	return (await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL_TYPE,
		options,
	)) as IN8nHttpFullResponse;
}

/** The output for an item: the response, or the error if the request failed. */
async function outputOf(
	itemIndex: number,
	request: () => Promise<IN8nHttpFullResponse>,
): Promise<INodeExecutionData> {
	const pairedItem = { item: itemIndex };
	try {
		const { statusCode, body } = await request();
		if (statusCode < 400) return { json: { response: body }, pairedItem };
		return { json: { error: `The service answered ${statusCode}` }, pairedItem };
	} catch (error) {
		return { json: { error: error instanceof Error ? error.message : String(error) }, pairedItem };
	}
}

/** Starts the requests of all items at once, as n8n's HTTP Request node does. */
export async function outputOfAll(
	context: IExecuteFunctions,
	request: (itemIndex: number) => Promise<IN8nHttpFullResponse>,
): Promise<INodeExecutionData[][]> {
	const outputs = context
		.getInputData()
		.map((_, itemIndex) => outputOf(itemIndex, () => request(itemIndex)));
	return [await Promise.all(outputs)];
}
