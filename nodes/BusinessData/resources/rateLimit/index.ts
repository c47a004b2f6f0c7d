import type { Resource } from '../../operations/operation';
import { getStatus } from './getStatus.operation';
import { waitForRoom } from './waitForRoom.operation';

export const rateLimit: Resource = {
	option: {
		name: 'Rate Limit',
		value: 'rateLimit',
		description: 'Check how much of the limits is in use, or wait for room in them',
	},
	operations: [getStatus, waitForRoom],
	defaultOperation: 'getStatus',
};
