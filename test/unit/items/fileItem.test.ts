/** A response as a file: its name from the header, without any folder, and the field it goes into. */
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { fileItem } from '../../../nodes/BusinessData/items/fileItem';
import { responseOf } from '../transport/examples';

type PrepareBinaryData = IExecuteFunctions['helpers']['prepareBinaryData'];

/** Stores nothing; the result tells what n8n was asked to store. */
const prepareBinaryData = (async (body: Buffer, fileName?: string, mimeType?: string) =>
	await Promise.resolve({ data: body.toString(), fileName, mimeType })) as PrepareBinaryData;
const context = { helpers: { prepareBinaryData } } as IExecuteFunctions;

async function stored(headers: Record<string, unknown>): Promise<IBinaryData | undefined> {
	return (await fileItem(context, responseOf('text', { headers }), 'data', 0)).binary?.data;
}
const nameFrom = async (disposition: unknown) =>
	(await stored({ 'content-disposition': disposition }))?.fileName;

describe("the file's name", () => {
	test.each([
		['attachment; filename="invoice 1.pdf"', 'invoice 1.pdf'],
		['attachment; filename=invoice.pdf', 'invoice.pdf'],
		['attachment; filename=invoice.pdf; size=5', 'invoice.pdf'],
		['attachment;FileName = "a.pdf"', 'a.pdf'],
		['inline; filename="a;b.pdf"', 'a;b.pdf'],
		["attachment; filename*=UTF-8''b%C3%BCro%20%E2%82%AC.pdf", 'büro €.pdf'],
		["attachment; filename*=utf-8'de'a.pdf; filename=b.pdf", 'a.pdf'],
		["attachment; filename=b.pdf; filename*=UTF-8''a.pdf", 'a.pdf'],
		["attachment; filename*=iso-8859-1''%A3.pdf", '%A3.pdf'],
		['attachment; filename="../../etc/passwd"', 'passwd'],
		['attachment; filename="C:\\temp\\a.pdf"', 'a.pdf'],
		["attachment; filename*=UTF-8''..%2F..%2Fa.pdf", 'a.pdf'],
	])('in %s is %s', async (disposition, name) => {
		expect(await nameFrom(disposition)).toBe(name);
	});

	test.each([
		'',
		'attachment',
		'attachment; filename=""',
		'attachment; filename="a/"',
		undefined,
		5,
	])('is not in %j', async (disposition) => {
		expect(await nameFrom(disposition)).toBeUndefined();
	});
});

describe('the type', () => {
	test.each([
		['application/pdf', 'application/pdf'],
		['text/csv; charset=utf-8', 'text/csv'],
		['', undefined],
		[undefined, undefined],
	])('of %j is %j', async (type, mimeType) => {
		expect((await stored({ 'content-type': type }))?.mimeType).toBe(mimeType);
	});
});

test.each([
	['invoice', 'invoice'],
	[' invoice ', 'invoice'],
	['', 'data'],
	['  ', 'data'],
])('the binary field %j is %s', async (field, name) => {
	const item = await fileItem(context, responseOf('text', { statusCode: 201 }), field, 4);
	expect(item).toEqual({
		json: { statusCode: 201 },
		binary: { [name]: { data: 'text', fileName: undefined, mimeType: undefined } },
		pairedItem: { item: 4 },
	});
});
