/** Mistakes of the limiter: too much goes out, or nothing does. */
import type { Mistake } from './mistake';

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
			{
				file: WINDOW,
				search: '        this.slots.add(slot);\n',
				replace: '        this.slots.add(slot);\n        slot.takenAt ??= performance.now();\n',
			},
			{
				file: WINDOW,
				search: 'this.countedAt = performance.now() +',
				replace: 'this.countedAt = this.takenAt +',
			},
		],
		seed: 2,
		shows: 'limit exceeded',
	},
	{
		name: 'a hold is cut short',
		patches: [
			{
				file: 'nodes/BusinessData/rateLimit/limits.js',
				search: 'return windowMs + Math.max(',
				replace: 'return windowMs * 0.9 + Math.max(',
			},
		],
		seed: 1,
		shows: 'limit exceeded',
	},
	{
		name: 'a lost wake-up: nobody hears of a slot that comes free',
		patches: [
			{
				file: WINDOW,
				search: 'for (const resolve of this.waiting)\n                resolve();',
				replace: '',
			},
		],
		seed: 1,
		shows: 'execution without end',
	},
	{
		name: 'slots leak when the run is stopped in the moment of their grant',
		patches: [
			{
				file: PASSAGE,
				search: 'freeSlots();\n                throw error;',
				replace: 'throw error;',
			},
		],
		seed: 9,
		shows: 'slot left',
	},
	{
		name: 'slots leak when the run is stopped in the moment of their grant, and Get Status hides them',
		patches: [
			{
				file: PASSAGE,
				search: 'freeSlots();\n                throw error;',
				replace: 'throw error;',
			},
			{ file: LIMITER, search: USED, replace: `0 * ${USED}` },
		],
		seed: 9,
		shows: 'slot left',
	},
	{
		name: 'Get Status leaves out what is counted in memory',
		patches: [{ file: LIMITER, search: USED, replace: 'shared.used' }],
		seed: 1,
		shows: 'status is not so',
	},
	{
		name: 'a request that was never sent keeps its slots',
		patches: [
			{
				file: PERMIT,
				search: 'slot.free();\n        this.shared?.free();',
				replace: ';',
			},
		],
		seed: 3,
		shows: 'slot left',
	},
	{
		name: 'a settle command is lost for good, and no later command shows it',
		patches: [
			{ file: REQUEST, search: '        this.send(scripts_1.COMPLETE, lateMs);', replace: '' },
			{ file: SCRIPTS, search: 'isLost or older < -unsure', replace: 'isLost' },
		],
		seed: 3,
		shows: 'waits although there is room',
	},
	{
		name: 'each process counts alone',
		patches: [
			{
				file: REQUEST,
				search: "else if (kind === 'full')",
				replace: "else if (kind === 'full' && false)",
			},
			{
				file: REQUEST,
				search: "else if (kind === 'taken')",
				replace: "else if (kind === 'taken' || kind === 'full')",
			},
		],
		seed: 3,
		shows: 'limit exceeded',
	},
	{
		name: 'a place in the queue is kept by a process that died',
		patches: [
			{
				file: SCRIPTS,
				search: 'const PLACE_KEPT_MS = 2_000;',
				replace: 'const PLACE_KEPT_MS = 1_800_000;',
			},
		],
		seed: 45,
		shows: 'waits although there is room',
	},
	{
		name: 'a send starves behind those of other processes: its place lapses while it waits here',
		patches: [
			{
				file: REQUEST,
				search: 'if (this.placeTimer !== undefined ||',
				replace: 'if (true ||',
			},
			{
				file: SCRIPTS,
				search: 'const PLACE_KEPT_MS = 2_000;',
				replace: 'const PLACE_KEPT_MS = 0;',
			},
		],
		seed: 919,
		shows: 'starves',
	},
	{
		name: 'the limiter of a key is never dropped',
		patches: [{ file: LIMITER, search: 'clearInterval(this.keepAlive);', replace: '' }],
		seed: 1,
		shows: 'timer left',
	},
];
