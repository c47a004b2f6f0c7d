/**
 * The limit store's scripts. Each runs as one step and by Redis's own clock, so neither the order of commands nor the
 * clocks of the processes matter. Each may be retried when its reply was lost: what it adds is named by a token of
 * the caller, in every key.
 *
 * The slots of a scope, or of all requests, are a sorted set: one member per request, its score the moment (ms) at
 * which the service has counted it at the latest. Each window over them, of whatever length, counts those that are
 * younger than it holds a slot; so an edited length counts what was there before. A queue is a sorted set of the
 * requests that wait, one or a few per process, named by their arrival (µs) and ID; the score is the moment until
 * which the place is kept, so that a process that died stands in nobody's way for long. Tickets are a sorted set,
 * too: one member per request with a ticket, named by its holder, its score the moment of
 * the room. The state is a hash: when each key was used last, how long slots are kept, and what was learned of
 * others. All keys expire with the last slot.
 *
 * Redis may lose data, all or a key, and its clock may be set. Where it was set back, or a new primary's is slower,
 * the moments of a key are set back with it. With each command, a process says which slot it has taken last: if
 * Redis lacks that one, or has it older than it is, data were lost or the clock was set forward. Then nobody goes
 * for a moment, in which every process enters what it holds. If Redis has it younger, it lost what came of the
 * request, and the process enters that again.
 *
 * KEYS: the state, the queue of the general windows, that of the scope, the tickets of the scope, then for every
 * window its slots, those of the scope first. ARGV: the request's ID, which version of what was learned its scope
 * knows, a number (see each script), how many windows are the scope's, how long (ms) after each other requests of
 * the scope go, and general ones; then for every window its limit, how long (ms) a slot is held, and the newest slot
 * of the process with its age (ms). All return first whether the process has to enter its slots again.
 */
import { RedisScript } from '../../redis';
import { LARGEST_MAX } from '../limits';
import { TICKET_EARLY_MS, TICKET_KEPT_MS } from '../tickets';

/** How long (ms) a place in a queue is kept beyond the moment at which its owner should ask again. */
const PLACE_KEPT_MS = 2_000;
/** A request that waits for longer asks again after this time (ms), in case a slot came free early. */
const LONGEST_RETRY_MS = 2_000;
/** After Redis has lost data, so long (ms) nobody goes: every process sees it by then and enters its slots. */
const GRACE_MS = 2_500;
/** So long (s) after its start a server may lack what was held: every process has seen it by then. */
const NEW_SECONDS = 2;
/** By so much (ms) the age of a slot may seem to be another: as long as a command may be on its way; and by a share. */
const UNSURE = { ms: 1_000, share: 0.001 };

/** The number of arguments before those of the windows. */
export const FIXED = 6;
/** The number of arguments of a window. */
export const PER_WINDOW = 4;

/** What all scripts begin with. */
export const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local STATE, GENERAL, SCOPE, TICKETS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, number, scopeCount = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local windowCount = #KEYS - 4

local function text(moment)
	return string.format('%.0f', moment)
end

local function window(index)
	local first = ${FIXED} + ${PER_WINDOW} * (index - 1)
	return KEYS[index + 4], tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
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

-- The state lasts as long as any other key.
local function expire(key, kept)
	local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
	if not last then return end
	local over = last + (kept or 0) + 1
	redis.call('PEXPIREAT', key, text(over))
	if redis.call('PTTL', STATE) < over - now then redis.call('PEXPIREAT', STATE, text(over)) end
end

local function add(key, moment, member, kept)
	redis.call('ZADD', key, text(moment), member)
	expire(key, kept)
end

local function graceLeft()
	local left = tonumber(redis.call('HGET', STATE, 'grace') or 0) - now
	return (left > 0 and left <= ${GRACE_MS}) and left or 0
end

