// The sandbox's own invention: what a payment looks like, and that payments can be listed.
//
// The interface document names payments but none of their fields (section 2), and no way to read them; its
// list of endpoints is not complete (section 4).

import { RecordStore, type StoredRecord } from './records';

/** A payment as the sandbox imagines one. */
export interface Payment extends StoredRecord {
	contactId: string;
	amount: number;
	status: 'open' | 'paid';
}

export type PaymentStore = RecordStore<Payment>;

const PAYMENTS_AT_THE_START = 12;

/** The payments there are. */
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
