import { ENDPOINTS } from '../../transport/endpoints';
import { sendOperation } from '../sendDocument';

export const sendWp = sendOperation(
	'transaction',
	{
		name: 'Send (WP)',
		value: 'sendWp',
		action: 'Send a document of a transaction (WP)',
		description:
			'Send a document to a customer through the endpoint sendTxnWP. What WP stands for is for your service to say. The service allows 5 per 10 minutes; more wait for their turn.',
	},
	ENDPOINTS.sendTransactionWp,
);
