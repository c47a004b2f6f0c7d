// Responses of bookkeeping services to sends and deletions: S1 to S26, B1 to B10. The service has acted in all of them
// except for those with `texts`.

import type { Profile, Reply } from './profile';

const PDF = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.from([0xe2, 0xe3, 0, 0xff, 0xfe])]);
const LOG_IN_PAGE = '\ufeff<!-- proxy -->\n<!DOCTYPE html><html><title>Log in</title></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };
const text = { 'content-type': 'text/plain' };

/** A response with this JSON. */
const json = (body: unknown, more: Reply = {}): Profile => ({ change: { body, ...more } });

export const CHANGES: Record<string, Profile> = {
	S1: json({ Contacts: [{ ContactID: 'a', Name: 'b' }] }),
	S2: { change: { status: 201, headers: { location: '/3/1' }, body: { Customer: { No: '1' } } } },
	S3: { change: { status: 201, body: { id: 'a', resourceUri: '/a', version: 0 } } },
	S4: { change: { status: 201, body: { value: { id: 1 } } } },
	S5: json({ success: true, data: { id: 1 }, idempotent: true }),
	S6: json(42),
	'S6-true': json(true),
	'S7-S10': { change: { status: 204 } },
	S8: json({ code: 0, message: 'Your email has been scheduled' }),
	S9: { change: { headers: text, body: 'Document sent' } },
	S11: json({ success: true }),
	S12: json({ objects: [null] }),
	S13: json({ id: 'cus_1', object: 'customer', deleted: true }),
	S14: json({ Accounts: [{ AccountID: 'a', Status: 'DELETED' }] }),
	S15: json({ success: true, data: { deleted: false } }),
	S16: json({}),
	S18: { change: { headers: { 'content-type': 'application/pdf' }, body: PDF } },
	S19: json({ objects: { filename: 'a.pdf', base64encoded: true, content: 'JVBE' } }),
	S20: json({ documentFileId: 'a' }),
	'S21-B4': json({ message: 'No Invoices Found' }),
	'S21-file': { change: { headers: { 'content-type': 'application/octet-stream' }, body: PDF } },
	S23: {
		change: { headers: html, body: LOG_IN_PAGE },
		texts: ['The service answered 200 with a web page'],
	},
	S25: { change: { status: 202, body: { data: [{ code: 'SUCCESS' }, { code: 'INVALID_DATA' }] } } },
	'json-as-html': { change: { headers: html, body: '{"id":"a"}' } },
	'broken-json': { change: { headers: { 'content-type': 'application/json' }, body: '{"id":"a' } },
	xml: { change: { headers: { 'content-type': 'application/xml' }, body: '<ok><id>1</id></ok>' } },
	'B1-B2': { change: { status: 204 } },
	B3: json({ code: 0, message: 'The payments have been deleted.' }),
	B5: json({ responses: { a: {}, b: { errors: [{ code: 'NOT_FOUND', detail: 'Not found' }] } } }),
	B6: json({
		BatchItemResponse: [
			{ bId: '1', Customer: {} },
			{ bId: '2', Fault: { Error: [] } },
		],
	}),
	B7: json({
		Status: 'OK',
		Items: [
			{ StatusAttributeString: 'OK' },
			{ StatusAttributeString: 'ERROR', ValidationErrors: [{ Message: 'Locked' }] },
		],
	}),
	B8: {
		change: {
			status: 400,
			body: {
				Message: 'A validation exception occurred',
				Elements: [{ ValidationErrors: [{ Message: 'Locked' }] }],
			},
		},
		texts: ['A validation exception occurred', 'Locked'],
	},
	B9: json(
		{
			results: [
				{ id: 'a', status: 200 },
				{ id: 'b', status: 404 },
			],
		},
		{ status: 207 },
	),
};
