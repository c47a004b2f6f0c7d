// The sandbox's own invention: the form of a payment, and a list of payments.
//
// The interface document names payments but none of their fields (section 2) and no endpoint to read them; its list
// of endpoints is not complete (section 4).

import { RecordStore, type StoredRecord } from './records';

export interface Payment extends StoredRecord {
	contactId: string;
	amount: number;
	status: 'open' | 'paid';
}

export type PaymentStore = RecordStore<Payment>;

const PAYMENTS_AT_THE_START = 12;

/** Creates the initial payments. */
export function inventPayments(): PaymentStore {
	const invent = (number: number, updatedAt: string): Payment => ({
		id: `payment-${number}`,
		contactId: `contact-${number}`,
		amount: 10 * number,
		status: 'open',
		updatedAt,
	});
	return new RecordStore('payment', invent, PAYMENTS_AT_THE_START);
}
