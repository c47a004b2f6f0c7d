/** Limits for tests with figures that depend on them. They stay when the service's limits change. */
import type { LimitTable } from '../../sandbox/limits';

export const EXAMPLE_LIMITS: LimitTable = {
	general: [
		{ max: 10, windowSeconds: 1 },
		{ max: 30, windowSeconds: 10 },
		{ max: 100, windowSeconds: 60 },
	],
	endpoints: {
		'POST /txndata/sendTxn': { max: 3, windowSeconds: 600 },
		'POST /txndata/sendPayment': { max: 3, windowSeconds: 600 },
		'POST /txndata/sendTxnWP': { max: 5, windowSeconds: 600 },
	},
};
