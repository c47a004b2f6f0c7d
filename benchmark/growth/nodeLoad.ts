/**
 * Measures the cost of the node itself per input item: n8n's engine with the built node, an HTTP helper that responds
 * at once, and limits that never bind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';

import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { itemsOf } from '../../test/support/bench';
import { type Engine } from '../../test/support/engine';
import { workflowOf } from '../../test/support/engineWorkflow';
import { deleteMany, read, send } from '../../test/support/parameters';
import { credentialFor } from '../../test/support/scaledLimits';
import { watchEventLoop } from './eventLoop';
import { processorTime } from './figures';

export interface NodeLoad {
	items: number;
	/** The number of requests sent. */
	requests: number;
	/** From the start of the node to its end (ms). */
	durationMs: number;
	processorMs: number;
	/** How long (ms) the event loop was blocked each time, without the shortest holds. */
	holdsMs: number[];
}

/** The parameters of the measured operations. */
export const OPERATIONS: Record<string, INode['parameters']> = {
	'contact: getMany': read(),
	'transaction: send': send(),
	'transaction: deleteMany': deleteMany(),
};

const HIGHEST_MAX = 100_000;
const highest = (windowSeconds: number) => ({ max: HIGHEST_MAX, windowSeconds });

const LIMITS = {
	general: [1, 10, 60].map(highest),
	endpoints: { 'POST /txndata/sendTxn': highest(600) },
};

/** A service that responds to every request, and prints its port. */
const SERVICE = `
const server = require('node:http').createServer((request, response) => {
	request.resume();
	response.setHeader('content-type', 'application/json');
	response.end('[{"id":"1"}]');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** Like `loadNode`, but with n8n's own helper and a service in another process. */
export async function loadNodeOverHttp(
	engine: Engine,
	parameters: INode['parameters'],
	items: number,
): Promise<NodeLoad> {
	const service = spawn(process.execPath, ['-e', SERVICE], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const [port] = (await once(service.stdout, 'data')) as [Buffer];
		return await loadNode(engine, parameters, items, {
			baseUrl: `http://127.0.0.1:${String(port).trim()}`,
		});
	} finally {
		service.kill();
	}
}

/**
 * Runs an operation on many items.
 * @param baseUrl of a real service; without one, n8n's helper is replaced by one that responds at once
 * @param onError as in the node's settings; by default, a failed item ends the run
 * @throws if the run fails
 */
export async function loadNode(
	engine: Engine,
	parameters: INode['parameters'],
	items: number,
	{ baseUrl, onError }: { baseUrl?: string; onError?: INode['onError'] } = {},
): Promise<NodeLoad> {
	const node = engine.nodeType();
	const execute = Reflect.get(node, 'execute') as (this: IExecuteFunctions) => Promise<unknown>;
	const load: NodeLoad = { items, requests: 0, durationMs: 0, processorMs: 0, holdsMs: [] };
	node.execute = async function (this: IExecuteFunctions) {
		if (baseUrl === undefined) respondAtOnce(this, () => load.requests++);
		const holds = watchEventLoop();
		const startedAt = performance.now();
		const processorAtStart = processorTime();
		const output = await execute.call(this);
		load.durationMs = performance.now() - startedAt;
		load.processorMs = (processorTime() - processorAtStart) / 1_000;
		load.holdsMs = await holds();
		return output as never;
	};
	const service = { baseUrl: baseUrl ?? 'http://127.0.0.1:9', apiKey: '0'.repeat(64) };
	const key = credentialFor(service, LIMITS);
	try {
		const { run } = await engine.run(workflowOf(itemsOf(items), parameters, { onError }), { key });
		if (run.status !== 'success') throw new Error(`The run ended with ${run.status}`);
		return load;
	} finally {
		node.execute = execute as never;
	}
}

/** Replaces n8n's helper with one that responds at once, with one contact or one document. */
function respondAtOnce(context: IExecuteFunctions, onRequest: () => void): void {
	const response = async () => {
		onRequest();
		const body = Readable.from([Buffer.from('[{"id":"1"}]')]);
		const headers = { 'content-type': 'application/json' };
		return await Promise.resolve({ statusCode: 200, headers, body });
	};
	Object.assign(context.helpers, { httpRequestWithAuthentication: response });
}
