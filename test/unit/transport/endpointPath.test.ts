/** Paths as users write them: what is accepted, in which form it is sent, and what is refused. */
import {
	canonicalEndpoint,
	parseEndpoint,
	parsePath,
} from '../../../nodes/BusinessData/transport/endpointPath';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { errorOf } from './examples';

describe('a path', () => {
	test.each([
		['/masterdata/getContacts', '/masterdata/getContacts'],
		['masterdata/getContacts', '/masterdata/getContacts'],
		['  /masterdata/getContacts\n', '/masterdata/getContacts'],
		['/masterdata/getContacts/', '/masterdata/getContacts/'],
		['/', '/'],
		['/a%20b', '/a%20b'],
		['/100%25', '/100%25'],
		['/%67etContacts', '/getContacts'],
		['/büro', '/b%C3%BCro'],
		['/b%c3%bcro', '/b%C3%BCro'],
		['/😀', '/%F0%9F%98%80'],
		['/a:b@c$d&e+f,g;h=i', '/a:b@c$d&e+f,g;h=i'],
		["/it's(1)!*~-._", "/it's(1)!*~-._"],
		['/"<>^`{|}', '/%22%3C%3E%5E%60%7B%7C%7D'],
		['/...', '/...'],
		['/a..b/.c', '/a..b/.c'],
		['/contacts:search', '/contacts:search'],
	])('%j is sent as %j', (input, path) => {
		expect(parsePath(input, 'Path')).toEqual({ path, query: [] });
	});

	// RFC 3986 §2.2: an encoded delimiter is data, and "a%3Bb" is another record than "a;b".
	test.each(['/a%3Bb', '/a%2Bb', '/a%3Db', '/a%26b', '/a%40b', '/a%3Ab', '/a%24b', '/a%2Cb'])(
		'the encoded delimiter of %s stays encoded',
		(path) => {
			expect(parsePath(path, 'Path').path).toBe(path);
		},
	);

	test.each([
		[
			'/a?page=2&name=x',
			[
				['page', '2'],
				['name', 'x'],
			],
		],
		['/a?', []],
		['/a?q=b+c%20d', [['q', 'b c d']]],
		['/a?next=/b?c=1', [['next', '/b?c=1']]],
		['?page=2', [['page', '2']]],
		[
			'/a?id=1&id=2',
			[
				['id', '1'],
				['id', '2'],
			],
		],
		['/a?%61piKey=1', [['apiKey', '1']]],
	])('the query of %s is taken apart', (input, expected) => {
		const { path, query } = parsePath(input, 'Path');
		expect(path).not.toContain('?');
		expect(query.map(({ name, value }) => [name, value])).toEqual(expected);
	});
});

test('the query of a path may hold the text null only where a person has written it', () => {
	const path = '/contacts?deletedAt=null';
	expect(parsePath(path, 'Path').query).toEqual([{ name: 'deletedAt', value: 'null' }]);
	expect(() => parsePath(path, 'Path', true)).toThrow('Path: "deletedAt" is the text "null"');
});

