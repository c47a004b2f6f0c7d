import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Operation } from './operations/operation';
import { resources } from './resources/index';
import { errorItem, type NodeError } from './run/itemErrors';
import { isLastAttempt, isToolCall } from './run/previousAttempts';
import { Run } from './run/run';
import { isCanceled } from './transport/requestError';
import { InvalidSettingError } from './values/invalidSettingError';

export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	try {
		return [await Run.during(context, async (run) => await chosenOperation(context).execute(run))];
	} catch (error) {
		const nodeError = error as NodeError;
		const isTool = isToolCall(context);
		if (isTool) addDescription(nodeError);
		const isReturned = isTool ? isReturnedToAgent(context) : context.continueOnFail();
		if (!isReturned || isCanceled(context)) throw nodeError;
		if (isTool) return [[{ json: { error: nodeError.message }, error: nodeError }]];
		// An error before the first item: n8n itself would pass the input on as if all had gone well.
		return [context.getInputData().map((input, index) => errorItem(input, nodeError, index))];
	}
}

/** n8n's newer agents read only the message, and would call again what may have been sent. */
function addDescription(error: NodeError): void {
	const { message, description } = error;
	if (description && !message.includes(description)) error.message += `\n\n${description}`;
}

/** n8n's older agents tell their model nothing of what a tool throws: it would call again what may have been sent. */
function isReturnedToAgent(context: IExecuteFunctions): boolean {
	// Of these, n8n's engine tells the newer agents.
	if (context.getInputData()[0]?.json.toolCallId !== undefined) return context.continueOnFail();
	const executionId: string | undefined = context.getExecutionId();
	const isBehindMcpTrigger = executionId === undefined;
	// Only what is thrown is retried.
	return !isBehindMcpTrigger && isLastAttempt(context);
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const resourceName = context.getNodeParameter('resource', 0, '');
	const operationName = context.getNodeParameter('operation', 0, '');
	const resource = resources.find(({ option }) => option.value === resourceName);
	const operation = resource?.operations.find(({ option }) => option.value === operationName);
	if (operation !== undefined) return operation;
	throw new InvalidSettingError(
		resource === undefined ? 'Resource' : 'Operation',
		'is not known',
		'Choose a resource and an operation from the lists.',
	);
}
