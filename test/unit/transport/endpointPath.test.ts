/** Paths as users write them: what is accepted, in which form it is sent, and what is refused. */
import {
	canonicalEndpoint,
	parseEndpoint,
	parsePath,
} from '../../../nodes/BusinessData/transport/endpointPath';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { errorOf } from './examples';

test.each<[string, string, query?: string]>([
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
	// RFC 3986 §2.2: an encoded delimiter is data, and "a%3Bb" is another record than "a;b".
	...'/a%3Bb /a%2Bb /a%3Db /a%26b /a%40b /a%3Ab /a%24b /a%2Cb'
		.split(' ')
		.map((path): [string, string] => [path, path]),
	['/a?page=2&name=x', '/a', 'page=2&name=x'],
	['/a?', '/a'],
	['/a?q=b+c%20d', '/a', 'q=b c d'],
	['/a?next=/b?c=1', '/a', 'next=/b?c=1'],
	['?page=2', '/', 'page=2'],
	['/a?id=1&id=2', '/a', 'id=1&id=2'],
])('the path %j is sent as %j with the query %s', (input, expected, expectedQuery = '') => {
	const { path, query } = parsePath(input, 'Path');
	expect(path).toBe(expected);
	expect(query.map(({ name, value }) => `${name}=${value}`).join('&')).toBe(expectedQuery);
});

test('the query of a path may hold the text null only if a person wrote it', () => {
	const path = '/contacts?deletedAt=null';
	expect(parsePath(path, 'Path').query).toEqual([{ name: 'deletedAt', value: 'null' }]);
	expect(() => parsePath(path, 'Path', true)).toThrow('Path: "deletedAt" is the text "null"');
});

const CHARACTER = 'contains a character that a path cannot have';
const CONTROL = 'contains an encoded control character';
const PERCENT = 'has a % that encodes no character';
const FOLDER = 'must not lead out of its folder';
const ADDRESS = 'must be a path below the base URL, not a full address';

test.each<[problem: string, ...paths: string[]]>([
	['is empty', '', ' \t\n'],
	[ADDRESS, 'https://api.example.com/a', 'HTTPS://api.example.com', 'javascript:alert(1)'],
	[ADDRESS, '//other.example/a', '\\\\other.example\\a', '/\\other.example', ' \n//other.example'],
	[CHARACTER, '/a#b', '/a\\..\\b', '/a b', '/a\r\nX-Injected: 1', '/\t/other.example', '/a\u0000'],
	[CHARACTER, '/a\u2028b', '/a\u00a0b', '/a\ud83d', '/a?b=\u0007'],
	[CONTROL, '/a%0d%0ab', '/a%00', '/a%2500'],
	[PERCENT, '/100%', '/%ff', '/..%c0%af..'],
	[FOLDER, '/a/../b', '../a', '/a/..', '/a/./b', '/%2e%2E/b', '/.%2e/b', '/%252e%252e/b'],
	[FOLDER, '/%25252e%25252e/b', '/a/..;/b', '/a/..%3Bx=1/b', '/a/.;x/b', '/a%2fb', '/a%5Cb'],
	[FOLDER, '/a%252Fb', '/..%252f..%252fb%25zz'],
	['a segment is empty', '/contacts//lines', '/contacts//', '/contacts/ ', '/contacts/%20/lines'],
	['a segment is empty', '/contacts/\u200b/lines', '/contacts/;v=1/lines'],
	['a segment is the text "undefined", which stands for no value', '/contacts/undefined'],
	['a segment is the text "null", which stands for no value', '/contacts/null/lines'],
	['a segment is the text "[object Object]", which stands for no value', '/a/[object%20Object]'],
	['a segment is the text "Invalid DateTime", which stands for no value', '/Invalid%20DateTime'],
])('a path is refused with "%s": %j', (problem, ...paths) => {
	for (const path of paths) {
		const error = errorOf(() => parsePath(path, 'Path')) as InvalidSettingError;
		expect(error).toBeInstanceOf(InvalidSettingError);
		expect([path, error.message]).toEqual([path, `Path: ${problem}`]);
		expect(error.description).not.toBe('');
	}
});

test('a path that is encoded as the error advises is accepted', () => {
	const { description } = errorOf(() => parsePath('/a# b', 'Path')) as InvalidSettingError;
	expect(description).toContain('Write a # as %23 and a space as %20');
	expect(parsePath('/a%23%20b', 'Path').path).toBe('/a%23%20b');
});

describe('an endpoint', () => {
	test.each([
		['POST /txndata/sendTxn', { method: 'POST', path: '/txndata/sendTxn' }],
		[' delete\t/a//b// ', { method: 'DELETE', path: '/a/b/' }],
		['Patch /a/', { method: 'PATCH', path: '/a/' }],
	])('%j is a method and a path', (input, endpoint) => {
		expect(parseEndpoint(input, 'Endpoint')).toEqual(endpoint);
	});

	const NONE = 'is not a method and a path';
	const none = ['', 'POST', 'POST/a', '/a POST', 'POST a', 'OPTIONS /a', 'CONNECT /a'];

	test.each<readonly [string, string]>([
		...[...none, 'POST https://a'].map((input) => [input, NONE] as const),
		['POST /a?b=1', 'must not have a query'],
		['POST //other.example', 'must be a path below the base URL'],
		['POST /a/../b', 'must not lead out of its folder'],
		['POST /a POST /b', 'contains a character that a path cannot have'],
	])('%j is refused: %s', (input, problem) => {
		expect(() => parseEndpoint(input, 'Endpoint')).toThrow(`Endpoint: ${problem}`);
	});
});

test('the canonical name of an endpoint differs by path and method, and has any path', () => {
	const name = (path: string) => canonicalEndpoint({ method: 'POST', path });
	const others = ['/txndata', '/txndata/sendTxnWP', '/txndata/sendTxn/1', '/txndatasendTxn'];
	expect([...others, '/sendTxn'].map(name)).not.toContain('POST /txndata/sendtxn');
	expect(canonicalEndpoint({ method: 'PUT', path: '/a' })).not.toBe(name('/a'));
	expect(name('/a%')).toBe('POST /a%');
});
