/** The operations that send a document to a customer: one request per item, one after the other. */
import type { INodePropertyOptions, NodeHint } from 'n8n-workflow';

import { SEND_HINT } from '../builderHints';
import { requestEach } from '../items/requestEach';
import { hintAtResult, itemsOf, toItem } from '../items/responseItems';
import { bodyFields, readDocument } from '../parameters/requestBody';
import { optionsField, readRequestOptions } from '../parameters/requestOptions';
import { sendOnceOptions } from '../parameters/sendOnceOptions';
import type { Endpoint, LimitSetting } from '../transport/endpoints';
import { resultIn } from '../transport/response';
import { formatDuration, formatLimit } from '../transport/waitTime';
import { type Operation, shownFor } from './operation';

/** An operation of the resource that sends each item's document to the endpoint. */
export function sendOperation(
	resource: string,
	option: INodePropertyOptions,
	{ method, path, limit }: Endpoint & { limit: LimitSetting },
): Operation {
	const operation = String(option.value);
	const allowed = formatLimit(limit.max, limit.windowSeconds * 1000);
	const description = `${option.description}. The service allows ${allowed}; more wait for their turn.`;
	return {
		option: { ...option, description, builderHint: { propertyHint: SEND_HINT } },
		description: shownFor(resource, operation, [...bodyFields, optionsField(sendOnceOptions)]),
		hints: [durationHint(resource, operation, limit)],
		execute: async (run) =>
			await requestEach(run, (index) => ({
				request: {
					endpoint: { method, path },
					body: readDocument(run, index),
					...readRequestOptions(run, index),
				},
				toItems: async (response) => {
					const result = resultIn(response);
					hintAtResult(run, response, result);
					const items = await itemsOf(run, response, result, index);
					// A sent item has output also when the service responds with an empty list.
					return items.length > 0 ? items : [toItem({ statusCode: response.statusCode }, index)];
				},
			})),
	};
}

/** What the editor shows before a run on more items than the limit lets out at once. */
function durationHint(
	resource: string,
	operation: string,
	{ max, windowSeconds }: LimitSetting,
): NodeHint {
	const windowMs = windowSeconds * 1000;
	const conditions = [
		`$parameter["resource"] === "${resource}"`,
		`$parameter["operation"] === "${operation}"`,
		`$input.all().length > ${max}`,
	];
	return {
		type: 'info',
		message: `With the usual limit of ${formatLimit(max, windowMs)}, this many items take ${formatDuration(windowMs)} or more. If they take hours, send them in a loop with <b>Rate Limit: Wait for Room</b>, so that a restart of n8n does not end the run.`,
		displayCondition: `={{ ${conditions.join(' && ')} }}`,
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	};
}
