/**
 * Who is sending a key right now: in this process, and with Redis in all processes. Others wait for the end of the lease.
 * It is the rows in n8n's store, not the leases, that keep a document from being sent twice.
 */
import { randomUUID } from 'node:crypto';

import { abortController, sleep } from '../async';
import { KEY_PREFIX, type RedisConnection, RedisScript } from '../redis';
import type { UnderWay } from '../transport/serviceRequest';
import type { KeyId } from './keyRow';
import { processState } from './processState';

/** How long (ms) the lease of a process that has died holds up others. */
const LEASE_MS = 15_000;
const RENEWED_EVERY_MS = 2_000;
/** How long (ms) a renewal may take, because it may have to be retried on a new connection. */
const RENEWED_WITHIN_MS = 5_000;
/** How often (ms) to check on the lease of another process. */
const RETRY_MS = 200;

/** Shortens a lease that lasts too long because the clock was set back. */
const SHORTEN = `if redis.call('PTTL', KEYS[1]) > ${LEASE_MS} then redis.call('PEXPIRE', KEYS[1], ${LEASE_MS}) end`;

/** Acquires or renews the lease KEYS[1] for the token ARGV[1]. Returns 0 if another token has it. */
const ACQUIRE = new RedisScript(`
local owner = redis.call('GET', KEYS[1])
if not owner or owner == ARGV[1] then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ${LEASE_MS})
	return 1
end
${SHORTEN}
return 0
`);

/** Ends the lease KEYS[1] of the token ARGV[1]. */
const RELEASE = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`);

/**
 * Returns -1 if there is a lease KEYS[1], otherwise for how long (ms) it may be missing because Redis is another server,
 * was emptied, or had its clock set. KEYS[2] names the server, and expires before any lease.
 */
const LOOK_UP = new RedisScript(`
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
if redis.call('GET', KEYS[2]) ~= server or redis.call('PTTL', KEYS[2]) > ${LEASE_MS} then
	redis.call('SET', KEYS[2], server, 'PX', ${LEASE_MS})
end
local missing = redis.call('PTTL', KEYS[2]) - ${LEASE_MS - RENEWED_WITHIN_MS}
if missing <= 0 then redis.call('PEXPIRE', KEYS[2], ${LEASE_MS - RENEWED_WITHIN_MS}) end
if redis.call('GET', KEYS[1]) then
	${SHORTEN}
	return -1
end
return math.max(0, missing)
`);

/** The lease of a key, as a run sees it. */
export class KeyLease {
	private readonly keys: string[];

	constructor(
		private readonly id: KeyId,
		private readonly redis: RedisConnection | undefined,
		private readonly signal: AbortSignal,
	) {
		// The hash tag keeps both keys on one server of a cluster.
		const prefix = `${KEY_PREFIX}:{sendOnce:${id.document}}`;
		this.keys = [`${prefix}:lease:${id.name}`, `${prefix}:server`];
	}

	/** @throws RedisError */
	async acquire(): Promise<UnderWay | { release: () => void }> {
		const { leases } = processState();
		const other = leases.get(this.id.name);
		if (other !== undefined) return { ended: other };
		const stop = abortController();
		const token = randomUUID();
		let end: () => void = () => undefined;
		leases.set(this.id.name, new Promise<void>((resolve) => (end = resolve)));
		const release = () => {
			if (stop.signal.aborted) return;
			stop.abort();
			// If this fails, the lease expires.
			this.redis?.run(RELEASE, this.keys, [token]).catch(() => undefined);
			leases.delete(this.id.name);
			end();
		};
		try {
			// No signal: after an abort, nobody would know whether the key is leased.
			const isAcquired = (await this.redis?.run(ACQUIRE, this.keys, [token])) !== 0;
			if (!isAcquired) release();
			else this.keepRenewing(token, stop.signal).catch(() => undefined);
			return isAcquired ? { release } : { ended: this.pause(RETRY_MS) };
		} catch (error) {
			release();
			throw error;
		}
	}

	/** @returns another sender, or how long (ms) Redis may lack its lease. @throws RedisError, or the signal's reason */
	async lookUp(): Promise<UnderWay | number> {
		const ended = processState().leases.get(this.id.name);
		if (ended !== undefined) return { ended };
		const missingMs = (await this.redis?.run<number>(LOOK_UP, this.keys, [], this.signal)) ?? 0;
		return missingMs < 0 ? { ended: this.pause(RETRY_MS) } : missingMs;
	}

	/** Never rejects. */
	async pause(ms: number): Promise<void> {
		await sleep(ms, this.signal).catch(() => undefined);
	}

	/** Enters the lease again if Redis has lost it. @throws the signal's reason */
	private async keepRenewing(token: string, signal: AbortSignal): Promise<void> {
		while (this.redis !== undefined) {
			await sleep(RENEWED_EVERY_MS, signal);
			// If this fails, the next renewal may succeed.
			await this.redis.run(ACQUIRE, this.keys, [token], signal).catch(() => undefined);
		}
	}
}
