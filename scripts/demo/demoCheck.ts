// Checks the result of a run of the demo workflow.
import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../host/executionData';
import { DEMO_CONTACT_COUNT } from './demoWorkflow';

const IDS_PER_REQUEST = 100;
const DELETE_REQUESTS = Math.ceil(DEMO_CONTACT_COUNT / IDS_PER_REQUEST);

const EXPECTED: Record<string, unknown> = {
	'the execution': 'success',
	'items by node': {
		Start: 1,
		'Read contacts': DEMO_CONTACT_COUNT,
		'Send a document': 1,
		'Contacts, once the document is sent': DEMO_CONTACT_COUNT,
		// One item per request.
		'Delete the contacts': DELETE_REQUESTS,
	},
	'items with an error': 0,
	'refused requests': 0,
	'sent documents': 1,
	'contacts left': 0,
	'requests by endpoint': {
		'GET /masterdata/getContacts': 1,
		'POST /txndata/sendTxn': 1,
		'POST /masterdata/deleteContacts': DELETE_REQUESTS,
	},
	'requests by status': { 200: 2 + DELETE_REQUESTS },
};

const isError = (item: unknown) => typeof item === 'object' && item !== null && 'error' in item;

/** The problems of a run of the demo workflow, one line each; empty if everything succeeded. */
export function findProblems(
	{ status, error, nodes }: ExecutionResult,
	sandbox: Sandbox,
): string[] {
	const { refused, documents, byEndpoint, byStatus } = sandbox.journal.summary();
	const actual: Record<string, unknown> = {
		'the execution': error === undefined ? status : `${status}, ${error}`,
		'items by node': Object.fromEntries(nodes.map(({ name, items }) => [name, items.length])),
		'items with an error': nodes.flatMap(({ items }) => items).filter(isError).length,
		'refused requests': refused,
		'sent documents': documents,
		'contacts left': sandbox.contacts.list().length,
		'requests by endpoint': byEndpoint,
		'requests by status': byStatus,
	};
	return Object.entries(EXPECTED)
		.map(([name, expected]) => ({ name, is: actual[name], expected }))
		.filter(({ is, expected }) => !isDeepStrictEqual(is, expected))
		.map(
			({ name, is, expected }) => `${name}: ${JSON.stringify(is)}, not ${JSON.stringify(expected)}`,
		);
}
