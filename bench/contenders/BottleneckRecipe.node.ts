// The usual recipe for several limits: a chain of Bottleneck limiters, one per window, each with a reservoir that is
// refreshed once per window. All workflows of the process share the limiters of an address, which is better than the
// recipe with separate limiters in each run.
import Bottleneck from 'bottleneck';
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { CREDENTIAL_TYPE, outputOfAll, REQUEST_PROPERTIES, sendItem } from './itemRequest';

interface Window {
	max: number;
	windowMs: number;
}

const limitersByUrl = new Map<string, Bottleneck>();

function chainedLimiters(windows: Window[]): Bottleneck {
	const limiters = windows.map(
		({ max, windowMs }) =>
			new Bottleneck({
				reservoir: max,
				reservoirRefreshAmount: max,
				reservoirRefreshInterval: windowMs,
			}),
	);
	const [first = new Bottleneck(), ...others] = limiters;
	others.reduce((limiter, next) => {
		limiter.chain(next);
		return next;
	}, first);
	return first;
}

function limiterFor(url: string, windows: Window[]): Bottleneck {
	const limiter = limitersByUrl.get(url) ?? chainedLimiters(windows);
	limitersByUrl.set(url, limiter);
	return limiter;
}

export class BottleneckRecipe implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Benchmark Bottleneck Recipe',
		name: 'bottleneckRecipe',
		group: ['transform'],
		version: 1,
		description: 'Sends a request per item through chained Bottleneck limiters',
		defaults: { name: 'Benchmark Bottleneck Recipe' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		properties: [
			...REQUEST_PROPERTIES,
			{ displayName: 'Windows', name: 'windows', type: 'json', default: '[]' },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const windows = JSON.parse(this.getNodeParameter('windows', 0) as string) as Window[];
		const limiter = limiterFor(this.getNodeParameter('url', 0) as string, windows);
		return await outputOfAll(this, (itemIndex) =>
			limiter.schedule(() => sendItem(this, itemIndex)),
		);
	}
}
