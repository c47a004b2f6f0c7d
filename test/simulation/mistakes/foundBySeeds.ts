/** Planted mistakes that a seed must find, with the kind of violation that it must show. */
import type { Change } from '.';

export const FOUND_BY_SEEDS: Record<
	string,
	[found: { seed: number; shows: string }, ...changes: Change[]]
> = {
	'a slot is freed one window after the request instead of after its response': [
		{ seed: 2, shows: 'limit exceeded' },
		['rateLimit/permit', 'countedAt = performance.now() +', 'countedAt = this.sentAt +'],
	],
	'a slot is freed before its window has passed': [
		{ seed: 1, shows: 'limit exceeded' },
		['rateLimit/limits', 'return windowMs + Math.max(', 'return windowMs * 0.9 + Math.max('],
	],
	'a waiting request is not woken when a slot becomes free': [
		{ seed: 1, shows: 'execution without end' },
		['rateLimit/window', '        this.onFreed();\n'],
	],
	'Get Status omits the requests counted in memory': [
		{ seed: 1, shows: 'status is not so' },
		['rateLimit/keyLimiter', '= holders.map((holder) => holder.countedAt ?? now)', '= []'],
	],
	'a request that was never sent keeps its slots': [
		{ seed: 3, shows: 'slot left' },
		['rateLimit/permit', 'this.ended(-Infinity);'],
	],
	'a request that was never sent keeps its slots, and Get Status hides them': [
		{ seed: 3, shows: 'slot left' },
		['rateLimit/permit', 'this.ended(-Infinity);'],
		['rateLimit/keyLimiter', 'used: freeAt.length', 'used: 0 * freeAt.length'],
	],
	'the lost outcome of a request is not reported again by a later command': [
		{ seed: 3, shows: 'waits although there is room' },
		['rateLimit/redis/redisLimitStore', '(id === undefined)', '(id === undefined || !isUnused)'],
		['rateLimit/redis/script', 'if math.abs(older) > unsure then', 'if older > unsure then'],
	],
	'each process counts only its own requests': [
		{ seed: 3, shows: 'limit exceeded' },
		['rateLimit/redis/redisLimitStore', 'if (isTaken === 1) {', 'if (true) {'],
		['rateLimit/redis/redisLimitStore', '{ isTaken: isTaken === 1,', '{ isTaken: true,'],
	],
	'a process that died keeps its place in the queue': [
		{ seed: 45, shows: 'waits although there is room' },
		['rateLimit/redis/script', 'PLACE_KEPT_MS = 2_000;', 'PLACE_KEPT_MS = 1_800_000;'],
	],
	'the limiter of a key is never dropped': [
		{ seed: 1, shows: 'entry left' },
		['rateLimit/keyLimiter', 'return this.onChange(this.open === 0);', 'return;'],
	],
	'a document goes out without a row in the store': [
		{ seed: 4, shows: 'acted twice' },
		['sendOnce/keyRow', 'await this.add([this.token, KNOWN, this.ownContent, OPEN])', 'true'],
	],
	'a sender treats the row of another as its own': [
		{ seed: 14, shows: 'acted twice' },
		['sendOnce/keyRow', "state === 'perhapsSent' && owner === this.token", 'true'],
	],
	'a released lease does not wake the senders that wait for it': [
		{ seed: 14, shows: 'execution without end' },
		['sendOnce/keyLease', '            end();\n'],
	],
	'the row of a refused document is not deleted': [
		{ seed: 14, shows: 'untrue result' },
		['sendOnce/sendOnce', "state === 'notSent' && this.mayBeSent", "state === 'notSent'"],
	],
	'the row of a document whose response was lost is deleted': [
		{ seed: 69, shows: 'acted twice' },
		['transport/attempt', "error.details.outcome === 'unknown'", 'false'],
	],
	'a full memory forgets other keys than the oldest': [
		{ seed: 11, shows: 'acted twice' },
		[
			'sendOnce/sentKeys',
			'others.slice(0, Math.max(0, others.length + 1 - most))',
			'others.length < most ? [] : [id.name].map(keyRow_1.rowNameOf)',
		],
	],
	'a send is retried after an unknown outcome': [
		{ seed: 5, shows: 'acted twice' },
		['transport/attempt', '(request) || request.isIdempotent === true', '(request) || true'],
	],
	'a run sends the new key to the old host after an edit of its credential': [
		{ seed: 24, shows: 'key strayed' },
		['transport/httpRequest', ', data } }', ' } }'],
	],
	'Retry On Fail sends documents again that may have been sent': [
		{ seed: 7, shows: 'acted twice' },
		['items/runTasks', 'if (isUnknown && isRead !== true)', 'if (false)'],
	],
	'a failure after a 2xx counts as not sent': [
		{ seed: 703, shows: 'untrue result' },
		[
			'items/requestEach',
			'throw (0, errorTexts_1.afterSuccessError)(request, error, run.account.apiKey);',
			'throw error;',
		],
	],
	'a timeout counts as not sent': [
		{ seed: 161, shows: 'untrue result' },
		['transport/attempt', '(error, watch.progress, ', "(error, 'notConnected', "],
	],
	'the API key is not redacted in messages of the service': [
		{ seed: 7, shows: 'key shown' },
		['values/redact', '.matchAll(patternOf(apiKey))', '.matchAll(/^$/g)'],
	],
	'a listener on the stop signal is not removed': [
		{ seed: 1, shows: 'listener left' },
		['run/run', 'for (const stop of this.stopListening)\n            stop();'],
	],
	'Wait for Room ends although there is no room': [
		{ seed: 12, shows: 'no room' },
		['resources/rateLimit/waitForRoom.operation', 'if (waitMs === 0)', 'if (true)'],
	],
	'all executions that wait for the same room get it at the same time': [
		{ seed: 20, shows: 'room given twice' },
		['rateLimit/tickets', 'issue(holder, count, at) {', '$&\n        return;'],
		['rateLimit/redis/script', 'for index = 1, call.count do', 'for index = 1, 0 do'],
	],
	'Wait for Room waits although there is room': [
		{ seed: 2, shows: 'wait without a reason' },
		[
			'resources/rateLimit/waitForRoom.operation',
			'if (waitMs === 0)',
			'if (waitMs === 0) await (0, async_1.sleep)(60_000, run.signal);\n$&',
		],
	],
	'a body is read to its end even if it is too large': [
		{ seed: 21, shows: 'body read too far' },
		['transport/response', 'if (length > most)', 'if (false)'],
	],
};
