import { sendOperation } from '../../operations/send';

export const sendWp = sendOperation('transaction:sendWp', {
	name: 'Send (WP)',
	value: 'sendWp',
	action: 'Send invoice or other transaction document (WP)',
	description: 'Send a document through the endpoint sendTxnWP',
});
