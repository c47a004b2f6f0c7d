/** Finds the operation that the user chose, and runs it. */
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { resources } from './index';
import { Run } from './run';

export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
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
	return [await Run.during(context, async (run) => await operation.execute(run))];
}
