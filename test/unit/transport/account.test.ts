/** The credential's required fields: which base URLs and keys are accepted, and the identity they give. */
import { readAccount } from '../../../nodes/BusinessData/transport/account';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { BASE_URL, errorOf, KEY, requiredFields } from './examples';

const withBaseUrl = (baseUrl: unknown) => readAccount({ ...requiredFields, baseUrl });
const onHttp = (host: string) => `http://${host}`;
const withKey = (apiKey: unknown) => readAccount({ ...requiredFields, apiKey });

describe('the base URL', () => {
	test.each([
		['https://api.example.com', 'https://api.example.com'],
		['  https://api.example.com/\n', 'https://api.example.com'],
		['https://api.example.com/v1///', 'https://api.example.com/v1'],
		['HTTPS://API.Example.COM/V1', 'https://api.example.com/V1'],
		['https://api.example.com:443', 'https://api.example.com'],
		['https://api.example.com:8443/', 'https://api.example.com:8443'],
		['https://[2001:db8::1]/', 'https://[2001:db8::1]'],
		['http://LOCALHOST', 'http://localhost'],
		...['localhost', 'localhost:5678', '127.0.0.1:3000', '127.9.8.7', '[::1]:81']
			.map(onHttp)
			.map((baseUrl) => [baseUrl, baseUrl]),
	])('%j becomes %s', (baseUrl, expected) => {
		expect(withBaseUrl(baseUrl).baseUrl).toBe(expected);
	});

	test('with an international name is accepted however often it is read', () => {
		// Once Node 20 has optimized its `URL.canParse`, that refuses such names.
		const read = () => withBaseUrl('https://büro.example').baseUrl;
		expect(new Set(Array.from({ length: 20_000 }, read))).toEqual(
			new Set(['https://xn--bro-hoa.example']),
		);
	});

	test.each<[problem: string, ...urls: unknown[]]>([
		[
			'must start with https://',
			...['api.example.com', 'localhost.example.com', '127.0.0.1.example.com'].map(onHttp),
			...['my-localhost', '0.0.0.0', '128.0.0.1', '192.168.0.1', '[::2]'].map(onHttp),
		],
		[
			'must not have a query or a fragment',
			...['?', '?a=1', '#', '#top', '/v1?'].map((end) => BASE_URL + end),
		],
		['is empty', '', ' \t'],
		['has no value (undefined)', undefined],
		['has no value (null)', null],
		['is not a text', 42],
		[
			'is not a web address',
			...['api.example.com', 'ftp://api.example.com', 'javascript:alert(1)', 'file:///etc/passwd'],
			...['https:api.example.com', 'https://', 'https://api example.com'],
			'https://api.example.com:99999',
		],
		[
			'must not contain a user or a password',
			...['https://secret@api.example.com', 'https://:secret@a.b'],
		],
		[
			'must not contain the API key',
			...[KEY, KEY.toLowerCase()].map((key) => `${BASE_URL}/v1/${key}`),
		],
	])('is refused because it %s', (problem, ...urls) => {
		for (const baseUrl of urls) {
			const error = errorOf(() => withBaseUrl(baseUrl)) as InvalidSettingError;
			expect([baseUrl, error.message]).toEqual([baseUrl, `Base URL: ${problem}`]);
			expect(error.message + error.description).not.toContain('secret');
		}
	});
});

describe('the API key', () => {
	test.each([
		[KEY, KEY],
		[` \t${KEY}\n`, KEY],
		[KEY.toUpperCase(), KEY.toUpperCase()],
	])('%j is accepted', (apiKey, expected) => {
		expect(withKey(apiKey).apiKey).toBe(expected);
	});

	const CHARACTERS = 'contains characters other than 0–9 and a–f';
	test.each([
		[' ', 'is empty'],
		[undefined, 'has no value (undefined)'],
		[64, 'is not a text'],
		['a', 'has 1 character instead of 64'],
		[KEY.slice(1), 'has 63 characters instead of 64'],
		[`${KEY}0`, 'has 65 characters instead of 64'],
		[`g${KEY.slice(1)}`, CHARACTERS],
		[`${KEY.slice(0, 32)} ${KEY.slice(33)}`, CHARACTERS],
		[`${KEY}\n${KEY}`, 'has 129 characters instead of 64'],
		[`${KEY.slice(1)}０`, CHARACTERS],
	])('%j is refused without being shown, because it %s', (apiKey, problem) => {
		const error = errorOf(() => withKey(apiKey)) as InvalidSettingError;
		expect(error).toBeInstanceOf(InvalidSettingError);
		expect(error.message).toBe(`API Key: ${problem}`);
		expect(error.message + error.description).not.toContain(KEY.slice(2, 12));
		if (apiKey === ' ') expect(error.description).toMatch(/^Create a key /);
	});
});

describe('the identity', () => {
	const identity = (changes: Record<string, unknown> = {}) =>
		readAccount({ ...requiredFields, ...changes }).identity;

	test.each<[boolean, Record<string, unknown>]>([
		[true, { baseUrl: `${BASE_URL}/` }],
		[true, { baseUrl: BASE_URL.toUpperCase() }],
		[true, { baseUrl: `${BASE_URL}:443` }],
		[true, { baseUrl: ` ${BASE_URL} `, apiKey: ` ${KEY} ` }],
		[true, { apiKey: KEY.toUpperCase() }],
		[true, { baseUrl: `${BASE_URL}/v2` }],
		[true, { baseUrl: `${BASE_URL}./` }],
		[true, { baseUrl: BASE_URL.replace('//a', '//%61') }],
		[true, { customize: true, limits: { general: [] } }],
		[false, { apiKey: KEY.replace('0', '1') }],
		[false, { baseUrl: 'https://api2.example.com' }],
		[false, { baseUrl: `${BASE_URL}:8443` }],
	])('is the same (%p) with %j', (isSame, changes) => {
		expect(identity(changes) === identity()).toBe(isSame);
	});

	test('shows no part of the key', () => {
		expect(identity()).toMatch(/^[\w-]{43}$/);
		const parts = Array.from(KEY.slice(7), (_, start) => KEY.slice(start, start + 8));
		expect(parts.filter((part) => identity().includes(part.toLowerCase()))).toEqual([]);
	});
});
