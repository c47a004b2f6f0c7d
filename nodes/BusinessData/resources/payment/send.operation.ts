import { sendOperation } from '../../operations/send';

export const send = sendOperation('payment:send', {
	name: 'Send',
	value: 'send',
	action: 'Send payment document',
	description: 'Send the document of a payment to a customer',
});
