// Outputs numbered items, the input of a benchmark workflow.
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

export class BenchItems implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Benchmark Items',
		name: 'benchItems',
		group: ['input'],
		version: 1,
		description: 'Puts out numbered items',
		defaults: { name: 'Benchmark Items' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'First', name: 'first', type: 'number', default: 1 },
			{ displayName: 'Count', name: 'count', type: 'number', default: 1 },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const first = Number(this.getNodeParameter('first', 0));
		const count = Number(this.getNodeParameter('count', 0));
		const items = Array.from({ length: count }, (_, index) => ({
			json: { number: first + index },
			pairedItem: { item: 0 },
		}));
		return await Promise.resolve([items]);
	}
}
