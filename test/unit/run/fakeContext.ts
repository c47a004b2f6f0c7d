/** The smallest context in which a run works: items, parameters and a credential from a test, and a service. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { Run } from '../../../nodes/BusinessData/run/run';
import { NODE_TYPE, nodeOf } from '../../support/engineWorkflow';
import { requiredFields } from '../transport/examples';

export const node = nodeOf('Business Data', NODE_TYPE, {});

export interface Setup {
	items?: IDataObject[];
	/** Values by parameter name, the same for all items. */
	parameters?: IDataObject;
	/** The parameters as they are saved; without them, any may be an expression. */
	written?: IDataObject;
	credential?: IDataObject;
	continueOnFail?: boolean;
	stopped?: AbortSignal;
	/** What the service responds, as JSON. */
	response?: () => object;
}

export function fakeContext(setup: Setup = {}): IExecuteFunctions {
	const { items = [{}], parameters = {}, written = {}, credential = {} } = setup;
	const { response = () => ({}), continueOnFail = false, stopped } = setup;
	const fields = {
		...requiredFields,
		// No limits, so that nothing waits. A test with limits has a key of its own, of which no room is used up.
		...(credential.limits !== undefined && { apiKey: randomBytes(32).toString('hex') }),
		customize: true,
		limits: { general: [] },
		...credential,
	};
	const context = {
		getInputData: () => items.map((json) => ({ json })),
		getNodeParameter: (name: string, _: number, fallback?: unknown) =>
			name in parameters ? parameters[name] : fallback,
		getCredentials: async () => await Promise.resolve({ ...fields }),
		getNode: () => ({ ...node, parameters: written as INode['parameters'] }),
		continueOnFail: () => continueOnFail,
		addExecutionHints: () => undefined,
		getExecutionCancelSignal: () => stopped,
		getExecutionId: () => '1',
		getWorkflow: () => ({ id: '1', active: true }),
		logger: { debug() {}, info() {}, warn() {}, error() {} },
		helpers: {
			httpRequestWithAuthentication: async () =>
				await Promise.resolve({
					statusCode: 200,
					headers: {},
					body: Readable.from([Buffer.from(JSON.stringify(response()))]),
				}),
		},
	};
	return context as unknown as IExecuteFunctions;
}

/** Returns what `work` returns in a run with the set-up, and throws node errors, as the node does. */
export async function inRun<T>(setup: Setup, work: (run: Run) => T | Promise<T>): Promise<T> {
	return await Run.during(fakeContext(setup), async (run) => await work(run));
}
