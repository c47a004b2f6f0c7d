/** Mistakes of Send Once: a document goes out twice, or never. */
import type { Mistake } from './mistake';

const STATE = 'nodes/BusinessData/sendOnce/processState.js';
const ONCE = 'nodes/BusinessData/sendOnce/sendOnce.js';
const REDIS = 'nodes/BusinessData/sendOnce/redisRecord.js';
const STORED = 'nodes/BusinessData/sendOnce/storedKey.js';

export const MISTAKES_OF_SEND_ONCE: Mistake[] = [
	{
		name: 'processes do not see the leases of others',
		patches: [
			{
				file: REDIS,
				search: 'async acquire(token, durationMs, isForced) {',
				replace:
					"async acquire(token, durationMs, isForced) {\n        return { state: 'notSent', missingMs: 0 };",
			},
			{ file: STORED, search: 'if (!isNew) {', replace: 'if (false) {' },
		],
		seed: 14,
		shows: 'acted twice',
	},
	{
		name: 'a lease never ends',
		patches: [{ file: STATE, search: '        end();\n', replace: '' }],
		seed: 14,
		shows: 'execution without end',
	},
	{
		name: 'the key of a refused document stays on record',
		patches: [
			{
				file: ONCE,
				search: "state === 'notSent' && this.mayBeSent ? 'perhapsSent'",
				replace: "state === 'notSent' ? 'perhapsSent'",
			},
		],
		seed: 14,
		shows: 'untrue result',
	},
	{
		name: 'the key of a document whose response was lost is taken back',
		patches: [
			{
				file: 'nodes/BusinessData/transport/attempt.js',
				search: "isUnknown ? 'perhapsSent' : 'notSent'",
				replace: "'notSent'",
			},
		],
		seed: 69,
		shows: 'acted twice',
	},
	{
		name: 'a memory that is full forgets others than the oldest keys',
		patches: [
			{
				file: 'nodes/BusinessData/sendOnce/redisScripts.js',
				search: '0, -most - 1)',
				replace: 'most, -1)',
			},
			{
				file: 'nodes/BusinessData/n8nInternals/deduplicationStore.js',
				search: 'maxEntries: most }',
				replace: 'maxEntries: most && 1 }',
			},
		],
		seed: 4,
		shows: 'acted twice',
	},
];
