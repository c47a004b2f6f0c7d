import { ENDPOINTS } from '../../transport/endpoints';
import { sendOperation } from '../../operations/send';

export const send = sendOperation(
	{
		name: 'Send',
		value: 'send',
		action: 'Send payment document',
		description: 'Send the document of a payment to a customer',
	},
	ENDPOINTS.sendPayment,
);
