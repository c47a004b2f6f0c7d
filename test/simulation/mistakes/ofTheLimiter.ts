/** Mistakes of the limiter: too much goes out, or nothing does. */
import { type Mistake, patch } from './mistake';

const WINDOW = 'nodes/BusinessData/rateLimit/window.js';
const LIMITER = 'nodes/BusinessData/rateLimit/keyLimiter.js';
const PASSAGE = 'nodes/BusinessData/rateLimit/gates.js';
const PERMIT = 'nodes/BusinessData/rateLimit/permit.js';
const REQUEST = 'nodes/BusinessData/rateLimit/redis/redisRequest.js';
const SCRIPTS = 'nodes/BusinessData/rateLimit/redis/scripts.js';
const USED = 'Math.max(window.window.used, shared.used)';

export const MISTAKES_OF_THE_LIMITER: Mistake[] = [
	{
		name: 'a slot is freed a window after the request, not after its response',
		patches: [
			patch(
				WINDOW,
				'        this.slots.add(slot);\n',
				'        this.slots.add(slot);\n        slot.takenAt ??= performance.now();\n',
			),
			patch(WINDOW, 'this.countedAt = performance.now() +', 'this.countedAt = this.takenAt +'),
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
		patches: [patch(WINDOW, 'for (const resolve of this.waiting)\n                resolve();', '')],
		seed: 1,
		shows: 'execution without end',
	},
	{
		name: 'slots leak when the run is stopped in the moment of their grant',
		patches: [patch(PASSAGE, 'freeSlots();\n                throw error;', 'throw error;')],
		seed: 9,
		shows: 'slot left',
	},
	{
		name: 'slots leak when the run is stopped in the moment of their grant, and Get Status hides them',
		patches: [
			patch(PASSAGE, 'freeSlots();\n                throw error;', 'throw error;'),
			patch(LIMITER, USED, `0 * ${USED}`),
		],
		seed: 9,
		shows: 'slot left',
	},
	{
		name: 'Get Status leaves out what is counted in memory',
		patches: [patch(LIMITER, USED, 'shared.used')],
		seed: 1,
		shows: 'status is not so',
	},
	{
		name: 'a request that was never sent keeps its slots',
		patches: [patch(PERMIT, 'slot.free();\n        this.shared?.free();', ';')],
		seed: 3,
		shows: 'slot left',
	},
	{
		name: 'a settle command is lost for good, and no later command shows it',
		patches: [
			patch(REQUEST, '        this.send(scripts_1.COMPLETE, lateMs);', ''),
			patch(SCRIPTS, 'isLost or older < -unsure', 'isLost'),
		],
		seed: 3,
		shows: 'waits although there is room',
	},
	{
		name: 'each process counts alone',
		patches: [
			patch(REQUEST, "else if (kind === 'full')", "else if (kind === 'full' && false)"),
			patch(REQUEST, "else if (kind === 'taken')", "else if (kind === 'taken' || kind === 'full')"),
		],
		seed: 3,
		shows: 'limit exceeded',
	},
	{
		name: 'a place in the queue is kept by a process that died',
		patches: [patch(SCRIPTS, 'const PLACE_KEPT_MS = 2_000;', 'const PLACE_KEPT_MS = 1_800_000;')],
		seed: 45,
		shows: 'waits although there is room',
	},
	{
		name: 'a send starves behind those of other processes: its place lapses while it waits here',
		patches: [
			patch(REQUEST, 'if (this.placeTimer !== undefined ||', 'if (true ||'),
			patch(SCRIPTS, 'const PLACE_KEPT_MS = 2_000;', 'const PLACE_KEPT_MS = 0;'),
		],
		seed: 919,
		shows: 'starves',
	},
	{
		name: 'the limiter of a key is never dropped',
		patches: [patch(LIMITER, 'clearInterval(this.keepAlive);', '')],
		seed: 1,
		shows: 'timer left',
	},
];
