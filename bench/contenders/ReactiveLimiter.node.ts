// A limiter that only reacts, like the throttling HTTP Request nodes of the community: it sends all requests at once,
// and after a 429 retries a few times, after Retry-After or a fixed wait. Items and workflows share nothing.
import type {
	IExecuteFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { CREDENTIAL_TYPE, outputOfAll, REQUEST_PROPERTIES, sendItem } from './itemRequest';

const TOO_MANY_REQUESTS = 429;

/** When and how often a refused request is retried. */
interface Reaction {
	/** The wait (ms) without Retry-After. */
	defaultWaitMs: number;
	/** The longest wait (ms). */
	longestWaitMs: number;
	/** The share by which each wait may be shorter or longer. */
	jitter: number;
	maxRetries: number;
}

/** The wait (ms) in the Retry-After header, in seconds or as a date. */
function retryAfterMs(value: unknown): number | undefined {
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const seconds = Number(value);
	const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
	return milliseconds > 0 ? milliseconds : undefined;
}

function waitAfter({ headers }: IN8nHttpFullResponse, reaction: Reaction): number {
	const { defaultWaitMs, longestWaitMs, jitter } = reaction;
	const wait = Math.min(retryAfterMs(headers['retry-after']) ?? defaultWaitMs, longestWaitMs);
	return wait * (1 + jitter * (2 * Math.random() - 1));
}

async function withRetries(
	send: () => Promise<IN8nHttpFullResponse>,
	reaction: Reaction,
): Promise<IN8nHttpFullResponse> {
	let response = await send();
	for (let retry = 0; retry < reaction.maxRetries; retry += 1) {
		if (response.statusCode !== TOO_MANY_REQUESTS) break;
		const wait = waitAfter(response, reaction);
		await new Promise((resolve) => setTimeout(resolve, wait));
		response = await send();
	}
	return response;
}

export class ReactiveLimiter implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Benchmark Reactive Limiter',
		name: 'reactiveLimiter',
		group: ['transform'],
		version: 1,
		description: 'Sends a request per item and retries what was refused',
		defaults: { name: 'Benchmark Reactive Limiter' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		properties: [
			...REQUEST_PROPERTIES,
			{ displayName: 'Default Wait', name: 'defaultWaitMs', type: 'number', default: 5_000 },
			{ displayName: 'Longest Wait', name: 'longestWaitMs', type: 'number', default: 300_000 },
			{ displayName: 'Jitter', name: 'jitter', type: 'number', default: 0.25 },
			{ displayName: 'Max Retries', name: 'maxRetries', type: 'number', default: 5 },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const read = (name: keyof Reaction): number => Number(this.getNodeParameter(name, 0));
		const reaction: Reaction = {
			defaultWaitMs: read('defaultWaitMs'),
			longestWaitMs: read('longestWaitMs'),
			jitter: read('jitter'),
			maxRetries: read('maxRetries'),
		};
		return await outputOfAll(this, (itemIndex) =>
			withRetries(() => sendItem(this, itemIndex), reaction),
		);
	}
}
