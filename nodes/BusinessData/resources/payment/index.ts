import type { Resource } from '../../operations/operation';
import { send } from './send.operation';

export const payment: Resource = {
	option: { name: 'Payment', value: 'payment', description: 'Payments and their documents' },
	operations: [send],
	defaultOperation: 'send',
};
