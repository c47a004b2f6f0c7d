/** What comes out of a poll in which several things happen to one record. */
import { Events } from '../../../nodes/BusinessData/trigger/events';

type Step = 'created' | 'deleted' | [before: string, now: string, changedFields?: string[]];

test.each<[string, Step[], Array<[change: string, changedFields?: string[]]>]>([
	['an update', [['a', 'b', ['x']]], [['Updated', ['x']]]],
	['an update of unknown fields', [['a', 'b']], [['Updated']]],
	[
		'two updates',
		[
			['a', 'b', ['x', 'y']],
			['b', 'c', ['y', 'z']],
		],
		[['Updated', ['x', 'y', 'z']]],
	],
	[
		'two, of which one has unknown fields',
		[
			['a', 'b'],
			['b', 'c', ['x']],
		],
		[['Updated']],
	],
	[
		'an update that is taken back',
		[
			['a', 'b', ['x']],
			['b', 'a', ['x']],
		],
		[],
	],
	[
		'one that is made once more',
		[
			['a', 'b'],
			['b', 'a'],
			['a', 'b', ['x']],
		],
		[['Updated', ['x']]],
	],
	['a creation and an update', ['created', ['a', 'b', ['x']]], [['Created']]],
	['a creation and updates to and fro', ['created', ['a', 'b'], ['b', 'a']], [['Created']]],
	['a creation and a deletion', ['created', 'deleted'], []],
	['an update and a deletion', [['a', 'b'], 'deleted'], [['Deleted']]],
])('%s', (_, steps, expected) => {
	const events = new Events();
	for (const [index, step] of steps.entries()) {
		const record = { step: index };
		if (step === 'created') events.created('1', record);
		else if (step === 'deleted') {
			events.deleted('1', { id: 1, hash: '', missed: 2, isSeen: false }, ['data', 'id']);
		} else events.updated('1', record, { before: step[0], now: step[1] }, step[2]);
	}
	const last = { step: steps.length - 1 };
	expect(events.list).toStrictEqual(
		expected.map(([change, changedFields]) => ({
			change,
			record: change === 'Deleted' ? { data: { id: 1 } } : last,
			...(changedFields === undefined ? {} : { changedFields }),
		})),
	);
});
