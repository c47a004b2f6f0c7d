/** Parameters and settings of the node, and the endpoints that it then calls. */
import type { INode } from 'n8n-workflow';

export const READ_ENDPOINT = 'GET /masterdata/getContacts';
export const SEND_ENDPOINT = 'POST /txndata/sendTxn';
export const DELETE_ENDPOINT = 'POST /txndata/bulkDeleteTxn';

type NodeParameters = INode['parameters'];

/** Parameters of the node. Each makes one request per item, except that a deletion takes all items together. */
export const read = (options: NodeParameters = {}): NodeParameters => ({
	resource: 'contact',
	operation: 'getMany',
	returnAll: true,
	options,
});
export const send = (options: NodeParameters = {}): NodeParameters => ({
	resource: 'transaction',
	operation: 'send',
	dataMode: 'autoMapInputData',
	options,
});
export const deleteMany = (options: NodeParameters = {}): NodeParameters => ({
	resource: 'transaction',
	operation: 'deleteMany',
	ids: '={{ $json.id }}',
	options,
});
export const apiRequest = (
	method: string,
	path: string,
	options: NodeParameters = {},
): NodeParameters => ({ resource: 'apiRequest', operation: 'send', method, path, options });

/** Options of all operations that make requests. */
export const query = (name: string, value: string) => ({
	queryParameters: { parameters: [{ name, value }] },
});
export const headers = (...parameters: Array<{ name: string; value: string }>) => ({
	headerParameters: { parameters },
});

/** Options of sends, and of lists. */
export const ONCE = { sendOnceKey: '={{ $json.id }}' };
export const pages = (type: string, values: NodeParameters = {}) => ({
	pagination: { values: { type, ...values } },
});

/** Options of the trigger. */
export const incremental = (values: NodeParameters = {}) => ({
	incremental: { values: { parameter: 'since', ...values } },
});
export const deletedWhen = (field: string, value: string) => ({
	deletedWhen: { values: { field, value } },
});

/** Outputs the state of the limits. */
export const getStatus: NodeParameters = { resource: 'rateLimit', operation: 'getStatus' };

/** Settings of the node. */
export const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
export const CONTINUE_ON_ERROR = { onError: 'continueRegularOutput' } as const;
export const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;

/** Sent Document for a key of Transaction → Send. */
export const sentDocument = (
	operation: 'get' | 'markAsSent' | 'release',
	parameters: NodeParameters = {},
): NodeParameters => ({
	resource: 'sentDocument',
	operation,
	sentWith: 'transaction:send',
	sendOnceKey: '={{ $json.id }}',
	workflowId: '={{ $workflow.id }}',
	...parameters,
});
