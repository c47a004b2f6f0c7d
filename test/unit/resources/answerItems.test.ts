/** Output items from answers: one per element of a list. */
import { itemsOf, toItem } from '../../../nodes/BusinessData/resources/answerItems';
import { answerOf } from '../transport/examples';

describe('the items of an answer', () => {
	test.each<[string, unknown, unknown[]]>([
		['an object', { id: 1 }, [{ id: 1 }]],
		['a list of objects', [{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 2 }]],
		[
			'a list of anything',
			['a', 5, null, [1]],
			[{ data: 'a' }, { data: 5 }, { data: null }, { data: [1] }],
		],
		['an object with a list', { items: [1] }, [{ items: [1] }]],
		['a text', '"done"', [{ data: 'done' }]],
		['null', 'null', [{ data: null }]],
		['an empty list', [], []],
		['nothing', '', [{ statusCode: 204 }]],
	])('with %s', (_, body, items) => {
		expect(itemsOf(answerOf(body, { statusCode: 204 }), 3)).toEqual(
			items.map((json) => ({ json, pairedItem: { item: 3 } })),
		);
	});

	test('are none in a web page', () => {
		expect(() => itemsOf(answerOf('<html>'), 0)).toThrow('a web page instead of JSON');
	});

	test('belong to the item that asked', () => {
		expect(toItem({ a: 1 }, 7)).toEqual({ json: { a: 1 }, pairedItem: { item: 7 } });
	});
});
