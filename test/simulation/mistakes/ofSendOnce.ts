/** Mistakes of Send Once: a document goes out twice, or never. */
import { type Mistake, patch } from './mistake';

const STATE = 'nodes/BusinessData/sendOnce/processState.js';
const ONCE = 'nodes/BusinessData/sendOnce/sendOnce.js';
const REDIS = 'nodes/BusinessData/sendOnce/redisRecord.js';
const STORED = 'nodes/BusinessData/sendOnce/storedKey.js';

export const MISTAKES_OF_SEND_ONCE: Mistake[] = [
	{
		name: 'processes do not see the leases of others',
		patches: [
			patch(
				REDIS,
				'async acquire(token, durationMs, isForced) {',
				"async acquire(token, durationMs, isForced) {\n        return { state: 'notSent', missingMs: 0 };",
			),
			patch(STORED, 'if (!isNew) {', 'if (false) {'),
		],
		seed: 14,
		shows: 'acted twice',
	},
	{
		name: 'a lease never ends',
		patches: [patch(STATE, '        end();\n', '')],
		seed: 14,
		shows: 'execution without end',
	},
	{
		name: 'the key of a refused document stays on record',
		patches: [
			patch(
				ONCE,
				"state === 'notSent' && this.mayBeSent ? 'perhapsSent'",
				"state === 'notSent' ? 'perhapsSent'",
			),
		],
		seed: 14,
		shows: 'untrue result',
	},
	{
		name: 'the key of a document whose response was lost is taken back',
		patches: [
			patch(
				'nodes/BusinessData/transport/attempt.js',
				"error.details.outcome === 'unknown' ? 'perhapsSent' : 'notSent'",
				"'notSent'",
			),
		],
		seed: 69,
		shows: 'acted twice',
	},
	{
		name: 'a memory that is full forgets others than the oldest keys',
		patches: [
			patch('nodes/BusinessData/sendOnce/redisScripts.js', '0, -most - 1)', 'most, -1)'),
			patch(
				'nodes/BusinessData/n8nInternals/deduplicationStore.js',
				'maxEntries: most }',
				'maxEntries: most && 1 }',
			),
		],
		seed: 4,
		shows: 'acted twice',
	},
];
