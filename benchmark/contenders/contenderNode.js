// The benchmark's own nodes, as a self-written node for a service would be: with n8n's helper and its Header Auth
// credential. Plain JavaScript, so that n8n loads this folder as it is.

const CREDENTIAL_TYPE = 'httpHeaderAuth';

/** Sends the request of one item, which is the body of a POST. No status is an error. */
async function sendItem(context, itemIndex) {
	const { json } = context.getInputData()[itemIndex];
	const method = context.getNodeParameter('method', itemIndex);
	return await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, {
		method,
		url: context.getNodeParameter('url', itemIndex),
		qs: { number: json.number },
		json: true,
		...(method === 'GET' ? {} : { body: json }),
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	});
}

/** The output for an item: the response, or the error if the request failed. */
async function outputOf(itemIndex, request) {
	const pairedItem = { item: itemIndex };
	try {
		const { statusCode, body } = await request();
		if (statusCode < 400) return { json: { response: body }, pairedItem };
		return { json: { error: `The service answered ${statusCode}` }, pairedItem };
	} catch ({ message }) {
		return { json: { error: message }, pairedItem };
	}
}

/**
 * A node that starts the requests of all items at once, as n8n's HTTP Request node does.
 * @param name of the node's type
 * @param parameters the names and defaults of its own parameters
 * @param limiterOf returns a function that sends a request in its time, for the values of the parameters
 */
exports.contenderNode = (name, parameters, limiterOf) =>
	class {
		description = {
			displayName: `Benchmark ${name}`,
			name,
			group: ['transform'],
			version: 1,
			description: 'Sends a request per item',
			defaults: { name: `Benchmark ${name}` },
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: CREDENTIAL_TYPE, required: true }],
			properties: Object.entries({ method: 'GET', url: '', ...parameters }).map(
				([parameter, value]) => ({
					displayName: parameter,
					name: parameter,
					type: typeof value,
					default: value,
				}),
			),
		};

		async execute() {
			const limit = limiterOf((parameter) => this.getNodeParameter(parameter, 0));
			const outputs = this.getInputData().map((_, itemIndex) =>
				outputOf(itemIndex, () => limit(() => sendItem(this, itemIndex))),
			);
			return [await Promise.all(outputs)];
		}
	};
