import type { Resource } from '../../operations/operation';
import { deleteMany } from './deleteMany.operation';
import { send } from './send.operation';
import { sendWp } from './sendWp.operation';

export const transaction: Resource = {
	option: {
		name: 'Transaction',
		value: 'transaction',
		description: 'Invoices and other documents of the business',
	},
	operations: [deleteMany, send, sendWp],
	defaultOperation: 'send',
};
