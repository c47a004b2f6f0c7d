/** A response stored as a file: its name without any folder, its type, and its binary field. */
import { fileItem } from '../../../nodes/BusinessData/items/responseItems';
import type { Run } from '../../../nodes/BusinessData/run/run';
import { responseOf } from '../transport/examples';

/** Stores nothing, and returns what n8n was asked to store. */
const prepareBinaryData = async (body: Buffer, fileName?: string, mimeType?: string) =>
	await Promise.resolve({ data: body.toString(), fileName, mimeType });
const run = { context: { helpers: { prepareBinaryData } } } as unknown as Run;

async function stored(headers: Record<string, unknown>) {
	return (await fileItem(run, responseOf('text', { headers }), 'data')).binary?.data;
}

test.each([
	['attachment; filename="invoice 1.pdf"', 'invoice 1.pdf'],
	['attachment; filename=invoice.pdf', 'invoice.pdf'],
	['attachment; filename=invoice.pdf; size=5', 'invoice.pdf'],
	['attachment; filename=invoice 1.pdf ; size=5', 'invoice 1.pdf'],
	// Node.js reads a header as Latin-1, whatever its bytes are.
	[`attachment; filename="${Buffer.from('büro €.pdf').toString('latin1')}"`, 'büro €.pdf'],
	['attachment; filename="büro.pdf"', 'büro.pdf'],
	['attachment;FileName = "a.pdf"', 'a.pdf'],
	['inline; filename="a;b.pdf"', 'a;b.pdf'],
	["attachment; filename*=UTF-8''b%C3%BCro%20%E2%82%AC.pdf", 'büro €.pdf'],
	["attachment; filename*=utf-8'de'a.pdf; filename=b.pdf", 'a.pdf'],
	["attachment; filename=b.pdf; filename*=UTF-8''a.pdf", 'a.pdf'],
	["attachment; filename*=iso-8859-1''%A3.pdf", '%A3.pdf'],
	['attachment; filename="../../etc/passwd"', 'passwd'],
	['attachment; filename="C:\\temp\\a.pdf"', 'a.pdf'],
	["attachment; filename*=UTF-8''..%2F..%2Fa.pdf", 'a.pdf'],
	...['', 'attachment', 'attachment; filename=""', 'attachment; filename="a/"', undefined, 5].map(
		(none): [unknown, undefined] => [none, undefined],
	),
])('the Content-Disposition %s gives the file name %s', async (disposition, name) => {
	expect((await stored({ 'content-disposition': disposition }))?.fileName).toBe(name);
});

test.each([
	['application/pdf', 'application/pdf'],
	['text/csv; charset=utf-8', 'text/csv'],
	['', undefined],
	[undefined, undefined],
])('the Content-Type %j gives the MIME type %j', async (type, mimeType) => {
	expect((await stored({ 'content-type': type }))?.mimeType).toBe(mimeType);
});

test.each([
	[' invoice ', 'invoice'],
	['  ', 'data'],
])('the option %j gives the binary field %s', async (field, name) => {
	const item = await fileItem(run, responseOf('text', { statusCode: 201 }), field);
	expect(item).toEqual({
		json: { statusCode: 201 },
		binary: { [name]: { data: 'text', fileName: undefined, mimeType: undefined } },
	});
});
