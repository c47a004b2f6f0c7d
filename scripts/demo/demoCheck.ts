// Checks the result of a run of the demo workflow.
import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../host/executionData';
import { DEMO_CONTACT_COUNT } from './demoWorkflow';

const IDS_PER_REQUEST = 100;
const DELETE_REQUESTS = Math.ceil(DEMO_CONTACT_COUNT / IDS_PER_REQUEST);

const EXPECTED_ITEMS: Record<string, number> = {
	Start: 1,
	'Read contacts': DEMO_CONTACT_COUNT,
	'Send a document': 1,
	'Contacts, once the document is sent': DEMO_CONTACT_COUNT,
	// One item per request.
	'Delete the contacts': DELETE_REQUESTS,
};

const EXPECTED_REQUESTS: Record<string, number> = {
	'GET /masterdata/getContacts': 1,
	'POST /txndata/sendTxn': 1,
	'POST /masterdata/deleteContacts': DELETE_REQUESTS,
};

function hasError(item: unknown): boolean {
	return typeof item === 'object' && item !== null && 'error' in item;
}

function nodeProblems({ nodes }: ExecutionResult): string[] {
	const problems = nodes.flatMap(({ name, status, items, error }) => [
		...(status === 'success'
			? []
			: [`${name}: ${status}${error === undefined ? '' : `, ${error}`}`]),
		...(items.some(hasError) ? [`${name}: some of its items are errors`] : []),
	]);
	for (const [name, expected] of Object.entries(EXPECTED_ITEMS)) {
		const count = nodes.find((node) => node.name === name)?.items.length;
		if (count === undefined) problems.push(`${name}: did not run`);
		else if (count !== expected) problems.push(`${name}: ${count} items instead of ${expected}`);
	}
	return problems;
}

function sandboxProblems(sandbox: Sandbox): string[] {
	const { refused, documents, byEndpoint, byStatus } = sandbox.journal.summary();
	const remaining = sandbox.contacts.list().length;
	return [
		...(refused === 0 ? [] : [`the sandbox refused ${refused} requests for exceeding a limit`]),
		...(documents === 1 ? [] : [`${documents} documents were sent instead of 1`]),
		...(remaining === 0 ? [] : [`${remaining} contacts were not deleted`]),
		...Object.keys(byStatus)
			.filter((status) => !status.startsWith('2'))
			.map((status) => `the sandbox answered ${byStatus[status]} requests with ${status}`),
		...(isDeepStrictEqual(byEndpoint, EXPECTED_REQUESTS)
			? []
			: [
					`the requests were ${JSON.stringify(byEndpoint)} ` +
						`instead of ${JSON.stringify(EXPECTED_REQUESTS)}`,
				]),
	];
}

/** The problems of a run of the demo workflow, one line each; empty if everything succeeded. */
export function findProblems(execution: ExecutionResult, sandbox: Sandbox): string[] {
	const ofNodes = nodeProblems(execution);
	const { status, error } = execution;
	// The error of a node is also the error of the execution.
	const isReported = error === undefined || ofNodes.some((problem) => problem.includes(error));
	const reason = isReported ? '' : `: ${error}`;
	return [
		...(status === 'success' ? [] : [`the execution ended with ${status}${reason}`]),
		...ofNodes,
		...sandboxProblems(sandbox),
	];
}
