/** Mistakes of Send Once: a document goes out twice, or never. */
import { type Mistake, patch } from './mistake';

const ROW = 'nodes/BusinessData/sendOnce/keyRow.js';

export const MISTAKES_OF_SEND_ONCE: Mistake[] = [
	{
		name: 'a document goes out without a record',
		patches: [
			patch(
				ROW,
				'return await this.add([this.token, KNOWN, this.ownContent, OPEN]);',
				'return true;',
			),
		],
		seed: 4,
		shows: 'acted twice',
	},
	{
		name: 'a sender takes the record of another for its own',
		patches: [
			patch(ROW, "return state === 'perhapsSent' && owner === this.token;", 'return true;'),
		],
		seed: 14,
		shows: 'acted twice',
	},
	{
		name: 'a lease never ends',
		patches: [patch('nodes/BusinessData/sendOnce/leases.js', '            end();\n', '')],
		seed: 14,
		shows: 'execution without end',
	},
	{
		name: 'the key of a refused document stays on record',
		patches: [
			patch(
				'nodes/BusinessData/sendOnce/sendOnce.js',
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
			patch(
				'nodes/BusinessData/sendOnce/sentKeys.js',
				'others.slice(0, Math.max(0, others.length + 1 - most))',
				'others.length < most ? [] : [id.name].map(keyRow_1.rowNameOf)',
			),
		],
		seed: 11,
		shows: 'acted twice',
	},
];
