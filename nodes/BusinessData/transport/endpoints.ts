/** The endpoints and limits of the interface document (business-data-api.md, sections 4 and 8). */
import type { IHttpRequestMethods } from 'n8n-workflow';

/** A request's method and its path below the base URL. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: string;
}

/** At most `max` requests in `windowSeconds` seconds, as in the credential's Limits field. */
export interface LimitSetting {
	max: number;
	windowSeconds: number;
}

/** The value of the credential's Limits field. Keys of `endpoints` are `METHOD /path`. */
export interface LimitSettings {
	general: LimitSetting[];
	endpoints: Record<string, LimitSetting>;
}

/** They count every request of a key. */
const GENERAL_LIMITS: LimitSetting[] = [
	{ max: 10, windowSeconds: 1 },
	{ max: 30, windowSeconds: 10 },
	{ max: 100, windowSeconds: 60 },
];

export const ENDPOINTS = {
	getContacts: { method: 'GET', path: '/masterdata/getContacts' },
	sendTransaction: {
		method: 'POST',
		path: '/txndata/sendTxn',
		limit: { max: 3, windowSeconds: 600 },
	},
	sendPayment: {
		method: 'POST',
		path: '/txndata/sendPayment',
		limit: { max: 3, windowSeconds: 600 },
	},
	sendTransactionWp: {
		method: 'POST',
		path: '/txndata/sendTxnWP',
		limit: { max: 5, windowSeconds: 600 },
	},
	// The document gives no method and no full path for these two, so they are defaults of settings.
	deleteTransactions: { method: 'POST', path: '/txndata/bulkDeleteTxn' },
	deleteContacts: { method: 'POST', path: '/masterdata/deleteContacts' },
} as const satisfies Record<string, Endpoint & { limit?: LimitSetting }>;

/** By resource and operation. */
export const SEND_ENDPOINTS = {
	'payment:send': ENDPOINTS.sendPayment,
	'transaction:send': ENDPOINTS.sendTransaction,
	'transaction:sendWp': ENDPOINTS.sendTransactionWp,
} as const;
export type SendName = keyof typeof SEND_ENDPOINTS;
export const SEND_NAMES = Object.keys(SEND_ENDPOINTS) as SendName[];

/** `METHOD /path`, as in the credential's fields. */
export function formatEndpoint({ method, path }: Endpoint): string {
	return `${method} ${path}`;
}

export const DOCUMENTED_LIMITS: LimitSettings = {
	general: GENERAL_LIMITS,
	endpoints: Object.fromEntries(
		Object.values(ENDPOINTS).flatMap((endpoint) =>
			'limit' in endpoint ? [[formatEndpoint(endpoint), endpoint.limit]] : [],
		),
	),
};
