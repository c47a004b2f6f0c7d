/** Planted mistakes that a test of `npm test` must find, because no seed finds them reliably. */
import { type MistakeFoundByTest, mistake, patch } from './mistake';

const DIRECTED = { test: 'test/unit/simulation/directed.test.ts' };
const ORDERS = { test: 'test/unit/sendOnce/orders.test.ts' };
const KEY_LIMITER = { test: 'test/unit/rateLimit/keyLimiter.test.ts' };
const TICKETS = { test: 'test/unit/rateLimit/tickets.test.ts' };
const PROCESSES = { test: 'test/unit/rateLimit/processes.test.ts' };
const READS = { test: 'test/unit/trigger/reads.test.ts' };

export const MISTAKES_FOUND_BY_TESTS: MistakeFoundByTest[] = [
	mistake(
		'a row that another process has inserted first counts as its own',
		ORDERS,
		patch('sendOnce/keyRow', '(this.row.add(entries))).includes(KNOWN)', '$&, true'),
	),
	mistake(
		'a document under the lease of another sender counts as perhaps sent',
		ORDERS,
		patch('sendOnce/sendOnce', 'return missing;', 'return state;'),
	),
	mistake(
		'a key is released to other senders before its end is recorded',
		ORDERS,
		patch('sendOnce/sendOnce', 'await row.end(end, { isLeased: true });', 'release();\n$&'),
	),
	mistake(
		'the end of a document is not recorded',
		ORDERS,
		patch('sendOnce/keyRow', "if (state === 'sent')", 'if (false)'),
	),
	mistake(
		'a row of a failed insert is not repaired',
		ORDERS,
		patch('sendOnce/keyRow', "this.keepRepairing('notSent');\n            if", 'if'),
	),
	mistake(
		'a repair deletes the row of another sender',
		ORDERS,
		patch('sendOnce/keyRow', "found.owner !== token || found.state !== 'p", "found.state !== 'p"),
	),
	mistake(
		'a deletion that takes effect late also deletes the row of the next sender',
		ORDERS,
		patch('sendOnce/keyRow', 'performance.now() - failedAt < exports.LATE_MS', 'false'),
	),
	mistake(
		'a document in flight counts as perhaps sent after Redis is emptied',
		{ test: 'test/unit/sendOnce/keyLease.test.ts' },
		patch('sendOnce/keyLease', 'return math.max(0, missing)', 'return 0'),
	),
	mistake(
		'a key that is sent again after a release keeps its old place among the sent keys',
		{ test: 'test/unit/sendOnce/sentKeys.test.ts' },
		patch('sendOnce/sentKeys', 'await row.remove([id.name]);\n    await', 'await'),
	),
	mistake(
		'a request goes out although the run was stopped while its key was recorded',
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
		'the slot of a lost request is held no longer than that of one with a response',
		DIRECTED,
		patch('rateLimit/permit', 'ended(lateMs) {', '$&\n        lateMs = Math.min(0, lateMs);'),
	),
	mistake(
		'two workflows share one row per key',
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
			`two ${what} share one row per key`,
			{ test: 'test/unit/sendOnce/sendOnce.test.ts' },
			patch('sendOnce/sendOnce', part, without),
		),
	),
	mistake(
		'a stopped read frees its slot too early',
		DIRECTED,
		patch('transport/attempt', 'isTimeout || signal.aborted', 'isTimeout'),
	),
	mistake(
		'a later page resets the count of moved records',
		READS,
		patch('trigger/comparePage', 'const onPage = new Set();', '$&\n    read.moved = 0;'),
	),
	mistake(
		'a deleted contact is never reported',
		READS,
		patch('trigger/endRead', "type === 'none' || isStill ? 2 : state_1.MOST_MISSED", 'Infinity'),
	),
	mistake(
		'a holder of partly used tickets keeps its place',
		TICKETS,
		patch('rateLimit/tickets', 'own.length >= count', 'own.length > 0'),
	),
	mistake(
		'a holder of unused tickets loses its place',
		TICKETS,
		patch('rateLimit/tickets', 'own.length >= count', 'own.length > count'),
	),
	mistake(
		'two processes issue tickets for the same room in Redis',
		TICKETS,
		patch('rateLimit/redis/script', 'if call.version ~= version then return 0 end'),
	),
	mistake(
		'slots leak if the run is stopped at the moment of their grant',
		KEY_LIMITER,
		patch('rateLimit/keyLimiter', 'permit.unused();\n            throw error;', 'throw error;'),
	),
	mistake(
		'a send starves behind other processes because its place expires before its next attempt',
		PROCESSES,
		patch('rateLimit/redis/script', 'PLACE_KEPT_MS = 2_000;', 'PLACE_KEPT_MS = -2_000;'),
	),
	mistake(
		'a failed request is admitted again',
		{ test: 'test/unit/rateLimit/queue.test.ts' },
		patch('rateLimit/queue', 'this.delete(permit);\n        permit.refuse', 'permit.refuse'),
	),
	mistake(
		'an estimate of other clients from another process counts as new',
		PROCESSES,
		patch('rateLimit/otherClients', 'performance.now() - ageMs', 'performance.now()'),
	),
	mistake(
		'an estimate of other clients from another process is dated in the future',
		PROCESSES,
		patch('rateLimit/otherClients', 'performance.now() - ageMs', 'performance.now() + ageMs'),
	),
	mistake(
		'the time until a limit has room ignores the waiting requests',
		KEY_LIMITER,
		patch('rateLimit/keyLimiter', '([state], ahead)', '([state], 0)'),
	),
	mistake(
		'a slot is held without a margin after its window',
		KEY_LIMITER,
		patch('rateLimit/limits', '+ Math.max(MARGIN_MS.least, forTimers, windowMs * CLOCK_DRIFT)'),
	),
	mistake(
		// It matters only if Redis loses its data twice.
		'a process enters its slots in Redis again only after the first loss',
		{ test: 'test/unit/rateLimit/redisLosses.test.ts' },
		patch('rateLimit/redis/redisLimitStore', '.finally(() => (this.entering = undefined))'),
	),
];
