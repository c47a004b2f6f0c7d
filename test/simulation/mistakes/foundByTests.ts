/** Mistakes that no seed is sure to find, and a test of `npm test` is. */
import type { MistakeFoundByTest } from './mistake';

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
			{
				file: `${ONCE}/processState.js`,
				search: 'processState().steps.runExclusive(bucket, async_1.never, step)',
				replace: 'step()',
			},
			{
				file: `${ONCE}/processState.js`,
				search: 'return processState().leases.get(name);',
				replace: 'return undefined;',
			},
		],
		test: ORDERS,
	},
	{
		name: 'a run that meets a lease takes it for a document that was sent',
		patches: [
			{
				file: `${ONCE}/sendOnce.js`,
				search:
					'if (other !== undefined)\n            return { ended: other };\n        const { state: inRedis',
				replace:
					"if (other !== undefined)\n            return { state: 'sent', isOther: false, isLost: false };\n        const { state: inRedis",
			},
		],
		test: ORDERS,
	},
	{
		name: 'others have the key before its end is on record',
		patches: [
			{
				file: `${ONCE}/sendOnce.js`,
				search: '        const ended = isOut',
				replace: '        lease.release();\n        const ended = isOut',
			},
		],
		test: ORDERS,
	},
	{
		name: 'what a lease has left that failed is not looked after',
		patches: [
			{
				file: `${ONCE}/storedKey.js`,
				search: 'this.expectNothing(bucket);\n                await',
				replace: 'await',
			},
		],
		test: ORDERS,
	},
	{
		name: 'a lease that a late write has overwritten is lost',
		patches: [
			{
				file: `${ONCE}/storedKey.js`,
				search: 'this.expectThere(bucket, details);\n            return',
				replace: 'return',
			},
		],
		test: ORDERS,
	},
	{
		name: 'a command that is late leases a key whose sender is done',
		patches: [
			{
				file: `${ONCE}/redisScripts.js`,
				search: "return redis.call('GET', KEYS[4])",
				replace: 'return false',
			},
		],
		test: ORDERS,
	},
	{
		name: 'a stop while the key is recorded lets the request out',
		patches: [
			{
				file: 'nodes/BusinessData/transport/client.js',
				search: 'signal.throwIfAborted();',
				replace: '',
			},
			{
				file: `${ONCE}/sendOnce.js`,
				search: 'await (0, async_1.onceAborted)(acquiring, this.signal)',
				replace: 'await acquiring',
			},
			{
				file: 'nodes/BusinessData/transport/attempt.js',
				search: 'if (signal.aborted)\n        onEndOfRun.abort();',
				replace: '',
			},
		],
		test: 'test/engine/sendOnceFailures.test.ts',
	},
	{
		name: 'after Redis was emptied, neither the lease nor the lock is asked for again',
		patches: [
			{
				file: `${ONCE}/sendOnce.js`,
				search: 'return { ...(await acquireInRedis()), missingMs: 0 };',
				replace: "return { state: 'notSent', missingMs: 0 };",
			},
			{
				file: `${ONCE}/buckets.js`,
				search: 'lock === undefined ? step',
				replace: 'true ? step',
			},
		],
		test: DIRECTED,
	},
	{
		name: 'a request that was lost is counted no longer than one that got a response',
		patches: [
			{
				file: `${LIMITER}/permit.js`,
				search: '        this.hold(lateMs);',
				replace: '        this.hold(0);',
			},
		],
		test: DIRECTED,
	},
	{
		name: 'two workflows share one record',
		patches: [
			{
				file: `${ONCE}/sendOnce.js`,
				search: 'const parts = [workflowId, ',
				replace: "const parts = ['', ",
			},
		],
		test: DIRECTED,
	},
	{
		name: 'Redis forgets the newest keys instead of the oldest',
		patches: [{ file: `${ONCE}/redisScripts.js`, search: '0, -most - 1))', replace: 'most, -1))' }],
		test: DIRECTED,
	},
	{
		name: 'a read that was stopped gives its slot back early',
		patches: [
			{
				file: 'nodes/BusinessData/transport/attempt.js',
				search: 'failure.isTimeout || signal.aborted',
				replace: 'failure.isTimeout',
			},
		],
		test: DIRECTED,
	},
	{
		name: 'a later page takes back that records have moved',
		patches: [
			{
				file: 'nodes/BusinessData/trigger/readList.js',
				search: 'if (page.hasMoved)\n            read.hasMoved = true;',
				replace: 'read.hasMoved = page.hasMoved;',
			},
		],
		test: 'test/engine/triggerReads.test.ts',
	},
	...[
		['keeps its place', 'mine.left >= count', 'mine.left > 0'],
		['loses its place', 'mine.left >= count', 'mine.left > count'],
	].map(([what, search = '', replace = '']) => ({
		name: `a ticket for room that was used in part ${what}`,
		patches: [{ file: `${LIMITER}/tickets.js`, search, replace }],
		test: TICKET_TESTS,
	})),
	...[
		['keeps its place', 'if #mine < together then', 'if false then'],
		['loses its place', 'if #mine < together then', 'if #mine <= together then'],
	].map(([what, search = '', replace = '']) => ({
		name: `a ticket for room in Redis that was used in part ${what}`,
		patches: [{ file: `${LIMITER}/redis/roomScripts.js`, search, replace }],
		test: TICKET_TESTS,
	})),
	...['now', 'now + ageMs'].map((learnedAt) => ({
		name: `what a process has learned of other clients, ${learnedAt === 'now' ? 'is young' : 'is not yet'} in another`,
		patches: [
			{
				file: `${LIMITER}/otherClients.js`,
				search: 'learnedAt: now - ageMs',
				replace: `learnedAt: ${learnedAt}`,
			},
		],
		test: 'test/unit/rateLimit/processes.test.ts',
	})),
	{
		name: 'the time until a limit has room leaves out the requests that wait',
		patches: [
			{
				file: `${LIMITER}/keyLimiter.js`,
				search: '([window], queued)',
				replace: '([window], 0)',
			},
		],
		test: LIMITER_TESTS,
	},
	{
		name: 'a slot is held for its window without a margin',
		patches: [
			{
				file: `${LIMITER}/limits.js`,
				search:
					'return windowMs + Math.max(SHORTEST_MARGIN_MS, forTimers, windowMs * CLOCK_DRIFT);',
				replace: 'return windowMs;',
			},
		],
		test: LIMITER_TESTS,
	},
	{
		// Of use only where Redis is lost twice.
		name: 'a process enters its slots in Redis again only once',
		patches: [
			{
				file: `${LIMITER}/redis/redisLimitStore.js`,
				search: 'this.enterAll().finally(() => (this.entering = undefined))',
				replace: 'this.enterAll()',
			},
		],
		test: 'test/unit/rateLimit/redisLosses.test.ts',
	},
];
