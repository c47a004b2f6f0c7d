import { ENDPOINTS } from '../../transport/endpoints';
import { sendOperation } from '../sendDocument';

export const sendWp = sendOperation(
	'transaction',
	{
		name: 'Send (WP)',
		value: 'sendWp',
		action: 'Send invoice or other transaction document (WP)',
		description:
			'Send a document through the endpoint sendTxnWP (your service knows what WP stands for)',
	},
	ENDPOINTS.sendTransactionWp,
);
