/**
 * The script of the limit store. Each run is one step, so the order of commands does not matter, and it may be repeated
 * when its reply was lost: what it adds is named by the caller.
 *
 * Of each endpoint, and of all requests, Redis has three sorted sets, which expire:
 *
 * - `slots`: each request, by the moment (ms) at which the service has counted it at the latest. A window of any length
 *   counts those that are younger than it holds a slot, so limits may be edited;
 * - `queue`: the requests under the same limits that wait, named by when they came and their ID, by the moment until
 *   which the place is kept, so that a process that died is in nobody's way for long;
 * - `tickets`: each ticket, named by its holder, by its moment.
 *
 * Time is that of Redis, but never goes back: where its clock was set back, or a new primary's is slow, it goes on from
 * the last moment that was seen. Redis may also lose data, all or a key, and its clock may be set forward. So with each
 * command, a process names its newest slot. If Redis lacks it, or has it older than it is, nobody goes for a moment, in
 * which every process enters what it holds. If Redis has it younger, it lost what came of the request, and the process
 * enters that again.
 *
 * KEYS: the hash `state`, then the three of each endpoint. ARGV: the call as JSON: its `action`, the `id` of the request,
 * a time `ms`, and the `endpoints` in the same order, that of the request first, if it has limits: their `windows` (how
 * many of our requests fit, and how long (ms) each counts, longest first), the time `everyMs` after which the next one
 * goes, the `estimate` of other clients that the process knows, and the ID and the age (ms) of its `newest` slot. Returns
 * whether the process has to enter its slots again, then what the action returns.
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

export const LIMIT_SCRIPT = new RedisScript(`
local call, STATE = cjson.decode(ARGV[1]), KEYS[1]
local id, endpoints, actions = call.id, call.endpoints, {}

local function text(number) return string.format('%.0f', number) end
local function get(field) return tonumber(redis.call('HGET', STATE, field) or 0) end
local function set(field, number) redis.call('HSET', STATE, field, text(number)) end

-- The state lasts as long as any other key.
local function keep(key, ms)
	for _, one in ipairs({key, STATE}) do
		if redis.call('PTTL', one) < ms then redis.call('PEXPIRE', one, text(ms)) end
	end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + get('ahead')
local back = get('now') - now
if back > 0 then
	now = now + back
	set('ahead', get('ahead') + back)
end
set('now', now)
keep(STATE, ${GRACE_MS})

local isLost, isOff = false, 0
for index, endpoint in ipairs(endpoints) do
	local slots, queue, tickets = KEYS[3 * index - 1], KEYS[3 * index], KEYS[3 * index + 1]
	endpoint.slots, endpoint.queue, endpoint.tickets = slots, queue, tickets
	-- Slots are kept for the longest window that was ever asked for; for none where only others have limits, if any.
	endpoint.keptMs = get('keptMs:' .. slots)
	local longest = endpoint.windows[1]
	if longest and longest[2] > endpoint.keptMs then
		endpoint.keptMs = longest[2]
		set('keptMs:' .. slots, longest[2])
		keep(slots, longest[2])
	end
	redis.call('ZREMRANGEBYSCORE', slots, '-inf', text(now - endpoint.keptMs))
	redis.call('ZREMRANGEBYRANK', slots, 0, -${LARGEST_MAX} - 1)
	redis.call('ZREMRANGEBYSCORE', queue, '-inf', text(now))
	redis.call('ZREMRANGEBYSCORE', tickets, '-inf', text(now - ${TICKET_KEPT_MS}))
	if endpoint.newest and endpoint.keptMs > 0 then
		local newest, age = unpack(endpoint.newest)
		local score = redis.call('ZSCORE', slots, newest)
		local older, unsure = now - (score or 0) - age, ${UNSURE.ms} + math.abs(age) * ${UNSURE.share}
		-- The command says something new of its own slot, but Redis must have had it.
		if score and newest == id then older = 0 end
		isLost = isLost or older > unsure
		if math.abs(older) > unsure then isOff = 1 end
	end
end
if isLost and get('grace') < now then set('grace', now + ${GRACE_MS}) end

-- How many slots a window counts, and how long (ms) it takes until so many more are free.
local function use(endpoint, window, more)
	local room, hold = unpack(window)
	local from = '(' .. text(now - hold)
	local used = redis.call('ZCOUNT', endpoint.slots, from, '+inf')
	local missing = used + more - room
	if missing <= 0 then return used, 0 end
	-- A request under way carries its time-out; if its response came now, its slot would be free after the hold.
	local slot = redis.call('ZRANGEBYSCORE', endpoint.slots, from, '+inf', 'WITHSCORES', 'LIMIT', missing - 1, 1)
	return used, math.min(tonumber(slot[2] or now) - now, 0) + hold
end

local function holdSlots()
	for _, endpoint in ipairs(endpoints) do
		if endpoint.keptMs > 0 then
			redis.call('ZADD', endpoint.slots, text(now + call.ms), id)
			keep(endpoint.slots, call.ms + endpoint.keptMs)
		end
	end
end

-- Whether every window still counts the request.
local function isCounted()
	for _, endpoint in ipairs(endpoints) do
		local score, shortest = redis.call('ZSCORE', endpoint.slots, id), endpoint.windows[#endpoint.windows]
		if shortest and not (score and tonumber(score) > now - shortest[2]) then return false end
	end
	return true
end

-- The place of the request in a queue, and how many are before it.
local function placeIn(endpoint)
	local members = redis.call('ZRANGE', endpoint.queue, 0, -1)
	table.sort(members)
	for index, member in ipairs(members) do
		if string.sub(member, -#id) == id then return member, index - 1 end
	end
	return text(now) .. ':' .. id, #members
end

local function leave(endpoint) redis.call('ZREM', endpoint.queue, (placeIn(endpoint))) end

-- Whether the server has just started, or is another one: it may lack what processes hold. Returns for how long (ms).
local function newFor()
	local info = redis.pcall('INFO', 'server')
	local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
	local known = redis.call('HGET', STATE, 'server')
	if known == server then return 0 end
	redis.call('HSET', STATE, 'server', server)
	local uptime = server ~= '' and string.match(info, 'uptime_in_seconds:(%d+)') or ${NEW_SECONDS}
	return known and ${GRACE_MS} or 1000 * (${NEW_SECONDS} - uptime)
end

-- Where there is no room: how long (ms) it takes at the least until it is the turn of the request, and in which window.
local function turnOf()
	local before = 0
	for index, endpoint in ipairs(endpoints) do
		local _, ahead = placeIn(endpoint)
		-- Where requests are spread because of other clients, the next one goes so long after the last one.
		local wait, window = get('last:' .. endpoint.slots) + endpoint.everyMs - now, before + 1
		for number, one in ipairs(endpoint.windows) do
			local _, ms = use(endpoint, one, ahead + 1)
			if ms > wait then wait, window = ms, before + number end
		end
		if wait > 0 then return wait, window, index end
		before = before + #endpoint.windows
	end
end

-- Takes a slot in every window, or a place in the queue of the first endpoint that is full; the time is how long the
-- request may be under way. Returns whether it has its slots; how long (ms) it takes until it is its turn, after how long
-- to ask again, and which window is full; and of each endpoint the estimate of other clients, its age (ms), how long (ms)
-- nothing goes, and how many slots each window has. Who does not know all that, or has to enter slots, takes none.
function actions.take()
	local known, isUnknown = {}, isOff == 1
	for index, endpoint in ipairs(endpoints) do
		local slots = endpoint.slots
		local estimate = redis.call('HGET', STATE, 'estimate:' .. slots)
		local pausedMs = math.max(0, get('pausedUntil:' .. slots) - now)
		known[index] = {estimate or '', now - get('learnedAt:' .. slots), pausedMs, {}}
		isUnknown = isUnknown or pausedMs > 0 or (estimate and estimate ~= endpoint.estimate)
	end
	if isUnknown then return 0, 0, 0, 0, known end
	local new = newFor()
	if new > 0 then set('grace', now + new) end
	local grace = get('grace') - now
	if grace > 0 then return 0, grace, grace, 0, known end

	-- Taken already: the reply to an earlier call was lost, or it was long ago. What has run out is taken anew.
	if not isCounted() then
		for _, endpoint in ipairs(endpoints) do redis.call('ZREM', endpoint.slots, id) end
		local wait, window, full = turnOf()
		local retry = math.min(wait or 0, ${LONGEST_RETRY_MS})
		for index, endpoint in ipairs(endpoints) do
			-- It is not in the way of requests to other endpoints while it waits for its own.
			if wait and index <= full then
				redis.call('ZADD', endpoint.queue, text(now + retry + ${PLACE_KEPT_MS}), (placeIn(endpoint)))
				keep(endpoint.queue, retry + ${PLACE_KEPT_MS})
			else
				leave(endpoint)
			end
		end
		if wait then return 0, wait, retry, window, known end
		for _, endpoint in ipairs(endpoints) do
			if endpoint.everyMs > 0 then set('last:' .. endpoint.slots, now) end
		end
		-- It uses the room of the first ticket whose moment has come, of any holder.
		local tickets = endpoints[1].tickets
		local first = redis.call('ZRANGE', tickets, 0, 0, 'WITHSCORES')
		if first[2] and tonumber(first[2]) <= now + ${TICKET_EARLY_MS} then redis.call('ZREM', tickets, first[1]) end
	end
	holdSlots()
	for index, endpoint in ipairs(endpoints) do
		for number, window in ipairs(endpoint.windows) do known[index][4][number] = use(endpoint, window, 0) end
	end
	return 1, 0, 0, 0, known
end

-- The service has counted the request by now, whether the limit store still knows it or lost it. The time is how much
-- later it may count it; below 0 it never will, and the slots come free at once.
function actions.complete()
	if call.ms >= 0 then return holdSlots() end
	for _, endpoint in ipairs(endpoints) do
		redis.call('ZREM', endpoint.slots, id)
		leave(endpoint)
	end
end

-- Keeps what was learned of other clients, if it is newer, and pauses: \`snapshots\`, one for each endpoint.
function actions.publish()
	for index, snapshot in ipairs(call.snapshots) do
		local slots = endpoints[index].slots
		local estimate, age, pausedMs = unpack(snapshot)
		if estimate ~= '' and now - age > get('learnedAt:' .. slots) then
			redis.call('HSET', STATE, 'estimate:' .. slots, estimate)
			set('learnedAt:' .. slots, now - age)
		end
		set('pausedUntil:' .. slots, math.max(now + pausedMs, get('pausedUntil:' .. slots)))
		set('last:' .. slots, 0)
		keep(STATE, pausedMs)
	end
end

function actions.check() end

-- Enters slots of the only endpoint again: of each its ID and its age (ms).
function actions.enter()
	for _, slot in ipairs(call.slots) do
		redis.call('ZADD', endpoints[1].slots, text(now - slot[2]), slot[1])
		keep(endpoints[1].slots, endpoints[1].keptMs - slot[2])
	end
end

-- Returns for every endpoint the age (ms) of each slot, how many requests wait, the version of its tickets, and for each
-- request with a ticket its holder and when (ms from now) the moment comes.
function actions.read()
	local uses = {}
	for number, endpoint in ipairs(endpoints) do
		local slots, ages = redis.call('ZRANGE', endpoint.slots, 0, -1, 'WITHSCORES'), {}
		for index = 2, #slots, 2 do ages[index / 2] = math.max(0, now - slots[index]) end
		local all, tickets = redis.call('ZRANGE', endpoint.tickets, 0, -1, 'WITHSCORES'), {}
		for index = 2, #all, 2 do tickets[index / 2] = {string.match(all[index - 1], '(.*)#'), all[index] - now} end
		uses[number] = {ages, redis.call('ZCARD', endpoint.queue), get('version:' .. endpoint.tickets), tickets}
	end
	return unpack(uses)
end

-- Replaces the tickets of the \`holder\` for the only endpoint by \`count\` ones; the time is when their moment comes.
-- Returns 0, and changes nothing, where others were issued since \`version\`.
function actions.ticket()
	local tickets = endpoints[1].tickets
	local version = get('version:' .. tickets)
	if call.version ~= version then return 0 end
	for _, member in ipairs(redis.call('ZRANGE', tickets, 0, -1)) do
		if string.match(member, '(.*)#') == call.holder then redis.call('ZREM', tickets, member) end
	end
	for index = 1, call.count do
		redis.call('ZADD', tickets, text(now + call.ms), call.holder .. '#' .. index)
		keep(tickets, call.ms + ${TICKET_KEPT_MS})
	end
	set('version:' .. tickets, version + 1)
	return 1
end

return {isOff, actions[call.action]()}
`);
