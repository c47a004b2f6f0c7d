/** The limiters of this process, one per key, shared by all nodes, workflows and executions. */
import { KeyLimiter } from './keyLimiter';
import type { Ledger } from './ledger';
import type { Limits } from './limits';
import type { WindowStatus } from './windowStatus';

/**
 * On the global object, because n8n may load this package twice (an update, a second path): two copies
 * that count for themselves would break the limits together.
 */
const LIMITERS = Symbol.for('n8n-nodes-business-data/limiters/1');

type GlobalWithLimiters = typeof globalThis & { [LIMITERS]?: Map<string, KeyLimiter> };

function limiters(): Map<string, KeyLimiter> {
	const global = globalThis as GlobalWithLimiters;
	return (global[LIMITERS] ??= new Map<string, KeyLimiter>());
}

/**
 * The limiter of a key, made on first use, under the limits given last. Do not keep it: it is dropped
 * when nothing is queued or held any more.
 * @param identity stands for the service and the key, without naming the key
 */
export function limiterOf(identity: string, limits: Limits): KeyLimiter {
	const all = limiters();
	let limiter = all.get(identity);
	if (limiter === undefined) {
		const made = new KeyLimiter(identity, limits, () => {
			if (all.get(identity) === made) all.delete(identity);
		});
		all.set(identity, (limiter = made));
	}
	limiter.changeLimits(limits);
	return limiter;
}

/**
 * The state of every window of a key; all of them free when the key was not used lately.
 * @throws RedisError when the ledger cannot be used
 */
export async function statusOf(
	identity: string,
	limits: Limits,
	ledger?: Ledger,
): Promise<WindowStatus[]> {
	const limiter = limiters().get(identity) ?? new KeyLimiter(identity, limits, () => undefined);
	limiter.changeLimits(limits);
	return await limiter.status(ledger);
}
