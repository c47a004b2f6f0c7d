/**
 * Send Once in Redis. Each script runs as one step and by Redis's own clock, which may be set at any time,
 * and Redis may lose data: so whoever is sending renews its claim every few moments, and nothing is
 * concluded from what is missing or over before it has had the time to do so.
 *
 * KEYS: what was sent, a sorted set of keys by the moment (ms) at which they went out; the claims, a hash
 * from a key to the moment (ms) until which its owner may be sending it, for how long (ms) that was,
 * whether it is `live` or `overdue`, and the owner's token; and what stands there for a while when the
 * owner has not sent it. A claim that nobody has renewed stays: its owner died, and nobody knows whether
 * the service has acted. The fields `server` and `since` tell which server has the claims, and since when.
 */
import { RedisScript } from '../../redis';

/** How often (ms) whoever is sending renews its claim. */
export const RENEWED_EVERY_MS = 2_000;
/** How long (ms) it takes at most until it has: a command may have to be repeated on a new connection. */
const RENEWED_WITHIN_MS = 5_000;
/** How long (ms) a command may be on its way when its claim has ended, on a connection that was given up. */
const LATE_MS = 60_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const CLAIM_OF_KEY = `
local function claimOf(key)
	local claim = redis.call('HGET', KEYS[2], key)
	if not claim then return nil end
	local untilMs, duration, state, token = string.match(claim, '^(%d+):(%d+):(%a+):(.*)$')
	return token, tonumber(untilMs), tonumber(duration), state
end

local function hasEnded()
	return redis.call('GET', KEYS[3])
end

local function claimFor(key, token, duration, state)
	local claim = string.format('%.0f:%.0f:%s:%s', now + duration, duration, state, token)
	redis.call('HSET', KEYS[2], key, claim)
end
`;

/**
 * ARGV: the key, the token of whoever asks, and how long (ms) the claim lasts, 0 to only look. Returns 0
 * when the key is free (now claimed unless it was a look), -1 when it was sent or may have been, or 1 when
 * somebody else has claimed it; and for how long (ms) claims may be missing that are not renewed yet.
 */
export const CLAIM = new RedisScript(`${NOW}${CLAIM_OF_KEY}
local key, token, duration = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- Another server, a restarted or an emptied one: what it lacks is entered again.
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
if redis.call('HGET', KEYS[2], 'server') ~= server then
	redis.call('HSET', KEYS[2], 'server', server, 'since', string.format('%.0f', now))
end
local age = now - tonumber(redis.call('HGET', KEYS[2], 'since') or 0)
local missing = (age >= 0 and age < ${RENEWED_WITHIN_MS}) and ${RENEWED_WITHIN_MS} - age or 0

local owner, untilMs, lasts, state = claimOf(key)
if owner and owner ~= token then
	-- The clock was set back.
	if untilMs > now + lasts then claimFor(key, owner, lasts, state) end
	if untilMs > now then return {1, 0} end
	if state == 'overdue' then return {-1, 0} end
	-- Or was it set forward?
	claimFor(key, owner, ${RENEWED_WITHIN_MS}, 'overdue')
	return {1, 0}
end
if redis.call('ZSCORE', KEYS[1], key) then return {-1, 0} end
if duration > 0 and not hasEnded() then claimFor(key, token, duration, 'live') end
return {0, missing}
`);

/**
 * Makes a claim last longer, and enters it again if Redis has lost it. ARGV: the key, the token, and how
 * long (ms).
 */
export const RENEW_CLAIM = new RedisScript(`${NOW}${CLAIM_OF_KEY}
local key, token, duration = ARGV[1], ARGV[2], tonumber(ARGV[3])
local owner = claimOf(key) or token
if owner == token and not redis.call('ZSCORE', KEYS[1], key) and not hasEnded() then
	claimFor(key, token, duration, 'live')
end
return 1
`);

/**
 * Ends a claim. ARGV: the key, the token, 1 when it was sent or may have been and 0 when it certainly was
 * not, and how many keys are remembered.
 */
export const SETTLE = new RedisScript(`${NOW}${CLAIM_OF_KEY}
local key, token, isSent, most = ARGV[1], ARGV[2], ARGV[3] == '1', tonumber(ARGV[4])
if claimOf(key) == token then redis.call('HDEL', KEYS[2], key) end
if isSent then
	redis.call('ZADD', KEYS[1], string.format('%.0f', now), key)
	redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -most - 1)
else
	redis.call('SET', KEYS[3], 1, 'PX', ${LATE_MS})
end
return 1
`);

const EXTEND = `
if redis.call('GET', KEYS[1]) == ARGV[1] then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return 1
end
`;

/** Takes the lock KEYS[1]. ARGV: a token, and how long (ms) it is held at the most. Returns 1, or 0 if taken. */
export const LOCK = new RedisScript(`${EXTEND}
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
-- The clock was set back.
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

/** Holds the lock KEYS[1] for longer, if it is still held. ARGV: its token, and how long (ms). */
export const EXTEND_LOCK = new RedisScript(`${EXTEND}
return 0
`);

/** Gives the lock KEYS[1] back. ARGV: its token. */
export const UNLOCK = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`);
