/** Planted mistakes that a seed must find. */
import { type Mistake, mistake, patch } from './mistake';

const KEEPS_UNUSED_SLOTS = patch('rateLimit/permit', 'this.ended(-Infinity);');

/** Too many requests go out, or none. */
const OF_THE_LIMITER: Mistake[] = [
	mistake(
		'a slot is freed one window after the request instead of after its response',
		{ seed: 2, shows: 'limit exceeded' },
		patch('rateLimit/permit', 'countedAt = performance.now() +', 'countedAt = this.sentAt +'),
	),
	mistake(
		'a slot is freed before its window has passed',
		{ seed: 1, shows: 'limit exceeded' },
		patch('rateLimit/limits', 'return windowMs + Math.max(', 'return windowMs * 0.9 + Math.max('),
	),
	mistake(
		'a waiting request is not woken when a slot becomes free',
		{ seed: 1, shows: 'execution without end' },
		patch('rateLimit/window', '        this.onFreed();\n'),
	),
	mistake(
		'Get Status omits the requests counted in memory',
		{ seed: 1, shows: 'status is not so' },
		patch('rateLimit/keyLimiter', '= holders.map((holder) => holder.countedAt ?? now)', '= []'),
	),
	mistake(
		'a request that was never sent keeps its slots',
		{ seed: 3, shows: 'slot left' },
		KEEPS_UNUSED_SLOTS,
	),
	mistake(
		'a request that was never sent keeps its slots, and Get Status hides them',
		{ seed: 3, shows: 'slot left' },
		KEEPS_UNUSED_SLOTS,
		patch('rateLimit/keyLimiter', 'used: freeAt.length', 'used: 0 * freeAt.length'),
	),
	mistake(
		'the lost outcome of a request is not reported again by a later command',
		{ seed: 3, shows: 'waits although there is room' },
		patch(
			'rateLimit/redis/redisLimitStore',
			'(id === undefined)',
			'(id === undefined || !isUnused)',
		),
		patch('rateLimit/redis/script', 'if math.abs(older) > unsure then', 'if older > unsure then'),
	),
	mistake(
		'each process counts only its own requests',
		{ seed: 3, shows: 'limit exceeded' },
		patch('rateLimit/redis/redisLimitStore', 'if (isTaken === 1) {', 'if (true) {'),
		patch('rateLimit/redis/redisLimitStore', '{ isTaken: isTaken === 1,', '{ isTaken: true,'),
	),
	mistake(
		'a process that died keeps its place in the queue',
		{ seed: 45, shows: 'waits although there is room' },
		patch('rateLimit/redis/script', 'PLACE_KEPT_MS = 2_000;', 'PLACE_KEPT_MS = 1_800_000;'),
	),
	mistake(
		'the limiter of a key is never dropped',
		{ seed: 1, shows: 'entry left' },
		patch('rateLimit/keyLimiter', 'return this.onChange(this.open === 0);', 'return;'),
	),
];

/** A document goes out twice, or never. */
const OF_SEND_ONCE: Mistake[] = [
	mistake(
		'a document goes out without a row in the store',
		{ seed: 4, shows: 'acted twice' },
		patch('sendOnce/keyRow', 'await this.add([this.token, KNOWN, this.ownContent, OPEN])', 'true'),
	),
	mistake(
		'a sender treats the row of another as its own',
		{ seed: 14, shows: 'acted twice' },
		patch('sendOnce/keyRow', "state === 'perhapsSent' && owner === this.token", 'true'),
	),
	mistake(
		'a released lease does not wake the senders that wait for it',
		{ seed: 14, shows: 'execution without end' },
		patch('sendOnce/keyLease', '            end();\n'),
	),
	mistake(
		'the row of a refused document is not deleted',
		{ seed: 14, shows: 'untrue result' },
		patch('sendOnce/sendOnce', "state === 'notSent' && this.mayBeSent", "state === 'notSent'"),
	),
	mistake(
		'the row of a document whose response was lost is deleted',
		{ seed: 69, shows: 'acted twice' },
		patch('transport/attempt', "error.details.outcome === 'unknown'", 'false'),
	),
	mistake(
		'a full memory forgets other keys than the oldest',
		{ seed: 11, shows: 'acted twice' },
		patch(
			'sendOnce/sentKeys',
			'others.slice(0, Math.max(0, others.length + 1 - most))',
			'others.length < most ? [] : [id.name].map(keyRow_1.rowNameOf)',
		),
	),
];

/** A request is repeated, or its reported outcome is wrong. */
const OF_REQUESTS: Mistake[] = [
	mistake(
		'a send is retried after an unknown outcome',
		{ seed: 5, shows: 'acted twice' },
		patch('transport/retries', "(retry === 'ifHarmless' && isHarmless)", "retry !== 'never'"),
	),
	mistake(
		'a run sends the new key to the old host after an edit of its credential',
		{ seed: 24, shows: 'key strayed' },
		patch('transport/httpRequest', ', data } }', ' } }'),
	),
	mistake(
		'Retry On Fail sends documents again that may have been sent',
		{ seed: 7, shows: 'acted twice' },
		patch('items/runTasks', 'if (!isUnknown || isRead === true)', 'if (true)'),
	),
	mistake(
		'a failure after a 2xx counts as not sent',
		{ seed: 703, shows: 'untrue result' },
		patch(
			'items/requestEach',
			'throw (0, errorTexts_1.afterSuccessError)(request, error, run.account.apiKey);',
			'throw error;',
		),
	),
	mistake(
		'a timeout counts as not sent',
		{ seed: 161, shows: 'untrue result' },
		patch('transport/attempt', '(error, watch.progress, ', "(error, 'notConnected', "),
	),
	mistake(
		'the API key is not redacted in messages of the service',
		{ seed: 7, shows: 'key shown' },
		patch('values/redact', '.matchAll(patternOf(apiKey))', '.matchAll(/^$/g)'),
	),
	mistake(
		'a listener on the stop signal is not removed',
		{ seed: 1, shows: 'listener left' },
		patch('run/run', 'for (const stop of this.stopListening)\n            stop();'),
	),
	mistake(
		'Wait for Room ends although there is no room',
		{ seed: 12, shows: 'no room' },
		patch('resources/rateLimit/waitForRoom.operation', 'if (waitMs === 0)', 'if (true)'),
	),
	mistake(
		'all executions that wait for the same room get it at the same time',
		{ seed: 20, shows: 'room given twice' },
		patch('rateLimit/tickets', 'issue(holder, count, at) {', '$&\n        return;'),
		patch('rateLimit/redis/script', 'for index = 1, call.count do', 'for index = 1, 0 do'),
	),
	mistake(
		'Wait for Room waits although there is room',
		{ seed: 2, shows: 'wait without a reason' },
		patch(
			'resources/rateLimit/waitForRoom.operation',
			'if (waitMs === 0)',
			'if (waitMs === 0) await (0, async_1.sleep)(60_000, run.signal);\n$&',
		),
	),
	mistake(
		'a body is read to its end even if it is too large',
		{ seed: 21, shows: 'body read too far' },
		patch('transport/response', 'if (length > most)', 'if (false)'),
	),
];

export const MISTAKES = [...OF_THE_LIMITER, ...OF_SEND_ONCE, ...OF_REQUESTS];
