/**
 * Send Once in Redis. Each script runs as one step and by Redis's own clock.
 *
 * KEYS: what was sent, a sorted set of keys by the moment (ms) at which they went out; and the claims, a
 * hash from a key to the moment until which its owner may be sending it, and the owner's token. A claim
 * whose time is over stays: its owner died, and nobody knows whether the service has acted.
 */
import { RedisScript } from '../../redis';

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const CLAIM_OF_KEY = `
local function claimOf(key)
	local claim = redis.call('HGET', KEYS[2], key)
	if not claim then return nil end
	local untilMs, token = string.match(claim, '^(%d+):(.*)$')
	return token, tonumber(untilMs)
end

local function claimFor(key, token, duration)
	redis.call('HSET', KEYS[2], key, string.format('%.0f:%s', now + duration, token))
end
`;

/**
 * ARGV: the key, the token of whoever asks, and how long (ms) the claim lasts, 0 to only look. Returns 0
 * when the key is free (now claimed unless it was a look), -1 when it was sent or may have been, or 1 when
 * somebody else has claimed it.
 */
export const CLAIM = new RedisScript(`${NOW}${CLAIM_OF_KEY}
local key, token, duration = ARGV[1], ARGV[2], tonumber(ARGV[3])
local owner, untilMs = claimOf(key)
if owner and owner ~= token then
	if untilMs > now then return 1 end
	return -1
end
if redis.call('ZSCORE', KEYS[1], key) then return -1 end
if duration > 0 then claimFor(key, token, duration) end
return 0
`);

/** Makes a claim last longer, if it is still there. ARGV: the key, the token, and how long (ms). */
export const EXTEND_CLAIM = new RedisScript(`${NOW}${CLAIM_OF_KEY}
local key, token, duration = ARGV[1], ARGV[2], tonumber(ARGV[3])
if claimOf(key) == token then claimFor(key, token, duration) end
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
