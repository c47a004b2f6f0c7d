/**
 * The ledger's scripts. Each runs as one step in Redis and by Redis's own clock, so neither the order of
 * commands nor the clocks of the processes matter. Where Redis's clock was set back, or a new primary's is
 * slower, the moments of a key are set back with it.
 *
 * A window is a sorted set: one member per held slot, its score the moment (ms) at which it comes free.
 * A queue is a sorted set of the requests that wait, one or a few per process, named by their arrival
 * (µs) and ID; the score is the moment until which the place is kept, so that a process that died
 * stands in nobody's way for long. The state is a hash: how many commands each process has sent (if Redis
 * knows of fewer than the process, it has lost data), when each key was used last, and what was learned of
 * others. Promises are a sorted set, too: one member per request that room was promised to, named by whom
 * it was promised to, its score the moment of the room. All keys expire with the last slot.
 *
 * KEYS: the state, the queue of the general windows, that of the scope, the promises of the scope, then the
 * windows, those of the scope first. ARGV: the request's ID, that of its process, how many commands of the
 * process Redis must know of, which version of what was learned its scope knows, a number (see each script), how many
 * windows are the scope's, how long (ms) after each other requests of the scope go, and general ones; then for
 * every window its limit and how long (ms) a slot is held.
 */
import { RedisScript } from '../../redis';
import { PROMISE_EARLY_MS, PROMISE_KEPT_MS } from '../promises';

/** How long (ms) a place in a queue is kept beyond the moment at which its owner should ask again. */
const PLACE_KEPT_MS = 2_000;
/** Whoever waits for longer asks again after this time (ms), in case a slot came free early. */
const LONGEST_RETRY_MS = 2_000;
/** After Redis has lost data, so long (ms) nobody goes: every process that waits asks and enters its slots. */
const GRACE_MS = 2_500;

/** The number of arguments before those of the windows. */
export const FIXED = 8;

/** What the scripts that know the state and the windows begin with. */
export const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local STATE, GENERAL, SCOPE, PROMISES = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, process, number, scopeCount = ARGV[1], ARGV[2], tonumber(ARGV[5]), tonumber(ARGV[6])
local windowCount = #KEYS - 4

local function text(moment)
	return string.format('%.0f', moment)
end

local function window(index)
	return KEYS[index + 4], tonumber(ARGV[${FIXED - 1} + 2 * index]), tonumber(ARGV[${FIXED} + 2 * index])
end

-- Sets the moments of a key back when the clock was, and removes what was over so long (ms) ago.
local function touch(key, kept)
	local last = tonumber(redis.call('HGET', STATE, 'clock:' .. key) or now)
	if last > now then
		for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
			redis.call('ZINCRBY', key, text(now - last), member)
		end
	end
	redis.call('HSET', STATE, 'clock:' .. key, text(now))
	redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - (kept or 0)))
end

-- How many slots of a window are held, and the moment at which so many more are free.
local function freeAt(index, more)
	local key, max, hold = window(index)
	touch(key)
	local used = redis.call('ZCARD', key)
	local missing = used + more - max
	if missing <= 0 then return used, now end
	-- A slot under way carries its time-out; answered now, it would come free after the hold.
	local slot = redis.call('ZRANGE', key, missing - 1, missing - 1, 'WITHSCORES')
	return used, math.min(tonumber(slot[2] or now + hold), now + hold)
end

local function add(key, moment, member, kept)
	redis.call('ZADD', key, text(moment), member)
	local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
	redis.call('PEXPIREAT', key, text(last[2] + (kept or 1)))
end

local function placeIn(queue)
	for _, member in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
		if string.sub(member, 18) == id then return member end
	end
	return string.format('%016.0f:', time[1] * 1000000 + time[2]) .. id
end

local function leave(queue)
	redis.call('ZREM', queue, placeIn(queue))
end

-- Keeps the state as long as any slot of the request.
local function keepState()
	local longest = 0
	for index = 1, windowCount do
		local _, _, hold = window(index)
		longest = math.max(longest, hold + math.max(number, 0))
	end
	if redis.call('PTTL', STATE) < longest then redis.call('PEXPIRE', STATE, text(longest)) end
end

local function graceLeft()
	local left = tonumber(redis.call('HGET', STATE, 'grace') or 0) - now
	return (left > 0 and left <= ${GRACE_MS}) and left or 0
end

-- Counts a command of the process. When Redis should know of more, it has lost data.
local function count()
	local commands = redis.call('HINCRBY', STATE, 'process:' .. process, 1)
	local isLost = commands <= tonumber(ARGV[3])
	if isLost and graceLeft() == 0 then redis.call('HSET', STATE, 'grace', text(now + ${GRACE_MS})) end
	keepState()
	return commands, isLost
