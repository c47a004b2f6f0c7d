/** Mistakes that no seed is sure to find, and a test of `npm test` is. */
import { type MistakeFoundByTest, patch } from './mistake';

const ONCE = 'nodes/BusinessData/sendOnce';
const LIMITER = 'nodes/BusinessData/rateLimit';
const DIRECTED = 'test/unit/simulation/directed.test.ts';
const ORDERS = 'test/unit/sendOnce/orders.test.ts';
const LIMITER_TESTS = 'test/unit/rateLimit/keyLimiter.test.ts';
const TICKET_TESTS = 'test/unit/rateLimit/tickets.test.ts';

export const MISTAKES_FOUND_BY_TESTS: MistakeFoundByTest[] = [
	{
		name: 'executions side by side read and write the record as they come',
		patches: [
			patch(
				`${ONCE}/processState.js`,
				'(0, exports.processState)().steps.runExclusive(bucket, async_1.never, step)',
				'step()',
			),
			patch(
				`${ONCE}/processState.js`,
				'return (0, exports.processState)().leases.get(name);',
				'return undefined;',
			),
		],
		test: ORDERS,
	},
	{
		name: 'a run that meets a lease takes it for a document that was sent',
		patches: [
			patch(
				`${ONCE}/sendOnce.js`,
				'if (other !== undefined)\n            return { ended: other };\n        const { state: inRedis',
				"if (other !== undefined)\n            return { state: 'sent', isOther: false, isLost: false };\n        const { state: inRedis",
			),
		],
		test: ORDERS,
	},
	{
		name: 'others have the key before its end is on record',
		patches: [
			patch(
				`${ONCE}/sendOnce.js`,
				'        const ends =',
				'        lease.release();\n        const ends =',
			),
		],
		test: ORDERS,
	},
	{
		name: 'what a lease has left that failed is not looked after',
		patches: [
			patch(`${ONCE}/storedKey.js`, 'this.expectNothing(bucket);\n                await', 'await'),
		],
		test: ORDERS,
	},
	{
		name: 'a lease that a late write has overwritten is lost',
		patches: [
			patch(
				`${ONCE}/storedKey.js`,
				'this.expectThere(bucket, details);\n            return',
				'return',
			),
		],
		test: ORDERS,
	},
	{
		name: 'a command that is late leases a key whose sender is done',
		patches: [
			patch(`${ONCE}/redisScripts.js`, "return redis.call('GET', KEYS[4])", 'return false'),
		],
		test: ORDERS,
	},
	{
		name: 'a stop while the key is recorded lets the request out',
		patches: [
			patch('nodes/BusinessData/transport/client.js', 'signal.throwIfAborted();', ''),
			patch(
				`${ONCE}/sendOnce.js`,
				'await (0, async_1.onceAborted)(acquiring, this.signal)',
				'await acquiring',
			),
			patch(
				'nodes/BusinessData/transport/attempt.js',
				'= (0, async_1.onAbort)(signal,',
				'= signal.aborted ? () => undefined : (0, async_1.onAbort)(signal,',
			),
		],
		test: 'test/engine/sendOnceFailures.test.ts',
	},
	{
		name: 'after Redis was emptied, neither the lease nor the lock is asked for again',
		patches: [
			patch(
				`${ONCE}/sendOnce.js`,
				'return { ...(await acquireInRedis()), missingMs: 0 };',
				"return { state: 'notSent', missingMs: 0 };",
			),
			patch(`${ONCE}/buckets.js`, 'lock?.(id, step) ?? step()', 'step()'),
		],
		test: DIRECTED,
	},
	{
		name: 'a request that was lost is counted no longer than one that got a response',
		patches: [
			patch(
				`${LIMITER}/permit.js`,
				'ended(lateMs) {',
				'ended(lateMs) {\n        lateMs = Math.min(0, lateMs);',
			),
		],
		test: DIRECTED,
	},
	{
		name: 'two workflows share one record',
		patches: [patch(`${ONCE}/sendOnce.js`, 'const parts = [workflowId, ', "const parts = ['', ")],
		test: DIRECTED,
	},
	{
		name: 'Redis forgets the newest keys instead of the oldest',
		patches: [patch(`${ONCE}/redisScripts.js`, '0, -most - 1))', 'most, -1))')],
		test: DIRECTED,
	},
	{
		name: 'a read that was stopped gives its slot back early',
		patches: [
			patch(
				'nodes/BusinessData/transport/attempt.js',
				'failure.isTimeout || signal.aborted',
				'failure.isTimeout',
			),
		],
		test: DIRECTED,
	},
	{
		name: 'a later page takes back that records have moved',
		patches: [
			patch(
				'nodes/BusinessData/trigger/readList.js',
				'if (page.hasMoved)\n            read.hasMoved = true;',
				'read.hasMoved = page.hasMoved;',
			),
		],
		test: 'test/engine/triggerReads.test.ts',
	},
	...[
		['keeps its place', '>', '0'],
		['loses its place', '>', 'count'],
	].map(([what, sign = '', most = '']) => ({
		name: `tickets for room that were used in part: the holder ${what}`,
		patches: [patch(`${LIMITER}/tickets.js`, 'own.length >= count', `own.length ${sign} ${most}`)],
		test: TICKET_TESTS,
	})),
	{
		name: 'two processes issue tickets for the same room in Redis',
		patches: [
			patch(`${LIMITER}/redis/script.js`, 'if call.version ~= version then return 0 end', ''),
		],
		test: TICKET_TESTS,
	},
	{
		name: 'a request that has failed is admitted once more',
		patches: [
			patch(`${LIMITER}/queue.js`, 'this.delete(permit);\n        permit.refuse', 'permit.refuse'),
		],
		test: 'test/unit/rateLimit/queue.test.ts',
	},
	...[
		['is young', 'performance.now()'],
		['is not yet', 'performance.now() + ageMs'],
	].map(([what, moment = '']) => ({
		name: `what a process has learned of other clients ${what} in another`,
		patches: [patch(`${LIMITER}/otherClients.js`, 'performance.now() - ageMs', moment)],
		test: 'test/unit/rateLimit/processes.test.ts',
	})),
	{
		name: 'the time until a limit has room leaves out the requests that wait',
		patches: [patch(`${LIMITER}/keyLimiter.js`, '([state], queued)', '([state], 0)')],
		test: LIMITER_TESTS,
	},
	{
		name: 'a slot is held for its window without a margin',
		patches: [
			patch(
				`${LIMITER}/limits.js`,
				'return windowMs + Math.max(MARGIN_MS.least, forTimers, windowMs * CLOCK_DRIFT);',
				'return windowMs;',
			),
		],
		test: LIMITER_TESTS,
	},
	{
		// Of use only where Redis is lost twice.
		name: 'a process enters its slots in Redis again only once',
		patches: [
			patch(
				`${LIMITER}/redis/redisLimitStore.js`,
				'this.enterAll().finally(() => (this.entering = undefined))',
				'this.enterAll()',
			),
		],
		test: 'test/unit/rateLimit/redisLosses.test.ts',
	},
];
