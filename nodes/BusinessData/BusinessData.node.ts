/** Programmatic, because n8n's declarative engine starts the requests of all items at once, which the limits forbid. */
import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { nodeHint } from './builderHints';
import { testCredential } from './credentialTest';
import { resources } from './resources';
import { describeResource } from './operations/operation';
import { durationHints } from './operations/send';
import { router } from './router';

export class BusinessData implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Business Data',
		name: 'businessData',
		icon: { light: 'file:businessData.svg', dark: 'file:businessData.dark.svg' },
		group: ['transform'],
		// A list, so that n8n adds no "Custom API Call": that leads to the HTTP Request node, which knows no limits.
		version: [1],
		defaultVersion: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Read contacts, send invoices and payment documents, and delete records in bulk in your bookkeeping service, within its rate limits',
		defaults: { name: 'Business Data' },
		usableAsTool: true,
		builderHint: nodeHint,
		// The key itself is masked wherever the service echoes it. In n8n 2.x, this hides any other value in these fields.
		sensitiveOutputFields: ['apiKey', 'x-api-key', 'headers.x-api-key'],
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		// n8n's linter only reads literals.
		credentials: [{ name: 'businessDataApi', required: true, testedBy: 'testCredential' }],
		hints: durationHints,
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: resources.map(({ option }) => option),
				default: 'contact',
			},
			...resources.flatMap(describeResource),
		],
	};

	methods = { credentialTest: { testCredential } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await router(this);
	}
}
