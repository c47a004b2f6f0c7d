/** The options of every request: query parameters, headers, Timeout and Max Wait. */
import type { IDataObject } from 'n8n-workflow';

import { readRequestOptions } from '../../../nodes/BusinessData/parameters/requestOptions';
import { KEY } from '../transport/examples';
import { inRun } from '../run/fakeContext';

const readOptions = async (options: IDataObject) =>
	await inRun({ parameters: { options } }, (run) => readRequestOptions(run, 0));
const readQuery = async (...parameters: unknown[]) =>
	await readOptions({ queryParameters: { parameters } });
const readHeaders = async (...parameters: unknown[]) =>
	await readOptions({ headerParameters: { parameters } });

test('without options, a request times out after 60 s and waits for the limits without end', async () => {
	const defaults = { query: [], headers: {}, timeoutMs: 60_000, maxWaitMs: Infinity };
	expect(await inRun({}, (run) => readRequestOptions(run, 0))).toEqual(defaults);
	expect(await readOptions({ queryParameters: {}, headerParameters: {} })).toEqual(defaults);
});

test('query parameters keep their order, may repeat, and may be texts, numbers, booleans or dates', async () => {
	const { query } = await readQuery(
		{ name: ' id ', value: 1 },
		{ name: 'id', value: '2 ' },
		{ name: 'open', value: false },
		{ name: 'api-key' },
		{ name: 'at', value: new Date(0) },
	);
	expect(query.map(({ name, value }) => `${name}=${value}`)).toEqual([
		...['id=1', 'id=2 ', 'open=false', 'api-key=', 'at=1970-01-01T00:00:00.000Z'],
	]);
});

test.each<[problem: string, ...parameters: Array<[name: unknown, value: unknown]>]>([
	['a name is empty', ['', 'x'], ['  ', 'x'], [undefined, 'x']],
	['"a" is not a text', ['a', {}], ['a', ['a']], ['a', { a: 1 }]],
	['"name" is not a text', [{}, 'a'], [['a'], 'a'], [{ a: 1 }, 'a']],
	['"a" has no value (null)', ['a', null]],
	['"a" is a number that JavaScript cannot hold exactly (1e+21)', ['a', 1e21]],
	['"a" is not a number that JSON can hold (NaN)', ['a', NaN]],
])('query parameters and headers are refused with "%s": %j', async (problem, ...parameters) => {
	for (const [name, value] of parameters) {
		await expect(readQuery({ name, value })).rejects.toThrow(`Query Parameters: ${problem}`);
		await expect(readHeaders({ name, value })).rejects.toThrow(`Headers: ${problem}`);
	}
});

test.each<[which: string, ...headers: Array<[name: string, value: string]>]>([
	['a name or a value', ['X Trace', 'a'], ['X:Trace', 'a'], ['X-Trace\r\nx-api-key', 'a']],
	['a name or a value', ['größe', 'a'], [KEY, '\u20ac']],
	['the value of X-A', ['X-A', 'a\r\nx-api-key: b'], ['X-A', 'a\u0000'], ['X-A', '\u20ac']],
])('%s with characters that a header cannot have is refused: %j', async (which, ...headers) => {
	for (const [name, value] of headers) {
		await expect(readHeaders({ name, value })).rejects.toThrow(
			`Headers: ${which} contains characters that a header cannot have`,
		);
	}
});

test('a header value that is encoded as the error advises is accepted', async () => {
	const refused = readHeaders({ name: 'X-A', value: '\u20ac' });
	await expect(refused).rejects.toHaveProperty('description', expect.stringContaining('%E2%82%AC'));
	await readHeaders({ name: 'X-A', value: '%E2%82%AC' });
});

const NO_TIMEOUT = 'Timeout: must be a number of seconds from 0.001 to 3600';
const NO_WAIT = 'Max Wait: must be a number of seconds from 0';
test.each<[name: string, expected: object | string, ...values: unknown[]]>([
	['timeout', { timeoutMs: 1_500 }, 1.5, '1.5'],
	['timeout', { timeoutMs: 3_600_000 }, 3_600],
	['timeout', NO_TIMEOUT, 0, -1, 3_601, '', ' ', 'soon', '0x10', '1e1', NaN, true, null, [5], {}],
	['maxWait', { maxWaitMs: 500 }, 0.5, '0.5'],
	['maxWait', { maxWaitMs: Infinity }, 0, '0'],
	['maxWait', NO_WAIT, -1, '', 'soon', NaN, Infinity, false],
])('the option %s gives %j for %j', async (name, expected, ...values) => {
	for (const value of values) {
		const read = readOptions({ [name]: value } as IDataObject);
		if (typeof expected === 'string') await expect(read).rejects.toThrow(expected);
		else expect(await read).toMatchObject(expected);
	}
});
