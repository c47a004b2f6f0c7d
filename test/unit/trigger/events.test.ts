/** The events of a poll in which several changes happen to one record. */
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { recordOf } from './examples';

// `a>b:x` is an update from content a to content b, of the field x if it is known.
test.each([
	['an update', 'a>b:x', 'Updated:x'],
	['an update of unknown fields', 'a>b', 'Updated'],
	['two updates', 'a>b:x,y b>c:y,z', 'Updated:x,y,z'],
	['two updates, the first of unknown fields', 'a>b b>c:x', 'Updated'],
	['two updates, the second of unknown fields', 'a>b:x b>c', 'Updated'],
	['an update that is reverted', 'a>b:x b>a:x', ''],
	['an update that is reverted and made again', 'a>b b>a a>b:x', 'Updated:x'],
	['a creation and an update', 'created a>b:x', 'Created'],
	['a creation and an update that is reverted', 'created a>b b>a', 'Created'],
	['a creation and a deletion', 'created deleted', ''],
	['an update and a deletion', 'a>b deleted', 'Deleted'],
])('merges into one event or none: %s', (_, steps, expected) => {
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
