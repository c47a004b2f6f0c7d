// The sandbox's own invention: the requests and responses of the endpoints in the interface document (section 4). The
// document shows neither parameters nor bodies, and for the bulk deletions not even the methods and the full
// paths.

import { errorResponse, jsonResponse, type SandboxResponse } from '../responses';
import { isRecord } from '../record';
import type { ReceivedRequest } from '../request';
import type { Endpoint } from './endpoint';
import { ParameterError, selectPage } from './pagination';

const badRequest = (message: string): SandboxResponse => errorResponse(400, message);

/** Responds with a list under its name. */
function listResponse(
	name: string,
	records: unknown[],
	{ query }: ReceivedRequest,
): SandboxResponse {
	try {
		const { items, nextCursor } = selectPage(records, query);
		return jsonResponse(200, { [name]: items, nextCursor });
	} catch (error) {
		if (error instanceof ParameterError) return badRequest(error.message);
		throw error;
	}
}

const getContacts: Endpoint = ({ request, contacts }) =>
	listResponse('contacts', contacts.list(), request);

/** Not in the document, which says that its list of endpoints is not complete. */
const getPayments: Endpoint = ({ request, payments }) =>
	listResponse('payments', payments.list(), request);

/** Sends a document to a customer, which means that the journal records it. */
const sendDocument: Endpoint = ({ request, recordDocument }) => {
	if (!isRecord(request.body)) return badRequest('A JSON object is required');
	return jsonResponse(200, { id: recordDocument().id, status: 'sent' });
};

/** The IDs of a bulk deletion; undefined if there are none, or if one of them is invalid. */
function readIds(body: unknown): string[] | undefined {
	const ids = isRecord(body) ? body.ids : undefined;
	if (!Array.isArray(ids) || ids.length === 0) return undefined;
	const isId = (id: unknown): boolean =>
		(typeof id === 'string' && id.trim() !== '') || typeof id === 'number';
	return ids.every(isId) ? ids.map(String) : undefined;
}

/** Reports every transaction as deleted, because the sandbox keeps none. */
const bulkDeleteTransactions: Endpoint = ({ request }) => {
	const ids = readIds(request.body);
	if (ids === undefined) return badRequest('ids must be a list of at least one id');
	return jsonResponse(200, { deleted: ids.length });
};

const deleteContacts: Endpoint = ({ request, contacts }) => {
	const ids = readIds(request.body);
	if (ids === undefined) return badRequest('ids must be a list of at least one id');
	return jsonResponse(200, { deleted: contacts.remove(ids) });
};

/** The endpoints of section 4, with another possible method of its deletions, and one more list. */
export const DOCUMENTED_ENDPOINTS: Record<string, Endpoint> = {
	'GET /masterdata/getContacts': getContacts,
	'GET /txndata/getPayments': getPayments,
	'POST /txndata/sendTxn': sendDocument,
	'POST /txndata/sendPayment': sendDocument,
	'POST /txndata/sendTxnWP': sendDocument,
	'POST /txndata/bulkDeleteTxn': bulkDeleteTransactions,
	'DELETE /txndata/bulkDeleteTxn': bulkDeleteTransactions,
	'POST /masterdata/deleteContacts': deleteContacts,
	'DELETE /masterdata/deleteContacts': deleteContacts,
};
