/** Limits whose windows are shorter by a factor, so that tests wait seconds where users wait minutes. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Limit, LimitTable } from '../../sandbox/limits';
import { EXAMPLE_LIMITS } from './exampleLimits';

/** A limit in the form of the limiter. */
export const inMs = ({ max, windowSeconds }: Limit) => ({ max, windowMs: windowSeconds * 1000 });

/**
 * The example limits, or others, with every window multiplied by `timeScale`, and those of endpoints by
 * `endpointTimeScale`, because 10 minutes may still be too long.
 */
export function scaledLimits(
	timeScale: number,
	endpointTimeScale = timeScale,
	{ general, endpoints }: LimitTable = EXAMPLE_LIMITS,
): LimitTable {
	const scaleBy =
		(factor: number) =>
		<T extends { windowSeconds: number }>(limit: T): T => ({
			...limit,
			windowSeconds: limit.windowSeconds * factor,
		});
	return {
		general: general.map(scaleBy(timeScale)),
		endpoints: Object.fromEntries(
			Object.entries(endpoints).map(([name, limit]) => [name, scaleBy(endpointTimeScale)(limit)]),
		),
	};
}

/** A credential for a sandbox, with the documented limits or the given ones. */
export function credentialFor(
	sandbox: { baseUrl: string; apiKey: string },
	limits?: object,
): ICredentialDataDecryptedObject {
	return {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.apiKey,
		limitStore: 'memory',
		customize: limits !== undefined,
		...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
		transactionDelete: 'POST /txndata/bulkDeleteTxn',
		contactDelete: 'POST /masterdata/deleteContacts',
		deleteIdsField: 'ids',
	};
}
