/** The options of every request: what they add to it, and what they must not. */
import type { IDataObject } from 'n8n-workflow';

import {
	optionsField,
	readRequestOptions,
} from '../../../nodes/BusinessData/parameters/requestOptions';
import { KEY } from '../transport/examples';
import { inRun } from '../run/fakeContext';

const readOptions = async (options: IDataObject) =>
	await inRun({ parameters: { options } }, (run) => readRequestOptions(run, 0));
const readQuery = async (...parameters: unknown[]) =>
	await readOptions({ queryParameters: { parameters } });
const readHeaders = async (...parameters: unknown[]) =>
	await readOptions({ headerParameters: { parameters } });

test('without options a request may take 60 seconds and wait as long as it takes', async () => {
	const defaults = { query: [], headers: {}, timeoutMs: 60_000, maxWaitMs: Infinity };
	expect(await readOptions({})).toEqual(defaults);
	expect(await inRun({}, (run) => readRequestOptions(run, 0))).toEqual(defaults);
	expect(await readOptions({ queryParameters: {}, headerParameters: {} })).toEqual(defaults);
});

test('the options of an item are its own', async () => {
	const setup = {
		items: [{}, {}],
		parameters: (index: number) => ({ options: { timeout: index + 1 } }),
	};
	const read = await inRun(setup, (run) => [0, 1].map((index) => readRequestOptions(run, index)));
	expect(read.map(({ timeoutMs }) => timeoutMs)).toEqual([1_000, 2_000]);
});

test('query parameters come in order, with texts, numbers and switches, and may repeat', async () => {
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

test('headers are sent along', async () => {
	const { headers } = await readHeaders(
		{ name: ' X-Trace ', value: 'büro 1' },
		{ name: 'Accept', value: 'text/csv' },
		{ name: 'x_number', value: 5 },
	);
	expect(headers).toEqual({ 'X-Trace': 'büro 1', Accept: 'text/csv', x_number: '5' });
});

test.each<[name: unknown, value: unknown, problem: string]>([
	...['', '  ', undefined].map((name): [unknown, string, string] => [name, 'x', 'a name is empty']),
	...[{}, ['a'], { a: 1 }].flatMap((bad): Array<[unknown, unknown, string]> => [
		['a', bad, '"a" is not a text'],
		[bad, 'a', '"name" is not a text'],
	]),
	['a', null, '"a" has no value (null)'],
	['id', 2 ** 53, '"id" is a number that JavaScript cannot hold exactly (9007199254740992)'],
	['id', 1e21, '"id" is a number that JavaScript cannot hold exactly (1e+21)'],
	['id', NaN, '"id" is not a number that JSON can hold (NaN)'],
])('neither may have the name %j with the value %j', async (name, value, problem) => {
	await expect(readQuery({ name, value })).rejects.toThrow(`Query Parameters: ${problem}`);
	await expect(readHeaders({ name, value })).rejects.toThrow(`Headers: ${problem}`);
});

test.each([
	['X Trace', 'a', 'a name or a value'],
	['X:Trace', 'a', 'a name or a value'],
	['X-Trace\r\nx-api-key', 'a', 'a name or a value'],
	['größe', 'a', 'a name or a value'],
	['X-Trace', 'a\r\nx-api-key: b', 'the value of X-Trace'],
	['X-Trace', 'a\u0000', 'the value of X-Trace'],
	['X-Trace', '\u20ac', 'the value of X-Trace'],
	[KEY, '\u20ac', 'a name or a value'],
])('a header must not have characters that it cannot have: %j: %j', async (name, value, which) => {
	await expect(readHeaders({ name, value })).rejects.toThrow(
		`Headers: ${which} contains characters that a header cannot have`,
	);
});

test.each([
	[{ timeout: 5 }, { timeoutMs: 5_000 }],
	[{ timeout: '1.5' }, { timeoutMs: 1_500 }],
	[{ timeout: 3_600 }, { timeoutMs: 3_600_000 }],
	[{ maxWait: 90 }, { maxWaitMs: 90_000 }],
	[{ maxWait: '0.5' }, { maxWaitMs: 500 }],
	[{ maxWait: 0 }, { maxWaitMs: Infinity }],
	[{ maxWait: '0' }, { maxWaitMs: Infinity }],
])('%j are seconds', async (options, expected) => {
	expect(await readOptions(options)).toMatchObject(expected);
});

const NO_TIMEOUT = 'Timeout: must be a number of seconds from 0.001 to 3600';
const NO_WAIT = 'Max Wait: must be a number of seconds from 0';
test.each<[IDataObject, string]>([
	...[0, -1, 3_601, '', ' ', 'soon', '0x10', '1e1', NaN, Infinity, true, null, [5], {}].map(
		(timeout): [IDataObject, string] => [{ timeout }, NO_TIMEOUT],
	),
	...[-1, '', 'soon', NaN, Infinity, false].map((maxWait): [IDataObject, string] => [
		...([{ maxWait }, NO_WAIT] as const),
	]),
])('%j is refused: %s', async (options, problem) => {
	await expect(readOptions(options)).rejects.toThrow(problem);
});

test('the field Options lists its own options and those of every request by name', () => {
	const own = { displayName: 'Page', name: 'page', type: 'string' as const, default: '' };
	const names = optionsField([own]).options?.map((option) => option.name);
	expect(names).toEqual(['headerParameters', 'maxWait', 'page', 'queryParameters', 'timeout']);
});
