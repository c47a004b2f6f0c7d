/**
 * The smallest context in which a run works: items, parameters and a credential from a test, and a
 * service that responds to each request with a function of the test.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { Run } from '../../../nodes/BusinessData/run/run';
import { BASE_URL, requiredFields } from '../transport/examples';
import { NODE_TYPE, nodeOf } from '../../support/engineWorkflow';

export const node = nodeOf('Business Data', NODE_TYPE, {});

/** A request as n8n's HTTP helper is asked for it. */
export interface SentRequest {
	method: string;
	/** With the query, below the base URL. */
	path: string;
	body: unknown;
	options: IHttpRequestOptions;
}

export interface Setup {
	items?: IDataObject[];
	/** Values by parameter name, or a function that gives those of an item. */
	parameters?: IDataObject | ((itemIndex: number) => IDataObject);
	/** The parameters as they are saved; without them, any may be an expression. */
	written?: IDataObject;
	credential?: IDataObject;
	continueOnFail?: boolean;
	stopped?: AbortSignal;
	/** The body of the response (anything that is no text is sent as JSON), or throws the failure. */
	response?: (request: SentRequest, count: number) => unknown;
	statusCode?: number;
	headers?: IDataObject;
}

type Context = Pick<
	IExecuteFunctions,
	| 'getInputData'
	| 'getNodeParameter'
	| 'getCredentials'
	| 'getNode'
	| 'continueOnFail'
	| 'addExecutionHints'
	| 'getExecutionCancelSignal'
	| 'getExecutionId'
	| 'getWorkflow'
	| 'logger'
> & { helpers: Pick<IExecuteFunctions['helpers'], 'httpRequestWithAuthentication'> };

export interface FakeContext {
	context: IExecuteFunctions;
	sent: SentRequest[];
	hints: NodeExecutionHint[];
}

export function fakeContext(setup: Setup = {}): FakeContext {
	const { items = [{}], parameters = {}, statusCode = 200, headers = {} } = setup;
	const sent: SentRequest[] = [];
	const hints: NodeExecutionHint[] = [];
	// No limits, so that nothing waits. Where a test sets some, no other has used up the room of its key.
	const credential = {
		...requiredFields,
		...(setup.credential?.limits !== undefined && { apiKey: randomBytes(32).toString('hex') }),
		customize: true,
		limits: { general: [] },
		...setup.credential,
	};
	const getNodeParameter = (name: string, itemIndex: number, fallback?: unknown): unknown => {
		const values = typeof parameters === 'function' ? parameters(itemIndex) : parameters;
		return name in values ? values[name] : fallback;
	};
	const httpRequest = async (_: string, options: IHttpRequestOptions): Promise<unknown> => {
		const request: SentRequest = {
			method: String(options.method),
			path: options.url.slice(BASE_URL.length),
			body: Buffer.isBuffer(options.body) ? JSON.parse(options.body.toString()) : options.body,
			options,
		};
		sent.push(request);
		const response = await Promise.resolve(setup.response?.(request, sent.length) ?? '');
		const body = typeof response === 'string' ? response : JSON.stringify(response);
		return { statusCode, headers, body: Readable.from([Buffer.from(body)]) };
	};
	const context: Context = {
		getInputData: () => items.map((json): INodeExecutionData => ({ json })),
		getNodeParameter: getNodeParameter as Context['getNodeParameter'],
		getCredentials: (async () =>
			await Promise.resolve(credential)) as unknown as Context['getCredentials'],
		getNode: () => ({ ...node, parameters: (setup.written ?? {}) as INode['parameters'] }),
		continueOnFail: () => setup.continueOnFail === true,
		addExecutionHints: (...added) => void hints.push(...added),
		getExecutionCancelSignal: () => setup.stopped,
		getExecutionId: () => '1',
		getWorkflow: () => ({ id: '1', active: true }),
		logger: { debug() {}, info() {}, warn() {}, error() {} },
		helpers: { httpRequestWithAuthentication: httpRequest },
	};
	return { context: context as IExecuteFunctions, sent, hints };
}

/** What `work` returns in a run of the set-up; it throws node errors, as the node does. */
export async function inRun<T>(setup: Setup, work: (run: Run) => T | Promise<T>): Promise<T> {
	return await Run.during(fakeContext(setup).context, async (run) => await work(run));
}
