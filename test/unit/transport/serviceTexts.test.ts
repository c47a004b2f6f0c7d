/** A service's texts in an error: none is lost, and they stay short and harmless whatever the body is. */
import * as fc from 'fast-check';

import { responseError } from '../../../nodes/BusinessData/transport/errorTexts';
import { processorSeconds } from '../../support/processorTime';
import { responseOf, send } from './examples';

const errorOf = (body: unknown, headers = {}) =>
	responseError(send, responseOf(body, { statusCode: 409, headers }));
const violation = (at: string, message: string) => ({ at, message });

test.each<[unknown, string]>([
	[{ error: true, MESSAGE: '  Name\r\n\tis   missing\n' }, 'Name is missing'],
	[{ violations: [violation('a', 'x'), violation('b', 'y')] }, 'x; at: a; y; at: b'],
	['"Name is missing"', 'Name is missing'],
	[{ detail: [{ loc: ['body', 'line'], msg: 'is due' }] }, 'is due; loc: body; loc: line'],
	[{ error: 1042 }, 'error: 1042'],
	[{ errors: [1042, 7] }, 'errors: 1042; errors: 7'],
	[{ _server_messages: '["{\\"message\\": \\"Is linked\\"}"]' }, 'Is linked'],
	['<error field="code">is <![CDATA[taken & gone]]></error>', 'is taken & gone'],
	['a=is%20taken&b_c=', 'a: is taken; b_c:'],
	['< 5 < 6', '< 5 < 6'],
	['<p>a&constructor;b</p>', 'a&constructor;b'],
	['<h1>Bad</h1><script>var x</script>&#90;&#x5a;Z &lt;&apos;&none;', "Bad; ZZZ <'&none;"],
	['{"a":"b"}', 'a: b'],
])('the body %j is shown as %s', (body, words) => {
	expect(errorOf(body).message).toBe(`The service answered 409 Conflict: ${words}`);
});

test.each(['', ' \n', {}, [], '42', 'null', { error: 'conflict' }])('%j adds no text', (body) => {
	expect(errorOf(body).message).toBe('The service answered 409 Conflict');
});

test('a message holds 300 characters, a description 2,000 more, and the body 10,000', () => {
	const { message, details } = errorOf('x'.repeat(1_000_000));
	expect(message).toHaveLength('The service answered 409 Conflict: …'.length + 300);
	expect(details.description).toMatch(/The service also said: x{2000}…$/);
	expect(details.responseBody).toHaveLength(10_000);
	const several = errorOf({ errors: ['a'.repeat(200), 'b'.repeat(98), 'c'], id: 'd' });
	expect(several.message).toMatch(/a{200}; b{98}$/);
	expect(several.details.description).toMatch(/ The service also said: c; id: d$/);
});

test('every text of a JSON body is in the message or the description', () => {
	const word = fc.stringMatching(/^[a-z]{3,9}$/);
	const { tree } = fc.letrec((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 5 },
			word,
			fc.array(tie('tree'), { maxLength: 3 }),
			fc.dictionary(word, tie('tree'), { maxKeys: 3 }),
		),
	}));
	const leaves = (value: unknown): string[] =>
		typeof value === 'string' ? [value] : Object.values(value as object).flatMap(leaves);
	fc.assert(
		fc.property(tree, (body) => {
			const { message, details } = errorOf(JSON.stringify(body));
			const texts = leaves(body);
			if (texts.join('').length > 1_000) return;
			for (const text of texts) expect(`${message} ${details.description}`).toContain(text);
		}),
	);
});

test.each([
	['<', '<'.repeat(1_000_000)],
	['<!--', '<!--'.repeat(250_000)],
	['<script>', '<script>'.repeat(100_000)],
	['[', '['.repeat(100_000)],
	['{"a":', '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)],
	[
		'messages',
		JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ message: `text ${index}` }))),
	],
])('a long body of %s is read within seconds', (_, body) => {
	expect(processorSeconds(() => void errorOf(body))).toBeLessThan(20);
});
