/** What comes out of a poll in which several things happen to one record. */
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { recordOf } from './examples';

// An update from one content to another, with the fields that have changed where they are known.
test.each([
	['an update', 'a>b:x', 'Updated:x'],
	['an update of unknown fields', 'a>b', 'Updated'],
	['two updates', 'a>b:x,y b>c:y,z', 'Updated:x,y,z'],
	['two, of which the first has unknown fields', 'a>b b>c:x', 'Updated'],
	['two, of which the second has unknown fields', 'a>b:x b>c', 'Updated'],
	['an update that is taken back', 'a>b:x b>a:x', ''],
	['one that is made once more', 'a>b b>a a>b:x', 'Updated:x'],
	['a creation and an update', 'created a>b:x', 'Created'],
	['a creation and updates to and fro', 'created a>b b>a', 'Created'],
	['a creation and a deletion', 'created deleted', ''],
	['an update and a deletion', 'a>b deleted', 'Deleted'],
])('%s', (_, steps, expected) => {
	const events = new Events();
	for (const step of steps.split(' ')) {
		const record = { step };
		const [, before = '', now = '', fields] = /^(.)>(.):?(.+)?$/.exec(step) ?? [];
		if (step === 'created') events.created('1', record);
		else if (step === 'deleted') events.deleted('1', recordOf(1), 'data.id');
		else events.updated('1', record, { before, now }, fields?.split(','));
	}
	const words = events.list.map(({ change, changedFields }) =>
		[change, ...(changedFields ? [changedFields.join()] : [])].join(':'),
	);
	expect(words.join(' ')).toBe(expected);
	const last = { step: steps.split(' ').at(-1) };
	const record = expected === 'Deleted' ? { data: { id: 1 } } : last;
	expect(events.list.map((event) => event.record)).toEqual(expected === '' ? [] : [record]);
});
