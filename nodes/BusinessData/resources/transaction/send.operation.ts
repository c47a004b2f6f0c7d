import { ENDPOINTS } from '../../transport/endpoints';
import { sendOperation } from '../../operations/send';

export const send = sendOperation(
	{
		name: 'Send',
		value: 'send',
		action: 'Send invoice or other transaction document',
		description: 'Send a document, such as an invoice, to a customer',
	},
	ENDPOINTS.sendTransaction,
);
