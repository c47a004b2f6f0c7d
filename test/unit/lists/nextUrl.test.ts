/** The address of the next page: found in a header, and followed below the base URL only. */
import { belowBaseUrl, nextLink } from '../../../nodes/BusinessData/lists/nextUrl';

test.each([
	['<https://a/?page=2>; rel="next"', 'https://a/?page=2'],
	['<https://a/?page=1>; rel="prev", <https://a/?page=3>; rel="next"', 'https://a/?page=3'],
	['<?a=1,2>; title="x, y"; rel="last next"', '?a=1,2'],
	['<b>;REL=Next', 'b'],
	["<b>; rel='next'", 'b'],
	['<a>; rel="prev"', undefined],
	['next', undefined],
	['', undefined],
])('the header Link %s gives the next page %s', (link, address) => {
	expect(nextLink({ link })).toBe(address);
});

const BASE = 'https://api.example.com/v3.1';

test.each([
	['https://api.example.com/v3.1/sales?page=2', '/sales?page=2'],
	['http://api.example.com/v3.1/sales?page=2', '/sales?page=2'],
	['?page=2', '/list/all?page=2'],
	['other?page=2', '/list/other?page=2'],
	['/v3.1/sales?page=2', '/sales?page=2'],
	// A path that lacks that of the base URL is below it.
	['/sales?page=2', '/sales?page=2'],
	['//api.example.com/v3.1/x', '/x'],
])('the address %s becomes %s below the base URL', (address, below) => {
	expect(belowBaseUrl(address, '/list/all?page=1', BASE)).toBe(below);
});

test.each([
	'https://evil.example.com/v3.1/sales',
	'//evil.example.com/v3.1/sales',
	'https://api.example.com:8443/v3.1/sales',
	'https://api.example.com/v3.10/sales',
	'https://api.example.com/v3.1/../admin',
	'https://api.example.com@evil.example.com/v3.1',
	'ftp://api.example.com/v3.1/sales',
	'http://[',
	7,
	{ href: '/sales' },
])('the address %j is refused', (address) => {
	expect(() => belowBaseUrl(address, '/list', BASE)).toThrow("Pagination: the next page's address");
});

test.each([
	['https://api.example.com:8443/sales', 'https://api.example.com:8443.'],
	['javascript:next(2)', 'javascript://.'],
])('the error about the address %s says where it is', (address, where) => {
	const details = { description: expect.stringContaining(`This one is at ${where}`) as string };
	expect(() => belowBaseUrl(address, '/list', BASE)).toThrow(
		expect.objectContaining({ details: expect.objectContaining(details) as object }) as Error,
	);
});
