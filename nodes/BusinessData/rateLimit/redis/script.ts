/**
 * The script of the limit store. Each run is atomic, and can be retried, as the caller gives the IDs of what it adds.
 *
 * For each endpoint, and for all requests together, Redis has three sorted sets, which expire:
 *
 * - `slots`: the requests, scored by when (ms) the service counted each, at the latest. A window counts those younger than
 *   the time it holds a slot, so limits may be edited;
 * - `queue`: the waiting requests under the same limits, named by arrival and ID, scored by how long their place is kept,
 *   so that a process that has died does not block others for long;
 * - `tickets`: the tickets, named by their holder, scored by their time.
 *
 * Time is that of Redis's clock, but never goes back: if the clock is set back, or that of a new primary is slow, it goes
 * on from the last time. Redis may lose data, and its clock may be set forward. So with each command, a process says whether
 * it knows of a state, and names its newest slot other than the request's own. If Redis has no state, no such slot, or an
 * older one, no request goes for a moment, in which every process enters what it holds. If Redis has the slot as younger,
 * it has lost the outcome of that request, and the process enters it again.
 *
 * KEYS: the hash `state`, then the three sets of each endpoint. ARGV: a call as JSON:
 *
 * - the `action`, the `id` of the request, a time `ms`, and `knowsState`;
 * - the `endpoints` in the order of the keys, that of the request first if it has limits: their `windows`, longest first
 *   (how many of our requests fit, and how long (ms) each counts), the interval `everyMs` of requests, the `estimate` of
 *   other clients that the process knows, and the ID and the age (ms) of its `newest` slot.
 *
 * Returns whether the process must enter its slots again, how long (ms) the state lasts, and what the action returns.
 */
import { RedisScript } from '../../redis';
import { LARGEST_MAX } from '../limits';
import { TICKET_EARLY_MS, TICKET_KEPT_MS } from '../tickets';

/** How long (ms) a place in a queue is kept after its owner was due to ask again. */
const PLACE_KEPT_MS = 2_000;
/** The longest time (ms) after which a waiting request asks again, in case a slot was freed early. */
const LONGEST_RETRY_MS = 2_000;
/** How long (ms) no request goes after Redis has lost data. By then, every process has entered its slots. */
const GRACE_MS = 2_500;
/** How long (s) after its start a server may lack slots. By then, every process has entered them. */
const NEW_SECONDS = 2;
/** By how much the age of a slot may differ: in ms, for commands under way, and as a share. */
const UNSURE = { ms: 1_000, share: 0.001 };

