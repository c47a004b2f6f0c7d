/** Mistakes of Send Once: a document goes out twice, or never. */
import type { Mistake } from './mistake';

const STATE = 'nodes/BusinessData/resources/sendOnce/processState.js';
const ONCE = 'nodes/BusinessData/resources/sendOnce/sendOnce.js';
const REDIS = 'nodes/BusinessData/resources/sendOnce/redisRecord.js';
const NODE_RECORD = 'nodes/BusinessData/resources/sendOnce/nodeRecord.js';

export const MISTAKES_OF_SEND_ONCE: Mistake[] = [
	{
		name: 'executions side by side read and write the record as they come',
		patches: [
			{
				file: STATE,
				search: '(turns.get(record) ?? Promise.resolve()).then(step)',
				replace: 'Promise.resolve().then(step)',
			},
			{ file: STATE, search: 'return state().claims.get(name);', replace: 'return undefined;' },
		],
		seed: 14,
		shows: 'acted twice',
	},
	{
		name: 'processes do not see the claims of others',
		patches: [
			{
				file: REDIS,
				search: 'async claim(key, token, durationMs) {',
				replace: "async claim(key, token, durationMs) {\n        return 'free';",
			},
			{ file: NODE_RECORD, search: 'return isNew;', replace: 'return true;' },
		],
		seed: 2,
		shows: 'acted twice',
	},
	{
		name: 'a claim never ends',
		patches: [{ file: STATE, search: '        end();\n', replace: '' }],
		seed: 2,
		shows: 'execution without end',
	},
	{
		name: 'whoever meets a claim takes it for a document that was sent',
		patches: [
			{
				file: ONCE,
				search:
					'if (other !== undefined)\n            return { ended: other };\n        if (this.redis',
				replace: 'if (other !== undefined)\n            return true;\n        if (this.redis',
			},
		],
		seed: 14,
		shows: 'untrue result',
	},
	{
		name: 'the key of a refused document stays on record',
		patches: [
			{
				file: ONCE,
				search: 'if (!mayHaveActed) {\n            this.record.takeBack(this.key);',
				replace: 'if (!mayHaveActed) {',
			},
		],
		seed: 14,
		shows: 'untrue result',
	},
	{
		name: 'the key of a document whose answer was lost is taken back',
		patches: [
			{
				file: 'nodes/BusinessData/transport/attempt.js',
				search: "return outcome.error.details.outcome === 'unknown';",
				replace: 'return false;',
			},
		],
		seed: 70,
		shows: 'acted twice',
	},
];
