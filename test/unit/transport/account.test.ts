/** The credential's required fields: which base URLs and keys are accepted, and whom they identify. */
import { readAccount } from '../../../nodes/BusinessData/transport/account';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { BASE_URL, errorOf, KEY, requiredFields } from './examples';

const withBaseUrl = (baseUrl: unknown) => readAccount({ ...requiredFields, baseUrl });
const withKey = (apiKey: unknown) => readAccount({ ...requiredFields, apiKey });

describe('the base URL', () => {
	test.each([
		['as it is', 'https://api.example.com', 'https://api.example.com'],
		['a trailing slash', 'https://api.example.com/', 'https://api.example.com'],
		['many trailing slashes', 'https://api.example.com/v1///', 'https://api.example.com/v1'],
		['a base path', 'https://api.example.com/v1', 'https://api.example.com/v1'],
		['white space around it', '  https://api.example.com\n', 'https://api.example.com'],
		['upper case', 'HTTPS://API.Example.COM/V1', 'https://api.example.com/V1'],
		['the default port', 'https://api.example.com:443', 'https://api.example.com'],
		['another port', 'https://api.example.com:8443/', 'https://api.example.com:8443'],
		['an international name', 'https://büro.example', 'https://xn--bro-hoa.example'],
		['an address', 'https://[2001:db8::1]/', 'https://[2001:db8::1]'],
	])('is accepted with %s', (_, baseUrl, expected) => {
		expect(withBaseUrl(baseUrl).baseUrl).toBe(expected);
	});

	test('with an international name is accepted as long as the process runs', () => {
		// Node 20 compiles what runs often, and compiled, its `URL.canParse` refuses such names.
		const read = () => withBaseUrl('https://büro.example').baseUrl;
		expect(new Set(Array.from({ length: 20_000 }, read))).toEqual(
			new Set(['https://xn--bro-hoa.example']),
		);
	});

	test.each([
		'localhost',
		'LOCALHOST',
		'localhost:5678',
		'127.0.0.1:3000',
		'127.9.8.7',
		'[::1]:80',
	])('may be http:// on the loopback host %s', (host) => {
		expect(withBaseUrl(`http://${host}`).baseUrl).toMatch(/^http:\/\//);
	});

	test.each([
		'api.example.com',
		'localhost.example.com',
		'127.0.0.1.example.com',
		'my-localhost',
		'0.0.0.0',
		'128.0.0.1',
		'192.168.0.1',
		'[::2]',
	])('must not be http:// on the host %s', (host) => {
		expect(() => withBaseUrl(`http://${host}`)).toThrow('Base URL: must start with https://');
	});

	test.each([
		['', 'is empty'],
		[' \t', 'is empty'],
		[undefined, 'has no value (undefined)'],
		[null, 'has no value (null)'],
		[42, 'is not a text'],
	])('is asked for when it is %j', (baseUrl, problem) => {
		expect(() => withBaseUrl(baseUrl)).toThrow(`Base URL: ${problem}`);
	});

	test.each([
		['without a scheme', 'api.example.com'],
		['with another scheme', 'ftp://api.example.com'],
		['of a script', 'javascript:alert(1)'],
		['of a file', 'file:///etc/passwd'],
		['without slashes', 'https:api.example.com'],
		['without a host', 'https://'],
		['with a space in the host', 'https://api example.com'],
		['with an impossible port', 'https://api.example.com:99999'],
	])('is refused %s', (_, baseUrl) => {
		expect(() => withBaseUrl(baseUrl)).toThrow('Base URL: is not a web address');
	});

	test.each([
		'https://user@api.example.com',
		'https://user:secret@api.example.com',
		'https://:x@a.b',
	])('is refused with user information: %s', (baseUrl) => {
		const error = errorOf(() => withBaseUrl(baseUrl));
		expect(error).toMatchObject({
			message: 'Base URL: must not contain a user or a password',
			description: 'Remove the part before the "@".',
		});
		expect(JSON.stringify(error)).not.toContain('secret');
	});

	test.each(['?', '?a=1', '#', '#top', '/v1?'])('is refused with %s at its end', (end) => {
		expect(() => withBaseUrl(BASE_URL + end)).toThrow('must not have a query or a fragment');
	});
});

describe('the API key', () => {
	test.each([
		['as it is', KEY, KEY],
		['white space around it', ` \t${KEY}\n`, KEY],
		['upper case', KEY.toUpperCase(), KEY.toUpperCase()],
	])('is accepted with %s', (_, apiKey, expected) => {
		expect(withKey(apiKey).apiKey).toBe(expected);
	});

	test.each([
		['empty', '', 'is empty'],
		['missing', undefined, 'has no value (undefined)'],
		['a number', 64, 'is not a text'],
		['too short', KEY.slice(1), 'has 63 characters instead of 64'],
		['too long', `${KEY}0`, 'has 65 characters instead of 64'],
		['not hexadecimal', `g${KEY.slice(1)}`, 'contains characters other than 0–9 and a–f'],
		['split', `${KEY.slice(0, 32)} ${KEY.slice(33)}`, 'contains characters other than'],
		['with a second line', `${KEY}\n${KEY}`, 'has 129 characters instead of 64'],
		['with full-width digits', `${KEY.slice(1)}０`, 'contains characters other than'],
	])('is refused when it is %s', (_, apiKey, problem) => {
		expect(() => withKey(apiKey)).toThrow(`API Key: ${problem}`);
	});

	test('is asked for where there is none', () => {
		const { description } = errorOf(() => withKey(' ')) as InvalidSettingError;
		expect(description).toMatch(/^Create a key .* and enter it in the credential\.$/);
	});

	test('is in no error about it', () => {
		for (const apiKey of [KEY.slice(1), `${KEY}0`, `g${KEY.slice(1)}`]) {
			const error = errorOf(() => withKey(apiKey)) as InvalidSettingError;
			expect(error).toBeInstanceOf(InvalidSettingError);
			expect(error.field).toBe('API Key');
			expect(error.message + error.description).not.toContain(KEY.slice(2, 12));
		}
	});
});

describe('the identity', () => {
	const identity = (changes: Record<string, unknown> = {}) =>
		readAccount({ ...requiredFields, ...changes }).identity;

	test.each([
		['a trailing slash', { baseUrl: `${BASE_URL}/` }],
		["the host's case", { baseUrl: BASE_URL.toUpperCase() }],
		['the default port', { baseUrl: `${BASE_URL}:443` }],
		['white space', { baseUrl: ` ${BASE_URL} `, apiKey: ` ${KEY} ` }],
		["the key's case", { apiKey: KEY.toUpperCase() }],
		['a path', { baseUrl: `${BASE_URL}/v2` }],
		['a dot behind the host', { baseUrl: `${BASE_URL}./` }],
		['percent-encoding in the host', { baseUrl: BASE_URL.replace('//a', '//%61') }],
		['the limits', { customize: true, limits: { general: [] } }],
	])('does not depend on %s', (_, changes) => {
		expect(identity(changes)).toBe(identity());
	});

	test.each([
		['the key', { apiKey: KEY.replace('0', '1') }],
		['the host', { baseUrl: 'https://api2.example.com' }],
		['the port', { baseUrl: `${BASE_URL}:8443` }],
	])('depends on %s', (_, changes) => {
		expect(identity(changes)).not.toBe(identity());
	});

	test('says nothing of the key', () => {
		expect(identity()).toMatch(/^[\w-]{43}$/);
		for (let start = 0; start + 8 <= KEY.length; start++) {
			expect(identity()).not.toContain(KEY.slice(start, start + 8).toLowerCase());
		}
	});
});
