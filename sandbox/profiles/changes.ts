// Responses of bookkeeping services to sends and deletions: S1 to S26, B1 to B10. The service has acted in all of them
// except for those with `texts`.

import type { Profile } from './profile';

const PDF = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.from([0xe2, 0xe3, 0, 0xff, 0xfe])]);
const LOG_IN_PAGE = '\ufeff<!-- proxy -->\n<!DOCTYPE html><html><title>Log in</title></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };
const text = { 'content-type': 'text/plain' };

export const CHANGES: Record<string, Profile> = {
	S1: { change: { body: { Contacts: [{ ContactID: 'a', Name: 'b' }] } } },
	S2: { change: { status: 201, headers: { location: '/3/1' }, body: { Customer: { No: '1' } } } },
	S3: { change: { status: 201, body: { id: 'a', resourceUri: '/a', version: 0 } } },
	S4: { change: { status: 201, body: { value: { id: 1 } } } },
	S5: { change: { body: { success: true, data: { id: 1 }, idempotent: true } } },
	S6: { change: { body: 42 } },
	'S6-true': { change: { body: true } },
	'S7-S10': { change: { status: 204 } },
	S8: { change: { body: { code: 0, message: 'Your email has been scheduled' } } },
	S9: { change: { headers: text, body: 'Document sent' } },
	S11: { change: { body: { success: true } } },
	S12: { change: { body: { objects: [null] } } },
	S13: { change: { body: { id: 'cus_1', object: 'customer', deleted: true } } },
	S14: { change: { body: { Accounts: [{ AccountID: 'a', Status: 'DELETED' }] } } },
	S15: { change: { body: { success: true, data: { deleted: false } } } },
	S16: { change: { body: {} } },
	S18: { change: { headers: { 'content-type': 'application/pdf' }, body: PDF } },
	S19: {
		change: { body: { objects: { filename: 'a.pdf', base64encoded: true, content: 'JVBE' } } },
	},
	S20: { change: { body: { documentFileId: 'a' } } },
	'S21-B4': { change: { body: { message: 'No Invoices Found' } } },
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
	B3: { change: { body: { code: 0, message: 'The payments have been deleted.' } } },
	B5: {
		change: {
			body: { responses: { a: {}, b: { errors: [{ code: 'NOT_FOUND', detail: 'Not found' }] } } },
		},
	},
	B6: {
		change: {
			body: {
				BatchItemResponse: [
					{ bId: '1', Customer: {} },
					{ bId: '2', Fault: { Error: [] } },
				],
			},
		},
	},
	B7: {
		change: {
			body: {
				Status: 'OK',
				Items: [
					{ StatusAttributeString: 'OK' },
					{ StatusAttributeString: 'ERROR', ValidationErrors: [{ Message: 'Locked' }] },
				],
			},
		},
	},
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
	B9: {
		change: {
			status: 207,
			body: {
				results: [
					{ id: 'a', status: 200 },
					{ id: 'b', status: 404 },
				],
			},
		},
	},
};
