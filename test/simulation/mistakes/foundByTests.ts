/** Mistakes that no seed is sure to find, and a test of `npm test` is. */
import { type MistakeFoundByTest, mistake, patch } from './mistake';

const DIRECTED = { test: 'test/unit/simulation/directed.test.ts' };
const ORDERS = { test: 'test/unit/sendOnce/orders.test.ts' };
const KEY_LIMITER = { test: 'test/unit/rateLimit/keyLimiter.test.ts' };
const TICKETS = { test: 'test/unit/rateLimit/tickets.test.ts' };
const PROCESSES = { test: 'test/unit/rateLimit/processes.test.ts' };
const READS = { test: 'test/unit/trigger/reads.test.ts' };

export const MISTAKES_FOUND_BY_TESTS: MistakeFoundByTest[] = [
	mistake(
		'a record that another process was first to make counts as one’s own',
		ORDERS,
		patch('sendOnce/keyRow', '(this.row.add(entries))).includes(KNOWN)', '$&, true'),
	),
	mistake(
		'a run that meets a lease takes it for a document that may have been sent',
		ORDERS,
		patch('sendOnce/sendOnce', 'return missing;', 'return state;'),
	),
	mistake(
		'others have the key before its end is on record',
		ORDERS,
		patch('sendOnce/sendOnce', 'await row.end(end, { isLeased: true });', 'release();\n$&'),
	),
	mistake(
		'the end of a document is not recorded',
		ORDERS,
		patch('sendOnce/keyRow', "if (state === 'sent')", 'if (false)'),
	),
	mistake(
		'what a record has left that failed is not looked after',
		ORDERS,
		patch('sendOnce/keyRow', "this.keepRepairing('notSent');\n            if", 'if'),
	),
	mistake(
		'what is undone is the record of another sender',
		ORDERS,
		patch('sendOnce/keyRow', "found.owner !== token || found.state !== 'p", "found.state !== 'p"),
	),
	mistake(
		'a deletion that lands late takes the record of the next sender with it',
		ORDERS,
		patch('sendOnce/keyRow', 'performance.now() - failedAt < exports.LATE_MS', 'false'),
	),
	mistake(
		'in a Redis that was emptied, what is under way counts as perhaps sent',
		{ test: 'test/unit/sendOnce/keyLease.test.ts' },
		patch('sendOnce/keyLease', 'return math.max(0, missing)', 'return 0'),
	),
	mistake(
		'what is sent again after a release is among the oldest',
		{ test: 'test/unit/sendOnce/sentKeys.test.ts' },
		patch('sendOnce/sentKeys', 'await row.remove([id.name]);\n    await', 'await'),
	),
	mistake(
		'a stop while the key is recorded lets the request out',
		{ test: 'test/engine/sendOnceFailures.test.ts' },
		patch('transport/client', 'signal.throwIfAborted();'),
		patch('sendOnce/sendOnce', '(0, async_1.abortable)(acquiring, this.run.signal)', 'acquiring'),
		patch(
			'transport/attempt',
			'onAbort)(signal, ',
			'onAbort)(signal.aborted ? async_1.never : signal, ',
		),
	),
	mistake(
		'a request that was lost is counted no longer than one that got a response',
		DIRECTED,
		patch('rateLimit/permit', 'ended(lateMs) {', '$&\n        lateMs = Math.min(0, lateMs);'),
	),
	mistake(
		'two workflows share one record',
		DIRECTED,
		patch('sendOnce/sendOnce', 'const parts = [workflowId, ', "const parts = ['', "),
		patch('sendOnce/sendOnce', 'const id = { workflowId, ', "const id = { workflowId: 'w', "),
	),
	...(
		[
			['credentials', 'credential, account.baseUrl', "'', account.baseUrl"],
			['base URLs', 'account.baseUrl, (0', "'', (0"],
			['endpoints', '(0, endpoints_1.formatEndpoint)(endpoint)]', "'']"],
		] as const
	).map(([what, part, without]) =>
		mistake(
			`two ${what} share one record`,
			{ test: 'test/unit/sendOnce/sendOnce.test.ts' },
			patch('sendOnce/sendOnce', part, without),
		),
	),
	mistake(
		'a read that was stopped gives its slot back early',
		DIRECTED,
		patch('transport/attempt', 'isTimeout || signal.aborted', 'isTimeout'),
	),
	mistake(
		'a later page takes back that records have moved',
		READS,
		patch('trigger/comparePage', 'const onPage = new Set();', '$&\n    read.moved = 0;'),
	),
	mistake(
		'a contact that was deleted is never told',
		READS,
		patch('trigger/endRead', "type === 'none' || isStill ? 2 : state_1.MOST_MISSED", 'Infinity'),
	),
	mistake(
		'tickets for room that were used in part: the holder keeps its place',
		TICKETS,
		patch('rateLimit/tickets', 'own.length >= count', 'own.length > 0'),
	),
	mistake(
		'tickets for room that were used in part: the holder loses its place',
		TICKETS,
		patch('rateLimit/tickets', 'own.length >= count', 'own.length > count'),
	),
	mistake(
		'two processes issue tickets for the same room in Redis',
		TICKETS,
		patch('rateLimit/redis/script', 'if call.version ~= version then return 0 end'),
	),
	mistake(
		'slots leak when the run is stopped in the moment of their grant',
		KEY_LIMITER,
		patch('rateLimit/keyLimiter', 'permit.unused();\n            throw error;', 'throw error;'),
	),
	mistake(
		'a send starves behind those of other processes: its place lapses before it asks again',
		PROCESSES,
		patch('rateLimit/redis/script', 'PLACE_KEPT_MS = 2_000;', 'PLACE_KEPT_MS = -2_000;'),
	),
	mistake(
		'a request that has failed is admitted once more',
		{ test: 'test/unit/rateLimit/queue.test.ts' },
		patch('rateLimit/queue', 'this.delete(permit);\n        permit.refuse', 'permit.refuse'),
	),
	mistake(
		'what a process has learned of other clients is young in another',
		PROCESSES,
		patch('rateLimit/otherClients', 'performance.now() - ageMs', 'performance.now()'),
	),
	mistake(
		'what a process has learned of other clients is not yet in another',
		PROCESSES,
		patch('rateLimit/otherClients', 'performance.now() - ageMs', 'performance.now() + ageMs'),
	),
	mistake(
		'the time until a limit has room leaves out the requests that wait',
		KEY_LIMITER,
		patch('rateLimit/keyLimiter', '([state], ahead)', '([state], 0)'),
	),
	mistake(
		'a slot is held for its window without a margin',
		KEY_LIMITER,
		patch('rateLimit/limits', '+ Math.max(MARGIN_MS.least, forTimers, windowMs * CLOCK_DRIFT)'),
	),
	mistake(
		// Of use only where Redis is lost twice.
		'a process enters its slots in Redis again only once',
		{ test: 'test/unit/rateLimit/redisLosses.test.ts' },
		patch('rateLimit/redis/redisLimitStore', '.finally(() => (this.entering = undefined))'),
	),
];