-- Each set of slots, and how long (ms) it keeps them: as long as any window that was ever asked for counts them.
local sets, keeps = {}, {}
for index = 1, windowCount do
	local key, _, hold = window(index)
	if not keeps[key] then keeps[key] = tonumber(redis.call('HGET', STATE, 'keep:' .. key) or 0) end
	if hold > keeps[key] then
		keeps[key] = hold
		redis.call('HSET', STATE, 'keep:' .. key, text(hold))
		expire(key, hold)
	end
end
local isLost, isOff = false, false
for index = 1, windowCount do
	local key = window(index)
	-- One that only counts for the limits of other requests is not there without them.
	if keeps[key] > 0 and not sets[key] then
		sets[key] = true
		sets[#sets + 1] = key
		touch(key, keeps[key])
		redis.call('ZREMRANGEBYRANK', key, 0, -${LARGEST_MAX} - 1)
		if redis.call('PTTL', STATE) < 0 then redis.call('PEXPIRE', STATE, text(keeps[key])) end
		local first = ${FIXED} + ${PER_WINDOW} * (index - 1)
		local newest, age = ARGV[first + 3], tonumber(ARGV[first + 4])
		local score = newest ~= '' and redis.call('ZSCORE', key, newest)
		if newest ~= '' and newest == id then
			-- The command says something new of that slot, but Redis must have had it.
			isLost = isLost or not score
			isOff = isOff or isLost
		elseif newest ~= '' then
			local older, unsure = now - (score or 0) - age, ${UNSURE.ms} + math.abs(age) * ${UNSURE.share}
			isLost = isLost or older > unsure
			isOff = isOff or isLost or older < -unsure
		end
	end
end
if isLost and graceLeft() == 0 then redis.call('HSET', STATE, 'grace', text(now + ${GRACE_MS})) end

local enterAgain = isOff and 1 or 0

-- How many slots a window counts, and the moment at which so many more are free.
local function freeAt(index, more)
	local key, max, hold = window(index)
	local from = '(' .. text(now - hold)
	local used = redis.call('ZCOUNT', key, from, '+inf')
	local missing = used + more - max
	if missing <= 0 then return used, now end
	-- A request under way carries its time-out; if its response came now, its slot would be free after the hold.
	local slot = redis.call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', missing - 1, 1)
	return used, math.min(tonumber(slot[2] or now), now) + hold
end

-- Whether every window counts the request.
local function isCounted()
	for index = 1, windowCount do
		local key, _, hold = window(index)
		local score = redis.call('ZSCORE', key, id)
		if hold > 0 and not (score and tonumber(score) > now - hold) then return false end
	end
	return true
end

local function holdSlots()
	for _, key in ipairs(sets) do add(key, now + number, id, keeps[key]) end
end

local function freeSlots()
	for _, key in ipairs(sets) do redis.call('ZREM', key, id) end
end

-- Those that come later stand behind those that are there, also when the clock was set back.
local function placeIn(queue)
	local arrival = time[1] * 1000000 + time[2]
	for _, member in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
		if string.sub(member, 18) == id then return member end
		arrival = math.max(arrival, tonumber(string.sub(member, 1, 16)) + 1)
	end
	return string.format('%016.0f:', arrival) .. id
end

local function leave(queue)
	redis.call('ZREM', queue, placeIn(queue))
end
`;

/**
 * Takes a slot in every window, or a place in the queue of those that are full. The number is how long
 * (ms) the request may be under way. Returns one of {'taken', used of each window …}, {'full', wait (ms), time to ask
 * again (ms), window}, {'lost'} when the process has to enter its slots first, {'snapshot', version, of the scope and
 * of the general windows what was learned, its age (ms), how long (ms) nothing goes} when its scope does not know it;
 * with the last two nothing was taken.
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

if isOff then return {1, 'lost'} end
local version = redis.call('HGET', STATE, 'version') or '0'
if version ~= ARGV[2] then
	local reply = {0, 'snapshot', version}
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
-- A server that has just started, or another one, may lack what processes hold: they enter it within moments.
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local known = redis.call('HGET', STATE, 'server')
if known ~= server then
	redis.call('HSET', STATE, 'server', server)
	local uptime = server ~= '' and string.match(info, 'uptime_in_seconds:(%d+)') or ${NEW_SECONDS}
	local left = known and ${GRACE_MS} or 1000 * (${NEW_SECONDS} - uptime)
	if left > 0 then redis.call('HSET', STATE, 'grace', text(now + left)) end
end
local grace = graceLeft()
if grace > 0 then return {0, 'full', grace, grace, 0} end

-- Taken already: the reply to an earlier call was lost, or it was long ago. What has run out is taken anew.
local isTaken = isCounted()
if not isTaken then freeSlots() end
local placeInScope
local function full(ms, fullest, queue, mine)
	local retry = math.min(ms, ${LONGEST_RETRY_MS})
	add(queue, now + retry + ${PLACE_KEPT_MS}, mine)
	if queue == GENERAL and placeInScope then add(SCOPE, now + retry + ${PLACE_KEPT_MS}, placeInScope) end
	if queue ~= GENERAL then leave(GENERAL) end
	return {0, 'full', ms, retry, fullest}
end

if not isTaken and scopeCount > 0 then
	local ms, fullest, mine = wait(SCOPE, 1, scopeCount, tonumber(ARGV[5]))
	if ms > 0 then return full(ms, fullest, SCOPE, mine) end
	placeInScope = mine
end
if not isTaken then
	local ms, fullest, mine = wait(GENERAL, scopeCount + 1, windowCount, tonumber(ARGV[6]))
	if ms > 0 then return full(ms, fullest, GENERAL, mine) end
	redis.call('ZREM', GENERAL, mine)
	if placeInScope then redis.call('ZREM', SCOPE, placeInScope) end
	redis.call('HSET', STATE, 'last:' .. SCOPE, text(now), 'last:' .. GENERAL, text(now))
	-- It uses the room of the first ticket whose moment has come, whoever has it.
	touch(TICKETS, ${TICKET_KEPT_MS})
	local first = redis.call('ZRANGE', TICKETS, 0, 0, 'WITHSCORES')
	if first[2] and tonumber(first[2]) <= now + ${TICKET_EARLY_MS} then
		redis.call('ZREM', TICKETS, first[1])
	end
end
holdSlots()
local reply = {0, 'taken'}
for index = 1, windowCount do
	reply[index + 2] = freeAt(index, 0)
end
return reply
`);

