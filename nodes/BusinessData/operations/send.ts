/** The operations that send a document to a customer: one request per item, one after the other. */
import type { INodeExecutionData, INodePropertyOptions } from 'n8n-workflow';

import { SEND_HINT } from '../builderHints';
import type { ServiceResponse } from '../transport/response';
import type { Endpoint, LimitSetting } from '../transport/endpoints';
import { formatLimit } from '../transport/waitTime';
import { resultItems, toItem } from '../items/responseItems';
import { durationHints } from './durationHints';
import { type Operation, shownFor } from './operation';
import { bodyFields, readDocument } from '../parameters/requestBody';
import { optionsField, readRequestOptions } from '../parameters/requestOptions';
import type { Run } from '../run/run';
import { sendEach } from '../items/sendEach';
import { sendOnceOptions } from '../parameters/sendOnceOptions';

/** A sent item always has output, also when the service responds with an empty list. */
async function resultOf(
	run: Run,
	response: ServiceResponse,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const items = await resultItems(run, response, itemIndex);
	return items.length > 0 ? items : [toItem({ statusCode: response.statusCode }, itemIndex)];
}

/** An operation of the resource that sends each item's document to the endpoint. */
export function sendOperation(
	resource: string,
	option: INodePropertyOptions,
	{ method, path, limit }: Endpoint & { limit: LimitSetting },
): Operation {
	const allowed = formatLimit(limit.max, limit.windowSeconds * 1000);
	const description = `${option.description}. The service allows ${allowed}; more wait for their turn.`;
	return {
		option: { ...option, description, builderHint: { propertyHint: SEND_HINT } },
		description: shownFor(resource, String(option.value), [
			...bodyFields,
			optionsField(sendOnceOptions),
		]),
		hints: durationHints(resource, String(option.value), limit),
		execute: async (run) =>
			await sendEach(run, (index) => ({
				request: {
					endpoint: { method, path },
					body: readDocument(run, index),
					...readRequestOptions(run, index),
				},
				toItems: async (response) => await resultOf(run, response, index),
			})),
	};
}
