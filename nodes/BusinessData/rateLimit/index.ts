/** The limiters of this process, one per key. Nothing here knows of n8n or HTTP. */
import { processWide } from '../values/processWide';
import { KeyLimiter } from './keyLimiter';

export * from './limits';
export type { Permit } from './permit';
export { limitStoreOf, type RedisLimitStore } from './redis/redisLimitStore';
export { PAUSE, REFUSAL, type WaitCause, WaitTooLongError } from './waitTime';

/** Shared by all loaded copies of the package: if each had its own, together they would exceed the limits. */
const limiters = processWide('limiters/1', () => new Map<string, KeyLimiter>());

/** @param identity a hash of service and key. Do not keep the limiter: an idle one is dropped, and replaced later. */
export function limiterOf(identity: string): KeyLimiter {
	const all = limiters();
	const limiter: KeyLimiter =
		all.get(identity) ??
		new KeyLimiter((isIdle) => {
			if (!isIdle) all.set(identity, limiter);
			else if (all.get(identity) === limiter) all.delete(identity);
		});
	return limiter;
}
