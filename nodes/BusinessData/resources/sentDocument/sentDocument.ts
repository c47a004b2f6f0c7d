/** The operations of Sent Document, which show or change what is remembered of a Send Once Key, without a request. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { requireWorkflow, SendOnce } from '../../sendOnce';
import { parseEndpoint } from '../../transport/endpointPath';
import { type Endpoint, SEND_ENDPOINTS, SEND_NAMES } from '../../transport/endpoints';
import { InvalidSettingError } from '../../values/invalidSettingError';
import { readChoice, readFilledText, readText } from '../../values/settingValues';
import { prepareTasks, runTasks, type Task, type TaskKind } from '../../items/runTasks';
import type { Operation } from '../../operations/operation';
import { sendChoices } from '../../operations/send';
import type { TaskResult } from '../../run/previousAttempts';
import type { Run } from '../../run/run';
import { readKey, sendOnceKeyField } from '../../parameters/sendOnceOptions';

/** For n8n's AI builder. */
export const KEY_HINT =
	'Give the sendOnceKey and the sentWith of the send. From another workflow, give the workflowId of the one that sends.';

const API_REQUEST = 'apiRequest';
const SENT_WITH = [...SEND_NAMES, API_REQUEST] as const;

const UNKNOWN_KEY =
	'no send was remembered under the key. A key belongs to its workflow, credential and endpoint: check Workflow ID, the credential and Sent With.';

const LOOK_UPS: TaskKind = { atOnce: 1 };

/** The lists keep Retry On Fail from repeating a change: a key that was released may have been sent since. */
const STATE_CHANGES: TaskKind = {
	atOnce: 1,
	lists: {
		done: ['Changed', 'changedItems'],
		failed: ['Not changed', 'failedItems'],
		notTried: ['Not tried', 'notTriedItems'],
	},
};

const fields: INodeProperties[] = [
	{
		displayName: 'Sent With',
		name: 'sentWith',
		type: 'options',
		default: 'transaction:send',
		description: 'The operation that sends the document',
		options: sendChoices({
			name: 'API Request',
			value: API_REQUEST,
			description: 'Any other endpoint',
		}),
	},
	{
		displayName: 'Endpoint',
		name: 'endpoint',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. POST /txndata/sendTxn',
		displayOptions: { show: { sentWith: [API_REQUEST] } },
		description: 'Method and path that the API Request sends to',
	},
	{ ...sendOnceKeyField, required: true, description: 'The Send Once Key of the document' },
	{
		displayName: 'Workflow ID',
		name: 'workflowId',
		type: 'string',
		required: true,
		default: '={{ $workflow.id }}',
		description: 'The workflow that sends the document, if it is another one',
	},
];

/** @param change the new state; undefined to only look it up */
export function sentDocumentOperation(
	option: INodePropertyOptions,
	change?: 'sent' | 'notSent',
): Operation {
	return {
		option,
		fields,
		execute: async (run) => {
			const tasks = await prepareTasks(run, (itemIndex) => prepare(run, itemIndex, change));
			return await runTasks(run, tasks, change === undefined ? LOOK_UPS : STATE_CHANGES);
		},
	};
}

function prepare(run: Run, itemIndex: number, change?: 'sent' | 'notSent'): Task {
	const sentWith = readChoice('Sent With', run.parameter('sentWith', itemIndex), SENT_WITH);
	const { id: ownId } = run.context.getWorkflow();
	const workflowId = readFilledText(
		'Workflow ID',
		run.parameter('workflowId', itemIndex, ownId),
		'Save the workflow, or enter the ID of the one that sends the document.',
	);
	const sendOnceKey = readKey(run.parameter('sendOnceKey', itemIndex), { isOption: false });
	const endpoint = readEndpoint(run, itemIndex, sentWith);
	const execute = async (): Promise<TaskResult> => {
		const document = new SendOnce(run, { workflowId, endpoint, key: sendOnceKey });
		// With a wrong ID, the document would seem not to be sent.
		if (workflowId !== ownId) await requireWorkflow(workflowId);
		if (change !== undefined && !(await document.change(change)))
			run.hint(UNKNOWN_KEY, [itemIndex]);
		const state = change ?? (await document.get());
		return { output: [{ json: { sendOnceKey, sentWith, state } }], ending: 'done' };
	};
	return { items: [itemIndex], execute };
}

function readEndpoint(run: Run, itemIndex: number, sentWith: (typeof SENT_WITH)[number]): Endpoint {
	if (sentWith !== API_REQUEST) return SEND_ENDPOINTS[sentWith];
	const field = 'Endpoint';
	const text = readText(field, run.parameter('endpoint', itemIndex, ''));
	const endpoint = parseEndpoint(text, field, { isExact: true });
	// With a read, the document would seem not to be sent.
	if (endpoint.method === 'GET' || endpoint.method === 'HEAD') {
		const howToFix = 'Write the method that the API Request sends with, such as POST.';
		throw new InvalidSettingError(field, `${endpoint.method} sends nothing`, howToFix);
	}
	return endpoint;
}