export const LIMIT_SCRIPT = new RedisScript(`
local call, STATE = cjson.decode(ARGV[1]), KEYS[1]
local id, endpoints, actions = call.id, call.endpoints, {}

local function text(number) return string.format('%.0f', number) end
local function get(field) return tonumber(redis.call('HGET', STATE, field) or 0) end
local function set(field, number) redis.call('HSET', STATE, field, text(number)) end

-- The state expires last.
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
local isLost, mustEnter = call.knowsState and get('now') == 0, 0
set('now', now)
keep(STATE, ${GRACE_MS})

for index, endpoint in ipairs(endpoints) do
	local slots, queue, tickets = KEYS[3 * index - 1], KEYS[3 * index], KEYS[3 * index + 1]
	endpoint.slots, endpoint.queue, endpoint.tickets = slots, queue, tickets
	-- Slots are kept for the longest window that any process has named, and not at all before that.
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
		-- The command updates the request's own slot, but Redis must have had it.
		if score and newest == id then older = 0 end
		isLost = isLost or older > unsure
		if math.abs(older) > unsure then mustEnter = 1 end
	end
end
if isLost and get('grace') < now then set('grace', now + ${GRACE_MS}) end

-- How many slots a window counts, and how long (ms) until \`more\` are free.
local function use(endpoint, window, more)
	local room, hold = unpack(window)
	local from = '(' .. text(now - hold)
	local used = redis.call('ZCOUNT', endpoint.slots, from, '+inf')
	local missing = used + more - room
	if missing <= 0 then return used, 0 end
	-- The score of a request under way includes its timeout; if its response came now, only the hold would be left.
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

-- The name of the request in a queue, and how many are ahead of it.
local function placeIn(endpoint)
	local members = redis.call('ZRANGE', endpoint.queue, 0, -1)
	table.sort(members)
	for index, member in ipairs(members) do
		if string.sub(member, -#id) == id then return member, index - 1 end
	end
	return text(now) .. ':' .. id, #members
end

local function leave(endpoint) redis.call('ZREM', endpoint.queue, (placeIn(endpoint))) end

-- For how long (ms) the server may lack slots because it has just started or is a different one.
local function newFor()
	local info = redis.pcall('INFO', 'server')
	local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
	local known = redis.call('HGET', STATE, 'server')
	if known == server then return 0 end
	redis.call('HSET', STATE, 'server', server)
	local uptime = server ~= '' and string.match(info, 'uptime_in_seconds:(%d+)') or ${NEW_SECONDS}
	return known and ${GRACE_MS} or 1000 * (${NEW_SECONDS} - uptime)
end

-- If there is no room, the shortest wait (ms), and the window and the endpoint to wait for.
local function turnOf()
	local before = 0
	for index, endpoint in ipairs(endpoints) do
		local _, ahead = placeIn(endpoint)
		-- Beside other clients, requests are spread.
		local wait, window = get('last:' .. endpoint.slots) + endpoint.everyMs - now, before + 1
		for number, one in ipairs(endpoint.windows) do
			local _, ms = use(endpoint, one, ahead + 1)
			if ms > wait then wait, window = ms, before + number end
		end
		if wait > 0 then return wait, window, index end
		before = before + #endpoint.windows
	end
end

-- Takes a slot in every window, or a place in the queues up to the first endpoint that is full; \`ms\` is how long the
-- request may be under way. Returns whether it has its slots, how long (ms) until its turn, in how long (ms) to ask again,
-- and which window is full; then a snapshot per endpoint: the estimate of other clients, its age (ms), how long (ms)
-- nothing goes, and how many slots each window has. A process that lacks an estimate, or must enter slots, takes none.
function actions.take()
	local snapshots, isUnknown = {}, mustEnter == 1
	for index, endpoint in ipairs(endpoints) do
		local slots = endpoint.slots
		local estimate = redis.call('HGET', STATE, 'estimate:' .. slots)
		local pausedMs = math.max(0, get('pausedUntil:' .. slots) - now)
		snapshots[index] = {estimate or '', now - get('learnedAt:' .. slots), pausedMs, {}}
		isUnknown = isUnknown or pausedMs > 0 or (estimate and estimate ~= endpoint.estimate)
	end
	if isUnknown then return 0, 0, 0, 0, snapshots end
	local new = newFor()
	if new > 0 then set('grace', now + new) end
	local grace = get('grace') - now
	if grace > 0 then return 0, grace, grace, 0, snapshots end

	-- It may have its slots already: the reply was lost, or the call was long ago. Slots that have expired are taken again.
	if not isCounted() then
		for _, endpoint in ipairs(endpoints) do redis.call('ZREM', endpoint.slots, id) end
		local wait, window, full = turnOf()
		local retry = math.min(wait or 0, ${LONGEST_RETRY_MS})
		for index, endpoint in ipairs(endpoints) do
			-- A request that waits for its own endpoint does not block requests to others.
			if wait and index <= full then
				redis.call('ZADD', endpoint.queue, text(now + retry + ${PLACE_KEPT_MS}), (placeIn(endpoint)))
				keep(endpoint.queue, retry + ${PLACE_KEPT_MS})
			else
				leave(endpoint)
			end
		end
		if wait then return 0, wait, retry, window, snapshots end
		for _, endpoint in ipairs(endpoints) do
			if endpoint.everyMs > 0 then set('last:' .. endpoint.slots, now) end
		end
		-- It uses the first ticket whose time has come, of any holder.
		local tickets = endpoints[1].tickets
		local first = redis.call('ZRANGE', tickets, 0, 0, 'WITHSCORES')
		if first[2] and tonumber(first[2]) <= now + ${TICKET_EARLY_MS} then redis.call('ZREM', tickets, first[1]) end
	end
	holdSlots()
	for index, endpoint in ipairs(endpoints) do
		for number, window in ipairs(endpoint.windows) do snapshots[index][4][number] = use(endpoint, window, 0) end
	end
	return 1, 0, 0, 0, snapshots
end

-- The request is over, and may have been lost here. The service may count it for another \`ms\`; below 0, it never will, and
-- the slots are freed at once.
function actions.complete()
	if call.ms >= 0 then return holdSlots() end
	for _, endpoint in ipairs(endpoints) do
		redis.call('ZREM', endpoint.slots, id)
		leave(endpoint)
	end
end

-- Stores the \`snapshots\`, one per endpoint: pauses, and estimates if they are newer.
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

-- Enters the \`slots\` of the only endpoint again, each with its ID and age (ms).
function actions.enter()
	for _, slot in ipairs(call.slots) do
		redis.call('ZADD', endpoints[1].slots, text(now - slot[2]), slot[1])
		keep(endpoints[1].slots, endpoints[1].keptMs - slot[2])
	end
end

-- Returns, per endpoint, the age (ms) of each slot, how many requests are waiting, the version of the tickets, and the
-- holder and time (ms from now) of each ticket.
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

-- Replaces the tickets of the \`holder\` for the only endpoint with \`count\` new ones for \`ms\` from now. Returns 0 and
-- changes nothing if others were issued since \`version\`.
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

local reply = {actions[call.action]()}
return {mustEnter, redis.call('PTTL', STATE), unpack(reply)}
`);
