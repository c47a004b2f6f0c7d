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
		name: 'a record that another process was first to make counts as one’s own',
		patches: [
			patch(
				`${ONCE}/keyRow.js`,
				'return (await (0, storeErrors_1.inStore)(async () => await this.row.add(entries))).includes(KNOWN);',
				'return (await (0, storeErrors_1.inStore)(async () => await this.row.add(entries))), true;',
			),
		],
		test: ORDERS,
	},
	{
		name: 'a run that meets a lease takes it for a document that may have been sent',
		patches: [
			patch(
				`${ONCE}/sendOnce.js`,
				"if (typeof missing !== 'number')\n                return missing;",
				"if (typeof missing !== 'number')\n                return state;",
			),
		],
		test: ORDERS,
	},
	{
		name: 'others have the key before its end is on record',
		patches: [
			patch(
				`${ONCE}/sendOnce.js`,
				'await row.end(end, { isLeased: true });',
				'release();\n            await row.end(end, { isLeased: true });',
			),
		],
		test: ORDERS,
	},
	{
		name: 'the end of a document is not recorded',
		patches: [
			patch(
				`${ONCE}/keyRow.js`,
				"if (state === 'sent')\n                await (0, storeErrors_1.inStore)(async () => await this.row.remove([OPEN]));",
				'',
			),
		],
		test: ORDERS,
	},
	{
		name: 'what a record has left that failed is not looked after',
		patches: [patch(`${ONCE}/keyRow.js`, "this.watch('notSent');\n            if", 'if')],
		test: ORDERS,
	},
	{
		name: 'what is undone is the record of another sender',
		patches: [
			patch(
				`${ONCE}/keyRow.js`,
				"if (found.owner !== token || found.state !== 'perhapsSent')",
				"if (found.state !== 'perhapsSent')",
			),
		],
		test: ORDERS,
	},
	{
		name: 'a deletion that lands late takes the record of the next sender with it',
		patches: [
			patch(
				`${ONCE}/keyRow.js`,
				'isLeased &&= performance.now() - failedAt < exports.LATE_MS;',
				'isLeased = false;',
			),
		],
		test: ORDERS,
	},
	{
		name: 'in a Redis that was emptied, what is under way counts as perhaps sent',
		patches: [patch(`${ONCE}/leases.js`, 'return math.max(0, missing)', 'return 0')],
		test: 'test/unit/sendOnce/leases.test.ts',
	},
	{
		name: 'what is sent again after a release is among the oldest',
		patches: [patch(`${ONCE}/sentKeys.js`, 'await row.remove([id.name]);\n    await', 'await')],
		test: 'test/unit/sendOnce/sentKeys.test.ts',
	},
	{
		name: 'a stop while the key is recorded lets the request out',
		patches: [
			patch('nodes/BusinessData/transport/client.js', 'signal.throwIfAborted();', ''),
			patch(
				`${ONCE}/sendOnce.js`,
				'await (0, async_1.onceAborted)(acquiring, this.run.signal)',
				'await acquiring',
			),
			patch(
				'nodes/BusinessData/transport/attempt.js',
				'(0, async_1.onAbort)(signal, ',
				'(0, async_1.onAbort)(signal.aborted ? async_1.never : signal, ',
			),
		],
		test: 'test/engine/sendOnceFailures.test.ts',
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
		patches: [
			patch(`${ONCE}/sendOnce.js`, 'const parts = [workflowId, ', "const parts = ['', "),
			patch(`${ONCE}/sendOnce.js`, 'const id = { workflowId, ', "const id = { workflowId: 'w', "),
		],
		test: DIRECTED,
	},
	{
		name: 'a read that was stopped gives its slot back early',
		patches: [
			patch('nodes/BusinessData/transport/attempt.js', 'isTimeout || signal.aborted', 'isTimeout'),
		],
		test: DIRECTED,
	},
	{
		name: 'a later page takes back that records have moved',
		patches: [
			patch(
				'nodes/BusinessData/trigger/comparePage.js',
				'const onPage = new Set();',
				'const onPage = new Set();\n    read.hasMoved = undefined;',
			),
		],
		test: 'test/unit/trigger/reads.test.ts',
	},
	{
		name: 'a contact that was deleted is never told',
		patches: [
			patch(
				'nodes/BusinessData/trigger/endRead.js',
				"const enough = type === 'none' || isStill ? 2 : state_1.MOST_MISSED;",
				'const enough = Infinity;',
			),
		],
		test: 'test/unit/trigger/reads.test.ts',
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
		name: 'slots leak when the run is stopped in the moment of their grant',
		patches: [
			patch(
				`${LIMITER}/keyLimiter.js`,
				'permit.unused();\n            throw error;',
				'throw error;',
			),
		],
		test: LIMITER_TESTS,
	},
	{
		name: 'a send starves behind those of other processes: its place lapses before it asks again',
		patches: [
			patch(
				`${LIMITER}/redis/script.js`,
				'const PLACE_KEPT_MS = 2_000;',
				'const PLACE_KEPT_MS = -2_000;',
			),
		],
		test: 'test/unit/rateLimit/processes.test.ts',
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
