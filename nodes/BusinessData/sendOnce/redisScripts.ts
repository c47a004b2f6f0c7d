/**
 * Send Once in Redis. Each script runs as one step and by Redis's own clock, which may be set at any time,
 * and Redis may lose data: so a sender renews its lease every few moments, and nothing is
 * concluded from what is missing or over before it has had the time to do so.
 *
 * KEYS: what was sent or may have been, a sorted set of keys by the moment (ms) at which they went out; those of them
 * whose end is not known; the leases, a hash from a key to the moment (ms) until which its owner may be sending
 * it, for how long (ms) that was, whether it is `live` or `overdue`, and the owner's token; what stands there for a
 * while when the owner's lease has ended; and the token of the last lease of the key, while it was not sent and
 * nobody else has leased it. A lease that nobody has renewed stays: its owner died, and nobody knows whether the
 * service has acted. The fields `server` and `since` tell which server has the leases, and since when.
 */
import { RedisScript } from '../redis';

/** How often (ms) a sender renews its lease. */
export const RENEWED_EVERY_MS = 2_000;
/** How long (ms) it takes at most until it has: a command may have to be retried on a new connection. */
const RENEWED_WITHIN_MS = 5_000;
/** For how long (ms) a record in n8n's store may have to be corrected. */
const CORRECTED_MS = 10 * 60_000;
/** How long (ms) a command may be on its way when its lease has ended, on a connection that was given up. */
const LATE_MS = 60_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const LEASE_OF_KEY = `
local function leaseOf(key)
	local lease = redis.call('HGET', KEYS[3], key)
	if not lease then return nil end
	local untilMs, duration, state, token = string.match(lease, '^(%d+):(%d+):(%a+):(.*)$')
	return token, tonumber(untilMs), tonumber(duration), state
end

local function hasEnded()
	return redis.call('GET', KEYS[4])
end

local function leaseFor(key, token, duration, state)
	local lease = string.format('%.0f:%.0f:%s:%s', now + duration, duration, state, token)
	redis.call('HSET', KEYS[3], key, lease)
end
`;

/**
 * ARGV: the key, the token of the sender, how long (ms) the lease lasts, 0 to only look, and 1 to acquire what was
 * sent, too. Returns the place of its state in `STATES`, with 0 when it is free (now leased unless it was a look); and
 * for how long (ms) leases may be missing that are not renewed yet.
 */
export const ACQUIRE = new RedisScript(`${NOW}${LEASE_OF_KEY}
local key, token, duration, isForced = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'

-- Another server, a restarted or an emptied one: what it lacks is entered again.
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
if redis.call('HGET', KEYS[3], 'server') ~= server then
	redis.call('HSET', KEYS[3], 'server', server, 'since', string.format('%.0f', now))
end
local age = now - tonumber(redis.call('HGET', KEYS[3], 'since') or 0)
local missing = (age >= 0 and age < ${RENEWED_WITHIN_MS}) and ${RENEWED_WITHIN_MS} - age or 0

local owner, untilMs, lasts, state = leaseOf(key)
if owner and owner ~= token then
	-- The clock was set back.
	if untilMs > now + lasts then leaseFor(key, owner, lasts, state) end
	if untilMs > now then return {1, 0} end
	if state ~= 'overdue' then
		-- Or was it set forward?
		leaseFor(key, owner, ${RENEWED_WITHIN_MS}, 'overdue')
		return {1, 0}
	end
	if not isForced then return {2, 0} end
elseif not isForced and redis.call('ZSCORE', KEYS[1], key) then
	return {redis.call('ZSCORE', KEYS[2], key) and 2 or 3, 0}
end
if duration > 0 and not hasEnded() then
	leaseFor(key, token, duration, 'live')
	redis.call('DEL', KEYS[5])
end
return {0, missing}
`);

/**
 * Makes a lease last longer, and enters it again if Redis has lost it. ARGV: the key, the token, and how
 * long (ms).
 */
export const RENEW_LEASE = new RedisScript(`${NOW}${LEASE_OF_KEY}
local key, token, duration = ARGV[1], ARGV[2], tonumber(ARGV[3])
local owner = leaseOf(key) or token
if owner == token and not hasEnded() then
	leaseFor(key, token, duration, 'live')
end
return 1
`);

/**
 * Ends a lease. ARGV: the key, the token, what became of it, empty when it is as it was, and how many keys are
 * remembered.
 */
export const COMPLETE = new RedisScript(`${NOW}${LEASE_OF_KEY}
local key, token, state, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local isOwn = leaseOf(key) == token
if isOwn then redis.call('HDEL', KEYS[3], key) end
redis.call('SET', KEYS[4], 1, 'PX', ${LATE_MS})
if state == 'sent' then redis.call('ZREM', KEYS[2], key) end
if state == 'perhapsSent' then redis.call('ZADD', KEYS[2], 0, key) end
if state == 'sent' or state == 'perhapsSent' then
	redis.call('ZADD', KEYS[1], string.format('%.0f', now), key)
	for _, old in ipairs(redis.call('ZRANGE', KEYS[1], 0, -most - 1)) do
		redis.call('ZREM', KEYS[1], old)
		redis.call('ZREM', KEYS[2], old)
	end
elseif state == 'notSent' and isOwn then
	redis.call('ZREM', KEYS[1], key)
	redis.call('ZREM', KEYS[2], key)
	redis.call('SET', KEYS[5], token, 'PX', ${CORRECTED_MS})
end
return 1
`);

/** Whether the lease is the last that there was. ARGV: the key, and the token. */
export const IS_LAST = new RedisScript(`${LEASE_OF_KEY}
return (leaseOf(ARGV[1]) == ARGV[2] or redis.call('GET', KEYS[5]) == ARGV[2]) and 1 or 0
`);

/**
 * Takes the lock KEYS[1], or holds it for longer. ARGV: a token, and how long (ms) it is held at the most. Returns 1, or
 * 0 if it is taken.
 */
export const LOCK = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return 1
end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
-- The clock was set back.
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

/** Gives the lock KEYS[1] back. ARGV: its token. */
export const UNLOCK = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`);
