/** The operations that send a document to a customer: one request per item, one after the other. */
import type { INodePropertyOptions } from 'n8n-workflow';

import { SEND_HINT } from '../builderHints';
import type { Endpoint, LimitSetting } from '../transport/endpoints';
import { formatLimit } from '../transport/waits';
import { itemsOf } from './answerItems';
import { type Operation, shownFor } from './operation';
import { bodyFields, readBody } from './requestBody';
import { optionsField, readRequestOptions } from './requestOptions';
import { sendEach } from './sendEach';
import { sendOnceOptions } from './sendOnce';

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
		execute: async (run) =>
			await sendEach(
				run,
				(index) => ({
					endpoint: { method, path },
					body: readBody(run, index),
					...readRequestOptions(run, index),
				}),
				(answer, _, index) => itemsOf(answer, index),
			),
	};
}
