// The contenders: the node of each in a workflow, and the credential that it needs.
import type { Credential, WorkflowNode } from '../scripts/host/n8nTypes';
import { node } from '../test/n8n/workflows';
import { credentialFor } from '../test/support/scaledLimits';
import { type Window, windowsOf } from './bestSchedule';
import type { ContenderId, WorkItem } from './workItems';

/** The address and the API key of a contender's service. */
export interface Service {
	baseUrl: string;
	apiKey: string;
	/** The port of the shared limit store, a Redis on 127.0.0.1. */
	redisPort?: number;
}

export interface Contender {
	/** The name on the page. */
	title: string;
	/** The form of Retry-After in the service's refusals. */
	retryAfter: 'none' | 'seconds';
	credential(service: Service, item: WorkItem): Omit<Credential, 'name'>;
	/** The node that does the work, without its credential. */
	node(service: Service, item: WorkItem): WorkflowNode;
}

type Parameters = Record<string, unknown>;

/** The name of the working node in every workflow of the benchmark. */
const WORKER = 'Contender';
/** The maximum of n8n. */
export const MAX_TRIES = 5;
export const WAIT_BETWEEN_TRIES_MS = 5_000;
/** The defaults of a reactive community node. */
export const REACTIVE = {
	model: 'the community node @bauer-group/n8n-nodes-http-throttled-request 0.3.6',
	waitMs: 5_000,
	longestWaitMs: 300_000,
	jitter: 0.25,
	maxRetries: 5,
};
/** A margin in addition to the interval that the limits require. */
const BATCH_MARGIN_MS = 100;

const NUMBER = '={{ $json.number }}';
const QUERY = { parameters: [{ name: 'number', value: NUMBER }] };
const CONTINUE = { onError: 'continueRegularOutput' };

const splitEndpoint = (endpoint: string): [method: string, path: string] => {
	const [method = '', path = ''] = endpoint.split(' ', 2);
	return [method, path];
};

const headerAuth: Contender['credential'] = ({ apiKey }) => ({
	type: 'httpHeaderAuth',
	data: { name: 'x-api-key', value: apiKey },
});

/**
 * The batch size that the shortest window allows, and the interval (ms) between batches that the longest window
 * allows.
 */
export function batchingFor(windows: Window[]): { batchSize: number; batchInterval: number } {
	const batchSize = Math.min(...windows.map(({ max }) => max));
	const interval = Math.max(...windows.map(({ max, windowMs }) => (windowMs * batchSize) / max));
	return { batchSize, batchInterval: interval + BATCH_MARGIN_MS };
}

function httpRequest({ baseUrl }: Service, item: WorkItem, options: Parameters): WorkflowNode {
	const [method, path] = splitEndpoint(item.endpoint);
	const body = { sendBody: true, contentType: 'json', specifyBody: 'json' };
	return node(WORKER, 'n8n-nodes-base.httpRequest', 4.5, {
		method,
		url: `${baseUrl}${path}`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
		sendQuery: true,
		queryParameters: QUERY,
		...(method === 'GET' ? {} : { ...body, jsonBody: '={{ JSON.stringify($json) }}' }),
		options,
	});
}

function ownNode(
	type: string,
	{ baseUrl }: Service,
	{ endpoint }: WorkItem,
	parameters: Parameters,
): WorkflowNode {
	const [method, path] = splitEndpoint(endpoint);
	return node(WORKER, `CUSTOM.${type}`, 1, { method, url: `${baseUrl}${path}`, ...parameters });
}

function reactive(service: Service, item: WorkItem): WorkflowNode {
	return ownNode('reactiveLimiter', service, item, {
		defaultWaitMs: REACTIVE.waitMs * item.waitScale,
		longestWaitMs: REACTIVE.longestWaitMs * item.waitScale,
		jitter: REACTIVE.jitter,
		maxRetries: REACTIVE.maxRetries,
	});
}

const OPERATIONS: Record<WorkItem['work'], (options: Parameters) => Parameters> = {
	read: (options) => ({ resource: 'contact', operation: 'getMany', returnAll: true, options }),
	send: (options) => ({
		resource: 'transaction',
		operation: 'send',
		dataMode: 'autoMapInputData',
		options: { ...options, sendOnceKey: NUMBER },
	}),
	delete: () => ({ resource: 'transaction', operation: 'deleteMany', ids: NUMBER, options: {} }),
};

export const CONTENDERS: Record<ContenderId, Contender> = {
	plain: {
		title: 'HTTP Request, defaults',
		retryAfter: 'none',
		credential: headerAuth,
		node: (service, item) => ({ ...httpRequest(service, item, {}), ...CONTINUE }),
	},
	retry: {
		title: 'HTTP Request, Retry On Fail',
		retryAfter: 'none',
		credential: headerAuth,
		// Retry On Fail needs a node that fails, so it stops on an error.
		node: (service, item) => ({
			...httpRequest(service, item, {}),
			retryOnFail: true,
			maxTries: MAX_TRIES,
			waitBetweenTries: WAIT_BETWEEN_TRIES_MS * item.waitScale,
		}),
	},
	reactive: {
		title: 'Reactive limiter, no Retry-After',
		retryAfter: 'none',
		credential: headerAuth,
		node: reactive,
	},
	reactiveRetryAfter: {
		title: 'Reactive limiter, Retry-After',
		retryAfter: 'seconds',
		credential: headerAuth,
		node: reactive,
	},
	batching: {
		title: 'HTTP Request, batching',
		retryAfter: 'none',
		credential: headerAuth,
		node: (service, item) => {
			const batch = batchingFor(windowsOf(item.limits, item.endpoint));
			return { ...httpRequest(service, item, { batching: { batch } }), ...CONTINUE };
		},
	},
	recipe: {
		title: 'Bottleneck recipe',
		retryAfter: 'none',
		credential: headerAuth,
		node: (service, item) =>
			ownNode('bottleneckRecipe', service, item, {
				windows: JSON.stringify(windowsOf(item.limits, item.endpoint)),
			}),
	},
	package: {
		title: 'Business Data node',
		retryAfter: 'none',
		credential: ({ redisPort, ...service }, { limits }) => ({
			type: 'businessDataApi',
			data: {
				...credentialFor(service, limits),
				...(redisPort && { limitStore: 'redis', redisHost: '127.0.0.1', redisPort }),
			},
		}),
		node: (_service, { work }) => ({
			...node(
				WORKER,
				'n8n-nodes-business-data.businessData',
				1,
				OPERATIONS[work]({ queryParameters: QUERY }),
			),
			...CONTINUE,
		}),
	},
};
