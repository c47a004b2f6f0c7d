import { sendOperation } from '../../operations/send';

export const send = sendOperation('transaction:send', {
	name: 'Send',
	value: 'send',
	action: 'Send invoice or other transaction document',
	description: 'Send a document, such as an invoice, to a customer',
});
