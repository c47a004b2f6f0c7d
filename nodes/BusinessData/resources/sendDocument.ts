/** The operations that send a document to a customer: one request per item, one after the other. */
import type { INodeExecutionData, INodePropertyOptions } from 'n8n-workflow';

import { SEND_HINT } from '../builderHints';
import type { Answer } from '../transport/answer';
import type { Endpoint, LimitSetting } from '../transport/endpoints';
import { formatLimit } from '../transport/waits';
import { resultItems, toItem } from './answerItems';
import { durationHints } from './durationHints';
import { type Operation, shownFor } from './operation';
import { bodyFields, readDocument } from './requestBody';
import { optionsField, readRequestOptions } from './requestOptions';
import type { Run } from './run';
import { sendEach } from './sendEach';
import { sendOnceOptions } from './sendOnceOptions';

/** What was sent always has a result, also where the service answers with an empty list. */
async function resultOf(
	run: Run,
	answer: Answer,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const items = await resultItems(run, answer, itemIndex);
	return items.length > 0 ? items : [toItem({ statusCode: answer.statusCode }, itemIndex)];
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
			await sendEach(
				run,
				(index) => ({
					endpoint: { method, path },
					body: readDocument(run, index),
					...readRequestOptions(run, index),
				}),
				async (answer, _, index) => await resultOf(run, answer, index),
			),
	};
}
