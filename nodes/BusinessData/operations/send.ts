/** The operations that send a document to a customer: one request per item, one after the other. */
import type { INodePropertyOptions, NodeHint } from 'n8n-workflow';

import { requestEach } from '../items/requestEach';
import { itemsOf } from '../items/responseItems';
import { bodyFields, readJsonBody } from '../parameters/requestBody';
import { optionsField, readRequestOptions } from '../parameters/requestOptions';
import { sendOnceOptions } from '../parameters/sendOnceOptions';
import { SEND_ENDPOINTS, type SendName } from '../transport/endpoints';
import { formatDuration, formatLimit } from '../values/text';
import type { Operation } from './operation';

const TITLES: Record<SendName, string> = {
	'payment:send': 'Payment: Send',
	'transaction:send': 'Transaction: Send',
	'transaction:sendWp': 'Transaction: Send (WP)',
};

/** The choices of a field that names one of these operations, or something else. */
export function sendChoices(other: INodePropertyOptions): INodePropertyOptions[] {
	return [other, ...Object.entries(TITLES).map(([value, name]) => ({ name, value }))];
}

export function sendOperation(operation: SendName, option: INodePropertyOptions): Operation {
	const endpoint = SEND_ENDPOINTS[operation];
	const { max, windowSeconds } = endpoint.limit;
	const allowed = formatLimit(max, windowSeconds * 1000);
	const description = `${option.description}. The service allows ${allowed}; more wait for their turn.`;
	return {
		option: {
			...option,
			description,
			builderHint: {
				propertyHint:
					'Each item goes out to a customer and cannot be taken back. Always set options.sendOnceKey to what is unique to the document, such as its number, so that no run sends it again.',
			},
		},
		fields: [...bodyFields, optionsField(sendOnceOptions)],
		execute: async (run) =>
			await requestEach(run, (itemIndex) => ({
				request: {
					endpoint,
					body: readJsonBody(run, itemIndex, { isDocument: true }),
					...readRequestOptions(run, itemIndex),
				},
				toItems: async (response, result) => await itemsOf(run, response, result),
			})),
	};
}

/** Shown in the editor before a run on more items than the limit admits at once. */
export const durationHints = Object.entries(SEND_ENDPOINTS).map(
	([operation, { limit }]): NodeHint => {
		const { max, windowSeconds } = limit;
		const windowMs = windowSeconds * 1000;
		const isChosen = `$parameter["resource"] + ":" + $parameter["operation"] === "${operation}"`;
		return {
			type: 'info',
			message: `With the usual limit of ${formatLimit(max, windowMs)}, this many items take ${formatDuration(windowMs)} or more. If they take hours, send them in a loop with <b>Rate Limit: Wait for Room</b>, so that a restart of n8n does not end the run.`,
			displayCondition: `={{ ${isChosen} && $input.all().length > ${max} }}`,
			whenToDisplay: 'beforeExecution',
			location: 'outputPane',
		};
	},
);