/** Keeps the request's place in the queue of its scope for the number of ms, or takes one, if it has no slots. */
export const KEEP_PLACE = new RedisScript(`${SHARED}
touch(SCOPE)
if not isCounted() then add(SCOPE, now + number + ${PLACE_KEPT_MS}, placeIn(SCOPE)) end
return {enterAgain, 'kept'}
`);

/**
 * Says that the service has counted the request by now, whether the limit store still knows it or lost it. The number
 * is how much later (ms) it may count it; below 0 it never will, and the slots come free at once.
 */
export const COMPLETE = new RedisScript(`${SHARED}
if number < 0 then
	freeSlots()
	leave(GENERAL)
	leave(SCOPE)
else
	holdSlots()
end
return {enterAgain, 'settled'}
`);

/** Sees whether Redis still has the slots of the process. */
export const HEARTBEAT = new RedisScript(`${SHARED}
return {enterAgain}
`);

/** Enters slots again, in the set of the only window. After the usual arguments: of each its ID and its age (ms). */
export const ENTER = new RedisScript(`${SHARED}
for index = ${FIXED + PER_WINDOW} + 1, #ARGV, 2 do
	add(KEYS[5], now - ARGV[index + 1], ARGV[index], keeps[KEYS[5]])
end
return {0}
`);
