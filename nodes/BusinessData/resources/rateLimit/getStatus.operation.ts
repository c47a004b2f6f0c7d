/** Rate Limit → Get Status: shows the limiter's windows, without a request to the service. */
import { abortable } from '../../async';
import { limiterOf } from '../../rateLimit';
import type { Operation } from '../../operations/operation';

export const getStatus: Operation = {
	option: {
		name: 'Get Status',
		value: 'getStatus',
		action: 'Get rate limit status',
		description: 'Show how much of each limit is in use, without sending anything',
		builderHint: {
			propertyHint: 'For reports. Other operations wait for the limits by themselves.',
		},
	},
	fields: [],
	execute: async ({ account, signal }) => {
		const windows = await abortable(limiterOf(account.identity).status(account), signal);
		return windows.map((status) => ({ json: { ...status }, pairedItem: { item: 0 } }));
	},
};
