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
		// An error before the first item: n8n itself would pass the input on as if nothing had failed.
		return [context.getInputData().map((input, index) => errorItem(input, nodeError, index))];
	}
}

/** n8n's newer agents read only the message, and would repeat a call that may have sent something. */
function addDescription(error: NodeError): void {
	const { message, description } = error;
	if (description && !message.includes(description)) error.message += `\n\n${description}`;
}

/** n8n's older agents hide a thrown error from their model, which would repeat a call that may have sent something. */
function isReturnedToAgent(context: IExecuteFunctions): boolean {
	// The tool of a newer agent: n8n's engine passes the error on.
	if (context.getInputData()[0]?.json.toolCallId !== undefined) return context.continueOnFail();
	const executionId: string | undefined = context.getExecutionId();
	const isBehindMcpTrigger = executionId === undefined;
	// n8n retries only what is thrown.
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
