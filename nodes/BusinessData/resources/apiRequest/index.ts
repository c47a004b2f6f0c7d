import type { Resource } from '../../operations/operation';
import { send } from './send.operation';

export const apiRequest: Resource = {
	option: {
		name: 'API Request',
		value: 'apiRequest',
		description: 'Any other endpoint of the service',
	},
	operations: [send],
	defaultOperation: 'send',
};
