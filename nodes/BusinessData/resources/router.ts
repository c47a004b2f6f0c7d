/** Finds the operation that the user chose, and runs it. */
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { resources } from './index';
import { errorItem, toNodeError } from './itemErrors';
import type { Operation } from './operation';
import { Run } from './run';

export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	try {
		const operation = chosenOperation(context);
		return [await Run.during(context, async (run) => await operation.execute(run))];
	} catch (error) {
		const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
		if (!context.continueOnFail() || isCanceled) throw error;
		// What no item could begin with. n8n itself would pass the input on as if it had all gone well.
		const nodeError = toNodeError(context.getNode(), error);
		return [context.getInputData().map((input, index) => errorItem(input, nodeError, index))];
	}
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const resourceName = context.getNodeParameter('resource', 0);
	const operationName = context.getNodeParameter('operation', 0);
	const operation = resources
		.find(({ option }) => option.value === resourceName)
		?.operations.find(({ option }) => option.value === operationName);
	if (operation === undefined) {
		throw new NodeOperationError(
			context.getNode(),
			`The operation "${operationName}" of "${resourceName}" is not known`,
			{ description: 'Choose a resource and an operation from the lists.' },
		);
	}
	return operation;
}