end
`;

/**
 * Takes a slot in every window, or a place in the queue of those that are full. The number is how long
 * (ms) the request may be under way. Returns one of
 * {'taken', commands, used of each window …}, {'full', commands, wait (ms), time to ask again (ms), window},
 * {'lost', commands} when Redis has lost data, {'news', commands, version, of the scope and of the general
 * windows what was learned, its age (ms), how long (ms) nothing goes} when its scope does not know it; with
 * the last two nothing was taken.
 */
export const TAKE = new RedisScript(`${SHARED}
local function wait(queue, first, last, every)
	touch(queue)
	local mine = placeIn(queue)
	local ahead = 0
	for _, member in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
		if member < mine then ahead = ahead + 1 end
	end
	local longest, fullest = 0, first
	for index = first, last do
		local _, free = freeAt(index, ahead + 1)
		if free - now > longest then longest, fullest = math.ceil(free - now), index end
	end
	-- Where requests are spread because of others, the next one goes so long after the last one.
	local lastAt = tonumber(redis.call('HGET', STATE, 'last:' .. queue) or 0)
	return math.max(longest, math.min(lastAt + every - now, every)), fullest, mine
end

local commands, isLost = count()
if isLost then return {'lost', commands} end
local version = redis.call('HGET', STATE, 'version') or '0'
if version ~= ARGV[4] then
	local reply = {'news', commands, version}
	for _, scope in ipairs({SCOPE, GENERAL}) do
		local names = {'learned:' .. scope, 'learnedAt:' .. scope, 'pausedUntil:' .. scope, 'toldAt:' .. scope}
		local known = redis.call('HMGET', STATE, unpack(names))
		if tonumber(known[4] or 0) > now then known = {} end
		reply[#reply + 1] = known[1] or ''
		reply[#reply + 1] = math.max(0, now - (known[2] or now))
		reply[#reply + 1] = math.max(0, (known[3] or now) - now)
	end
	return reply
end
local grace = graceLeft()
if grace > 0 then return {'full', commands, grace, grace, 0} end

-- Taken already: the reply to an earlier call was lost.
local isTaken = redis.call('ZSCORE', KEYS[5], id)
local placeInScope
local function full(ms, fullest, queue, mine)
	local retry = math.min(ms, ${LONGEST_RETRY_MS})
	add(queue, now + retry + ${PLACE_KEPT_MS}, mine)
	if queue == GENERAL and placeInScope then add(SCOPE, now + retry + ${PLACE_KEPT_MS}, placeInScope) end
	if queue ~= GENERAL then leave(GENERAL) end
	return {'full', commands, ms, retry, fullest}
end

if not isTaken and scopeCount > 0 then
	local ms, fullest, mine = wait(SCOPE, 1, scopeCount, tonumber(ARGV[7]))
	if ms > 0 then return full(ms, fullest, SCOPE, mine) end
	placeInScope = mine
end
if not isTaken then
	local ms, fullest, mine = wait(GENERAL, scopeCount + 1, windowCount, tonumber(ARGV[8]))
	if ms > 0 then return full(ms, fullest, GENERAL, mine) end
	redis.call('ZREM', GENERAL, mine)
	if placeInScope then redis.call('ZREM', SCOPE, placeInScope) end
	redis.call('HSET', STATE, 'last:' .. SCOPE, text(now), 'last:' .. GENERAL, text(now))
	-- It uses the room of the first promise whose moment has come, whoever has it.
	touch(PROMISES, ${PROMISE_KEPT_MS})
	local first = redis.call('ZRANGE', PROMISES, 0, 0, 'WITHSCORES')
	if first[2] and tonumber(first[2]) <= now + ${PROMISE_EARLY_MS} then
		redis.call('ZREM', PROMISES, first[1])
	end
end
local reply = {'taken', commands}
for index = 1, windowCount do
	local key, _, hold = window(index)
	if isTaken then touch(key) end
	add(key, now + hold + number, id)
	reply[index + 2] = redis.call('ZCARD', key)
end
return reply
`);

/** Keeps the request's place in the queue of its scope for the number of ms, or takes one, if it has no slots. */
export const KEEP_PLACE = new RedisScript(`${SHARED}
touch(SCOPE)
local isTaken = redis.call('ZSCORE', KEYS[5], id)
if not isTaken then add(SCOPE, now + number + ${PLACE_KEPT_MS}, placeIn(SCOPE)) end
return {'kept', (count())}
`);

/**
 * Holds the slots for their window from now on, whether the ledger still knows them or lost them. (Slots that
 * are entered again have the rest of their time in place of how long a slot is held.) The
 * number is how much later (ms) the service may count the request; below 0 the slots come free at once.
 */
export const SETTLE = new RedisScript(`${SHARED}
for index = 1, windowCount do
	local key, _, hold = window(index)
	touch(key)
	if number < 0 then redis.call('ZREM', key, id) else add(key, now + hold + number, id) end
end
if number < 0 then
	leave(GENERAL)
	leave(SCOPE)
end
return {'settled', (count())}
`);
