import type { Resource } from '../operation';
import { getStatus } from './getStatus.operation';

export const limits: Resource = {
	option: {
		name: 'Rate Limit',
		value: 'rateLimit',
		description: 'How much of the limits is in use',
	},
	operations: [getStatus],
	defaultOperation: 'getStatus',
};
