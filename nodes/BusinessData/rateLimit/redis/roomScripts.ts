/**
 * The limit store's scripts that look for room, issue tickets for it, and keep what was
 * learned of others; see `scripts.ts`.
 */
import { RedisScript } from '../../redis';
import { TICKET_KEPT_MS } from '../tickets';
import { FIXED, PER_WINDOW, SHARED } from './scripts';

/** Where the arguments behind those of the windows begin. */
const MORE = `${FIXED} + ${PER_WINDOW} * windowCount`;

/** Returns for every window how many slots are held, and how long (ms) until one is free. */
export const USE = new RedisScript(`${SHARED}
local result = {enterAgain}
for index = 1, windowCount do
	local used, free = freeAt(index, 1)
	result[index + 1] = {used, math.ceil(free - now)}
end
return result
`);

/**
 * Issues a ticket for room: returns how long (ms) it takes until so many requests have room at once. The number is how
 * long it takes by what the process knows. After the usual arguments: who the ticket is for, for how many
 * requests, and how long (ms) it may take; when it takes longer, no ticket is issued. For no requests, the ticket is
 * taken back.
 */
export const TICKET = new RedisScript(`${SHARED}
local more = ${MORE}
local name, together, most = ARGV[more + 1], tonumber(ARGV[more + 2]), tonumber(ARGV[more + 3])
touch(TICKETS, ${TICKET_KEPT_MS})
local all, mine, others = redis.call('ZRANGE', TICKETS, 0, -1, 'WITHSCORES'), {}, {}
local place = math.huge
for index = 1, #all, 2 do
	local moment = tonumber(all[index + 1])
	if string.sub(all[index], 1, #name + 1) == name .. '#' then
		mine[#mine + 1], place = all[index], moment
	else
		others[#others + 1] = {moment, all[index]}
	end
end
-- One whose room was not used keeps its place.
if #mine < together then place = math.huge end
touch(SCOPE)
local queued = redis.call('ZCARD', SCOPE)
local moment = now + number
for index = 1, windowCount do
	local key, max, hold = window(index)
	local from, free = '(' .. text(now - hold), {}
	local slots = redis.call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES')
	for slot = 2, #slots, 2 do free[slot / 2] = math.min(tonumber(slots[slot]), now) + hold end
	if scopeCount == 0 or index <= scopeCount then
		for _, ticket in ipairs(others) do
			-- Of two tickets with the same moment, all processes put the same one first.
			local isBefore = ticket[1] < place or (ticket[1] == place and ticket[2] < name)
			if isBefore then free[#free + 1] = ticket[1] + hold end
		end
		table.sort(free)
		for _ = 1, queued do
			local missing = #free + 1 - max
			free[#free + 1] = math.max(now, missing > 0 and free[missing] or now) + hold
			table.sort(free)
		end
	end
	local missing = #free + math.min(together, max) - max
	if missing > 0 then moment = math.max(moment, free[missing]) end
end
local wait = math.ceil(moment - now)
if wait > most then return {enterAgain, wait} end
-- A holder that wakes late keeps its place before tickets of later moments.
if wait <= 0 then moment = math.min(moment, place) end
for _, member in ipairs(mine) do redis.call('ZREM', TICKETS, member) end
for index = 1, together do add(TICKETS, moment, name .. '#' .. index, ${TICKET_KEPT_MS}) end
return {enterAgain, wait}
`);

/**
 * Keeps what is known of others where it is younger, and pauses. After the usual arguments: of the scope, and of
 * the general windows, what is known (empty when it is nothing), its age (ms), and how long (ms) nothing goes; and what
 * this version is called. Returns which version the scope knows now.
 */
export const LEARN = new RedisScript(`${SHARED}
local first = ${MORE}
local function learn(scope, state, age, paused)
	local names = {'learnedAt:' .. scope, 'pausedUntil:' .. scope, 'toldAt:' .. scope}
	local at, pause, published = unpack(redis.call('HMGET', STATE, unpack(names)))
	-- Of before the clock was set back.
	if tonumber(published or 0) > now then
		at, pause = 0, 0
		redis.call('HDEL', STATE, 'learned:' .. scope, names[1])
	end
	if state ~= '' and now - age > tonumber(at or 0) then
		redis.call('HSET', STATE, 'learned:' .. scope, state, names[1], text(now - age))
	end
	local untilMoment = math.max(now + paused, tonumber(pause or 0))
	redis.call('HSET', STATE, names[2], text(untilMoment), names[3], text(now))
	redis.call('HDEL', STATE, 'last:' .. scope)
	local left = untilMoment - now
	if redis.call('PTTL', STATE) < left then redis.call('PEXPIRE', STATE, text(left)) end
end
if scopeCount > 0 then learn(SCOPE, ARGV[first + 1], ARGV[first + 2], ARGV[first + 3]) end
learn(GENERAL, ARGV[first + 4], ARGV[first + 5], ARGV[first + 6])
local before, version = redis.call('HGET', STATE, 'version') or '0', ARGV[first + 7]
redis.call('HSET', STATE, 'version', version)
-- A process that has missed a version asks again.
local isKnown = before == ARGV[2] or before == version
return {enterAgain, 'learned', isKnown and version or ARGV[2]}
`);
