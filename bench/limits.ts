// The documented limits in the forms in which the parts of the benchmark want them.
import { DOCUMENTED_LIMITS, type LimitTable } from '../sandbox/limits';
import type { Window } from './bestSchedule';

export const READ_ENDPOINT = 'GET /masterdata/getContacts';
export const SEND_ENDPOINT = 'POST /txndata/sendTxn';

/** The documented limits with the windows multiplied: the general ones, and those of the endpoints. */
export function scaledTable(generalScale: number, endpointScale: number): LimitTable {
	const { general, endpoints } = DOCUMENTED_LIMITS;
	const scaled = Object.entries(endpoints).map(([endpoint, { max, windowSeconds }]) => [
		endpoint,
		{ max, windowSeconds: windowSeconds * endpointScale },
	]);
	return {
		general: general.map(({ max, windowSeconds }) => ({
			max,
			windowSeconds: windowSeconds * generalScale,
		})),
		endpoints: Object.fromEntries(scaled) as LimitTable['endpoints'],
	};
}

/** The windows that count a request to an endpoint (`METHOD /path`). */
export function windowsOf(table: LimitTable, endpoint: string): Window[] {
	const own = table.endpoints[endpoint];
	return [...table.general, ...(own === undefined ? [] : [own])].map(({ max, windowSeconds }) => ({
		max,
		windowMs: windowSeconds * 1000,
	}));
}
