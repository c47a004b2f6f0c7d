/** Signs of a failure in a response with the status 200, as services write them. */
import { holdsFailure } from '../../../nodes/BusinessData/transport/signsOfFailure';

test.each([
	{ success: false },
	{ results: [{ isSuccess: true }, { isSuccess: false }] },
	{ ok: 'false' },
	{ deleted: [1], failed: [2] },
	{ deletedCount: 1, failedCount: 1 },
	{ errorCount: '1' },
	{ hasErrors: true, items: [] },
	[{ id: 2, errorMessage: 'locked' }],
	{ data: {}, errorCode: 17 },
	{ data: {}, error_code: 'PARTY_LOCKED' },
	{ exceptions: [{ id: 2 }] },
	{ deleted: 1, notFound: [2] },
	{ accepted: [1], rejected: [{ id: 2 }] },
	{ unprocessedIds: [2] },
	{ successfulInvoices: [{ id: 1 }], failedInvoices: [{ id: 2 }] },
	{ successCount: 1, failCount: 1 },
	{
		results: [
			{ id: 1, succeeded: true },
			{ id: 2, succeeded: false },
		],
	},
	{ deleted: [1], notDeleted: [2], skipped: [] },
	{ status: 'NOK' },
	[{ id: 2, httpStatus: 409 }],
	[{ id: 2, code: 409, message: 'locked' }],
	{ Fault: { Error: [{ Message: 'locked' }] } },
])('%j looks like a failure', (body) => {
	expect(holdsFailure(body)).toBe(true);
});

test.each([
	{ success: true, errors: {}, error_code: '', failedCount: 0 },
	{ errorCode: 0, errorMessage: 'Success' },
	{ error: 0, error_message: 'Client created' },
	{ errorCode: '0000' },
	{ failedLogins: 3, failedInvoices: [], state: 'Tokyo' },
	{ error: 'none', exception: null, hasErrors: 'false' },
	// A bookkeeping account, not an error.
	{ lines: [{ account: { code: '400', name: 'Advertising' }, result: 412.5 }] },
	{ data: [{ id: 1, deleted: false }], notFound: [], status: 'sent', httpStatus: 204 },
	undefined,
	true,
])('%j does not look like a failure', (body) => {
	expect(holdsFailure(body)).toBe(false);
});