describe('a path is refused', () => {
	test.each<[string, string, string]>([
		['empty', '', 'is empty'],
		['white space', ' \t\n', 'is empty'],
		['a full address', 'https://api.example.com/a', 'must be a path below the base URL'],
		['an address with another case', 'HTTPS://api.example.com', 'must be a path below'],
		['a scheme without slashes', 'javascript:alert(1)', 'must be a path below'],
		['a host', '//other.example/a', 'must be a path below'],
		['a host with backslashes', '\\\\other.example\\a', 'must be a path below'],
		['a host with both', '/\\other.example', 'must be a path below'],
		['a host after white space', ' \n//other.example', 'must be a path below'],
		['a fragment', '/a#b', 'contains a character'],
		['a backslash', '/a\\..\\b', 'contains a character'],
		['a space', '/a b', 'contains a character'],
		['a line break', '/a\r\nX-Injected: 1', 'contains a character'],
		['a tab between slashes', '/\t/other.example', 'contains a character'],
		['a null character', '/a\u0000', 'contains a character'],
		['a line separator', '/a\u2028b', 'contains a character'],
		['a no-break space', '/a\u00a0b', 'contains a character'],
		['half a character', '/a\ud83d', 'contains a character'],
		['a control character in the query', '/a?b=\u0007', 'contains a character'],
		['an encoded line break', '/a%0d%0ab', 'contains an encoded control character'],
		['an encoded null character', '/a%00', 'contains an encoded control character'],
		['a doubly encoded null character', '/a%2500', 'contains an encoded control character'],
		['a lone percent sign', '/100%', 'has a % that encodes no character'],
		['bytes that are no text', '/%ff', 'has a % that encodes no character'],
		['an overlong slash', '/..%c0%af..', 'has a % that encodes no character'],
		['going up', '/a/../b', 'must not lead out of its folder'],
		['going up at the start', '../a', 'must not lead out'],
		['going up at the end', '/a/..', 'must not lead out'],
		['the same folder', '/a/./b', 'must not lead out'],
		['going up, encoded', '/%2e%2E/b', 'must not lead out'],
		['going up, half encoded', '/.%2e/b', 'must not lead out'],
		['going up, doubly encoded', '/%252e%252e/b', 'must not lead out'],
		['going up, encoded three times', '/%25252e%25252e/b', 'must not lead out'],
		['going up with path parameters', '/a/..;/b', 'must not lead out'],
		['going up with encoded path parameters', '/a/..%3Bx=1/b', 'must not lead out'],
		['the same folder with path parameters', '/a/.;x/b', 'must not lead out'],
		['an empty segment', '/contacts//lines', 'a segment is empty'],
		['an empty segment at the end', '/contacts//', 'a segment is empty'],
		['white space behind the last slash', '/contacts/ ', 'a segment is empty'],
		['a segment of white space', '/contacts/%20/lines', 'a segment is empty'],
		['a segment that nobody sees', '/contacts/\u200b/lines', 'a segment is empty'],
		['a segment of path parameters alone', '/contacts/;v=1/lines', 'a segment is empty'],
		['a value that is missing', '/contacts/undefined', 'a segment is the text "undefined"'],
		['null', '/contacts/null/lines', 'a segment is the text "null"'],
		['an object', '/contacts/[object%20Object]', 'a segment is the text "[object Object]"'],
		['an invalid date', '/days/Invalid%20DateTime', 'a segment is the text "Invalid DateTime"'],
		['an encoded slash', '/a%2fb', 'must not lead out'],
		['an encoded backslash', '/a%5Cb', 'must not lead out'],
		['a doubly encoded slash', '/a%252Fb', 'must not lead out'],
		['a doubly encoded slash beside a percent sign', '/..%252f..%252fb%25zz', 'must not lead out'],
	])('%s', (_, input, problem) => {
		const error = errorOf(() => parsePath(input, 'Path')) as InvalidSettingError;
		expect(error).toBeInstanceOf(InvalidSettingError);
		expect(error.message).toMatch(/^Path: /);
		expect(error.message).toContain(problem);
		expect(error.description).not.toBe('');
	});
});

describe('an endpoint', () => {
	test.each([
		['POST /txndata/sendTxn', { method: 'POST', path: '/txndata/sendTxn' }],
		[' delete\t/a//b ', { method: 'DELETE', path: '/a/b' }],
		['Patch /a/', { method: 'PATCH', path: '/a/' }],
	])('%j is a method and a path', (input, endpoint) => {
		expect(parseEndpoint(input, 'Endpoint')).toEqual(endpoint);
	});

	test.each([
		'',
		'POST',
		'POST/a',
		'/a POST',
		'POST a',
		'OPTIONS /a',
		'CONNECT /a',
		'POST https://a',
	])('%j is none', (input) => {
		expect(() => parseEndpoint(input, 'Endpoint')).toThrow('Endpoint: is not a method and a path');
	});

	test('has one form, however many slashes are written', () => {
		const endpoint = { method: 'POST', path: '/txndata/sendTxn/' };
		expect(parseEndpoint('POST /txndata//sendTxn//', 'Endpoint')).toEqual(endpoint);
	});

	test.each([
		['POST /a?b=1', 'must not have a query'],
		['POST //other.example', 'must be a path below the base URL'],
		['POST /a/../b', 'must not lead out of its folder'],
		['POST /a POST /b', 'contains a character that a path cannot have'],
	])('%j is refused: %s', (input, problem) => {
		expect(() => parseEndpoint(input, 'Endpoint')).toThrow(`Endpoint: ${problem}`);
	});
});

describe('the one name of an endpoint', () => {
	const name = (path: string) => canonicalEndpoint({ method: 'POST', path });

	test.each([
		'/txndata/sendTxn',
		'/TXNDATA/SENDTXN',
		'/txndata/sendTxn/',
		'//txndata///sendTxn//',
		'/txndata/%73end%54xn',
		'/txndata/%2573endTxn',
		'/txndata/sendTxn;v=1',
		'/txndata;a=1;b/sendTxn',
		'/txndata/;x/sendTxn',
		'/txndata/sendTxn%3Bv=1',
		'/txndata/%2573endTxn;%25zz',
	])('is the same for %s', (path) => {
		expect(name(path)).toBe('POST /txndata/sendtxn');
	});

	test.each([
		'/txndata',
		'/txndata/sendTxnWP',
		'/txndata/sendTxn/1',
		'/txndatasendTxn',
		'/sendTxn',
	])('is another for %s', (path) => {
		expect(name(path)).not.toBe('POST /txndata/sendtxn');
	});

	test('is another for another method', () => {
		expect(canonicalEndpoint({ method: 'PUT', path: '/a' })).not.toBe(name('/a'));
	});

	test('exists for a path that is no valid one', () => {
		expect(name('/a%')).toBe('POST /a%');
	});
});
