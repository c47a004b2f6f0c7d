/**
 * The ledger's scripts. Each runs as one step in Redis and by Redis's own clock, so neither the order of
 * commands nor the clocks of the processes matter.
 *
 * A window is a sorted set: one member per held slot, its score the moment (ms) at which it comes free.
 * A queue is a sorted set of the requests that wait, one or a few per process, named by their arrival
 * (µs) and ID; the score is the moment until which the place is kept, so that a process that died
 * stands in nobody's way for long. Keys expire with their last slot.
 *
 * KEYS: the queue of the general windows, that of the scope, then the windows, those of the scope first.
 * ARGV: the request's ID, a number (see each script), how many windows are the scope's, then for every
 * window its limit and how long (ms) a slot is held.
 */
import { RedisScript } from '../../redis/connection';

/** How long (ms) a place in a queue is kept beyond the moment at which its owner should ask again. */
const PLACE_KEPT_MS = 2_000;
/** Whoever waits for longer asks again after this time (ms), in case a slot came free early. */
const LONGEST_RETRY_MS = 5_000;

const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, number, scopeCount = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local windowCount = #KEYS - 2

local function window(index)
	return KEYS[index + 2], tonumber(ARGV[2 + 2 * index]), tonumber(ARGV[3 + 2 * index])
end

local function add(key, moment, member)
	redis.call('ZADD', key, string.format('%.0f', moment), member)
	local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
	redis.call('PEXPIREAT', key, string.format('%.0f', last[2] + 1))
end

local function leave(queue)
	for _, member in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
		if string.sub(member, 18) == id then redis.call('ZREM', queue, member) end
	end
end
`;

/**
 * Takes a slot in every window, or a place in the queue of those that are full. The number is how long
 * (ms) the request may be under way. Returns {1}, or {0, wait (ms), time to ask again (ms), window}.
 */
export const TAKE = new RedisScript(`${SHARED}
local function place(queue)
	redis.call('ZREMRANGEBYSCORE', queue, '-inf', now)
	local mine = string.format('%016.0f:', time[1] * 1000000 + time[2]) .. id
	local members = redis.call('ZRANGE', queue, 0, -1)
	for _, member in ipairs(members) do
		if string.sub(member, 18) == id then mine = member end
	end
	local ahead = 0
	for _, member in ipairs(members) do
		if member < mine then ahead = ahead + 1 end
	end
	return mine, ahead
end

local function wait(queue, first, last)
	local mine, ahead = place(queue)
	local longest, fullest = 0, 0
	for index = first, last do
		local key, max, hold = window(index)
		redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
		local missing = redis.call('ZCARD', key) + ahead + 1 - max
		if missing > 0 then
			-- A slot under way carries its time-out; answered now, it would come free after the hold.
			local slot = redis.call('ZRANGE', key, missing - 1, missing - 1, 'WITHSCORES')
			local free = math.min(tonumber(slot[2] or now + hold), now + hold)
			if free - now > longest then longest, fullest = math.ceil(free - now), index end
		end
	end
	return longest, fullest, mine
end

local function queueUp(queue, mine, retry)
	add(queue, now + retry + ${PLACE_KEPT_MS}, mine)
end

-- Taken already: the reply to an earlier call was lost.
if redis.call('ZSCORE', KEYS[3], id) then return {1} end

local placeInScope
if scopeCount > 0 then
	local ms, fullest, mine = wait(KEYS[2], 1, scopeCount)
	if ms > 0 then
		local retry = math.min(ms, ${LONGEST_RETRY_MS})
		queueUp(KEYS[2], mine, retry)
		leave(KEYS[1])
		return {0, ms, retry, fullest}
	end
	placeInScope = mine
end
local ms, fullest, mine = wait(KEYS[1], scopeCount + 1, windowCount)
if ms > 0 then
	local retry = math.min(ms, ${LONGEST_RETRY_MS})
	queueUp(KEYS[1], mine, retry)
	if placeInScope then queueUp(KEYS[2], placeInScope, retry) end
	return {0, ms, retry, fullest}
end
redis.call('ZREM', KEYS[1], mine)
if placeInScope then redis.call('ZREM', KEYS[2], placeInScope) end
for index = 1, windowCount do
	local key, _, hold = window(index)
	add(key, now + hold + number, id)
end
return {1}
`);

/**
 * Holds the slots for their window from now on, whether the ledger still knows them or lost them. The
 * number is how much later (ms) the service may count the request; below 0 the slots come free at once.
 */
export const SETTLE = new RedisScript(`${SHARED}
for index = 1, windowCount do
	local key, _, hold = window(index)
	if number < 0 then redis.call('ZREM', key, id) else add(key, now + hold + number, id) end
end
if number < 0 then
	leave(KEYS[1])
	leave(KEYS[2])
end
return {1}
`);

/** Returns for every window how many slots are held, and how long (ms) until one is free. */
export const USE = new RedisScript(`${SHARED}
local result = {}
for index = 1, windowCount do
	local key, max, hold = window(index)
	local used = redis.call('ZCOUNT', key, '(' .. now, '+inf')
	local free = now
	if used >= max then
		local slots = redis.call('ZRANGEBYSCORE', key, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', used - max, 1)
		free = math.min(tonumber(slots[2]), now + hold)
	end
	result[2 * index - 1], result[2 * index] = used, math.ceil(free - now)
end
return result
`);
