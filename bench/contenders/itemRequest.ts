// The HTTP call of the benchmark's own nodes: n8n's helper and n8n's Header Auth credential, as a node
// that somebody writes for a service without one would do it.
import type {
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

/** The fields that every contender has. */
export const REQUEST_PROPERTIES: INodeProperties[] = [
	{ displayName: 'Method', name: 'method', type: 'string', default: 'GET' },
	{ displayName: 'URL', name: 'url', type: 'string', default: '' },
];

export const CREDENTIAL_TYPE = 'httpHeaderAuth';

/** Sends the request of one item: a POST has the item as its body. Throws for no status. */
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

/** What a node puts out for an item: the response, or the error of an item whose request failed. */
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
