/** Planted mistakes that a test of `npm test` must find, by its file, because no seed finds them reliably. */
import type { Change } from '.';

export const FOUND_BY_TESTS: Record<string, Record<string, Change[]>> = {
	'test/unit/sendOnce/orders.test.ts': {
		'a row that another process has inserted first counts as its own': [
			['sendOnce/keyRow', '(this.row.add(entries))).includes(KNOWN)', '$&, true'],
		],
		'a document under the lease of another sender counts as perhaps sent': [
			['sendOnce/sendOnce', 'return missing;', 'return state;'],
		],
		'a key is released to other senders before its end is recorded': [
			[
				'sendOnce/sendOnce',
				'await row.recordOutcome(outcome, { isLeased: true });',
				'release();\n$&',
			],
		],
		'the end of a document is not recorded': [
			['sendOnce/keyRow', "if (state === 'sent')", 'if (false)'],
		],
		'a row of a failed insert is not repaired': [
			['sendOnce/keyRow', "this.keepRepairing('notSent');\n            if", 'if'],
		],
		'a repair deletes the row of another sender': [
			['sendOnce/keyRow', "found.owner !== token || found.state !== 'p", "found.state !== 'p"],
		],
		'a deletion that takes effect late also deletes the row of the next sender': [
			['sendOnce/keyRow', 'performance.now() - failedAt < exports.LATE_MS', 'false'],
		],
	},
	'test/unit/sendOnce/keyLease.test.ts': {
		'a document in flight counts as perhaps sent after Redis is emptied': [
			['sendOnce/keyLease', 'return math.max(0, missing)', 'return 0'],
		],
	},
	'test/unit/sendOnce/sentKeys.test.ts': {
		'a key that is sent again after a release keeps its old place among the sent keys': [
			['sendOnce/sentKeys', 'await row.remove([id.name]);\n    await', 'await'],
		],
	},
	'test/engine/sendOnceFailures.test.ts': {
		'a request goes out although the run was stopped while its key was recorded': [
			['transport/client', 'signal.throwIfAborted();'],
			['sendOnce/sendOnce', '(0, async_1.abortable)(acquiring, this.run.signal)', 'acquiring'],
			[
				'transport/attempt',
				'onAbort)(signal, ',
				'onAbort)(signal.aborted ? async_1.never : signal, ',
			],
		],
	},
	'test/unit/simulation/directed.test.ts': {
		'the slot of a lost request is held no longer than that of one with a response': [
			['rateLimit/permit', 'ended(lateMs) {', '$&\n        lateMs = Math.min(0, lateMs);'],
		],
		'two workflows share one row per key': [
			['sendOnce/sendOnce', 'const parts = [workflowId, ', "const parts = ['', "],
			['sendOnce/sendOnce', 'const id = { workflowId, ', "const id = { workflowId: 'w', "],
		],
		'a stopped read frees its slot too early': [
			['transport/attempt', 'isTimeout || signal.aborted', 'isTimeout'],
		],
	},
	'test/unit/sendOnce/sendOnce.test.ts': {
		'two credentials share one row per key': [
			['sendOnce/sendOnce', 'credential, account.baseUrl', "'', account.baseUrl"],
		],
		'two base URLs share one row per key': [['sendOnce/sendOnce', 'account.baseUrl, (0', "'', (0"]],
		'two endpoints share one row per key': [
			['sendOnce/sendOnce', '(0, endpoints_1.formatEndpoint)(endpoint)]', "'']"],
		],
	},
	'test/unit/trigger/incompleteReads.test.ts': {
		'a later page resets the count of moved records': [
			['trigger/comparePage', 'const onPage = new Set();', '$&\n    read.moved = 0;'],
		],
		'a deleted contact is never reported': [
			['trigger/endRead', "type === 'none' || isStill ? 2 : state_1.MOST_MISSED", 'Infinity'],
		],
	},
	'test/unit/rateLimit/tickets.test.ts': {
		'a holder of partly used tickets keeps its place': [
			['rateLimit/tickets', 'own.length >= count', 'own.length > 0'],
		],
		'a holder of unused tickets loses its place': [
			['rateLimit/tickets', 'own.length >= count', 'own.length > count'],
		],
		'two processes issue tickets for the same room in Redis': [
			['rateLimit/redis/script', 'if call.version ~= version then return 0 end'],
		],
	},
	'test/unit/rateLimit/keyLimiter.test.ts': {
		'slots leak if the run is stopped at the moment of their grant': [
			['rateLimit/keyLimiter', 'permit.unused();\n            throw error;', 'throw error;'],
		],
		'the time until a limit has room ignores the waiting requests': [
			['rateLimit/keyLimiter', '([state], ahead)', '([state], 0)'],
		],
		'a slot is held without a margin after its window': [
			['rateLimit/limits', '+ Math.max(MARGIN_MS.least, forTimers, windowMs * CLOCK_DRIFT)'],
		],
	},
	'test/unit/rateLimit/processes.test.ts': {
		'a send starves behind other processes because its place expires before its next attempt': [
			['rateLimit/redis/script', 'PLACE_KEPT_MS = 2_000;', 'PLACE_KEPT_MS = -2_000;'],
		],
		'an estimate of other clients from another process counts as new': [
			['rateLimit/otherClients', 'performance.now() - ageMs', 'performance.now()'],
		],
		'an estimate of other clients from another process is dated in the future': [
			['rateLimit/otherClients', 'performance.now() - ageMs', 'performance.now() + ageMs'],
		],
	},
	'test/unit/rateLimit/queue.test.ts': {
		'a failed request is admitted again': [
			['rateLimit/queue', 'this.delete(permit);\n        permit.refuse', 'permit.refuse'],
		],
	},
	'test/unit/rateLimit/redisLosses.test.ts': {
		// It matters only if Redis loses its data twice.
		'a process enters its slots in Redis again only after the first loss': [
			['rateLimit/redis/redisLimitStore', '.finally(() => (this.entering = undefined))'],
		],
	},
};
