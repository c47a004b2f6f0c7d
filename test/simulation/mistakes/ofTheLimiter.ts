/** Mistakes of the limiter: too much goes out, or nothing does. */
import { type Mistake, patch } from './mistake';

const WINDOW = 'nodes/BusinessData/rateLimit/window.js';
const LIMITER = 'nodes/BusinessData/rateLimit/keyLimiter.js';
const PERMIT = 'nodes/BusinessData/rateLimit/permit.js';
const STORE = 'nodes/BusinessData/rateLimit/redis/redisLimitStore.js';
const SCRIPT = 'nodes/BusinessData/rateLimit/redis/script.js';
const USED = 'used: freeAt.length';

const KEEPS_UNUSED_SLOTS = patch(PERMIT, 'this.ended(-Infinity);', '');

export const MISTAKES_OF_THE_LIMITER: Mistake[] = [
	{
		name: 'a slot is freed a window after the request, not after its response',
		patches: [
			patch(PERMIT, 'this.countedAt = performance.now() +', 'this.countedAt = this.sentAt +'),
		],
		seed: 2,
		shows: 'limit exceeded',
	},
	{
		name: 'a hold is cut short',
		patches: [
			patch(
				'nodes/BusinessData/rateLimit/limits.js',
				'return windowMs + Math.max(',
				'return windowMs * 0.9 + Math.max(',
			),
		],
		seed: 1,
		shows: 'limit exceeded',
	},
	{
		name: 'a lost wake-up: nobody hears of a slot that comes free',
		patches: [patch(WINDOW, '        this.onFreed();\n', '')],
		seed: 1,
		shows: 'execution without end',
	},
	{
		name: 'Get Status leaves out what is counted in memory',
		patches: [patch(LIMITER, '= permits.map((permit) => permit.countedAt ?? now)', '= []')],
		seed: 1,
		shows: 'status is not so',
	},
	{
		name: 'a request that was never sent keeps its slots',
		patches: [KEEPS_UNUSED_SLOTS],
		seed: 3,
		shows: 'slot left',
	},
	{
		name: 'a request that was never sent keeps its slots, and Get Status hides them',
		patches: [KEEPS_UNUSED_SLOTS, patch(LIMITER, USED, 'used: 0 * freeAt.length')],
		seed: 3,
		shows: 'slot left',
	},
	{
		name: 'what came of a request is lost for good, and no later command shows it',
		patches: [
			patch(STORE, 'if (id === undefined)\n', 'if (id === undefined || !isUnused)\n'),
			patch(SCRIPT, 'if math.abs(older) > unsure then', 'if older > unsure then'),
		],
		seed: 3,
		shows: 'waits although there is room',
	},
	{
		name: 'each process counts alone',
		patches: [
			patch(STORE, 'if (isTaken === 1) {', 'if (true) {'),
			patch(STORE, 'return { isTaken: isTaken === 1,', 'return { isTaken: true,'),
		],
		seed: 3,
		shows: 'limit exceeded',
	},
	{
		name: 'a place in the queue is kept by a process that died',
		patches: [patch(SCRIPT, 'const PLACE_KEPT_MS = 2_000;', 'const PLACE_KEPT_MS = 1_800_000;')],
		seed: 45,
		shows: 'waits although there is room',
	},
	{
		name: 'the limiter of a key is never dropped',
		patches: [patch(LIMITER, 'return this.onChange(this.open === 0);', 'return;')],
		seed: 1,
		shows: 'entry left',
	},
];
