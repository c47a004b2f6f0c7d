/**
 * Stands in for the account of a chat model: a server with OpenAI's interface that gives the scripted responses in
 * order and records the requests.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A response of the model: a text for the user, or a tool call. */
export type ModelResponse = { text: string } | { tool: string; parameters: object };

/** A request to the model, as far as it matters here. */
export interface ModelRequest {
	model: string;
	messages: { role: string; content: unknown }[];
	tools?: {
		function: { name: string; description: string; parameters: { properties: object } };
	}[];
}

export interface ChatModel {
	/** The fields of its credential, of the type `openAiApi`. */
	account: { apiKey: string; url: string; header: boolean };
	requests: ModelRequest[];
	stop(): Promise<void>;
}

function toMessage(modelResponse: ModelResponse, callId: string): object {
	if ('text' in modelResponse) return { role: 'assistant', content: modelResponse.text };
	const { tool, parameters } = modelResponse;
	const call = { name: tool, arguments: JSON.stringify(parameters) };
	return {
		role: 'assistant',
		content: null,
		tool_calls: [{ id: callId, type: 'function', function: call }],
	};
}

/** Starts the server on 127.0.0.1. A request beyond the script gets a 500. */
export async function startChatModel(script: ModelResponse[]): Promise<ChatModel> {
	const requests: ModelRequest[] = [];
	const server = createServer((request, response) => {
		void (async () => {
			const asked = (await json(request)) as ModelRequest;
			requests.push(asked);
			const modelResponse = script[requests.length - 1];
			const isKnown = request.url === '/v1/chat/completions' && modelResponse !== undefined;
			response.writeHead(isKnown ? 200 : 500, { 'content-type': 'application/json' });
			const choice = modelResponse && {
				index: 0,
				message: toMessage(modelResponse, `call-${requests.length}`),
				finish_reason: 'text' in modelResponse ? 'stop' : 'tool_calls',
			};
			const id = `completion-${requests.length}`;
			const common = { id, object: 'chat.completion', created: 0, model: asked.model };
			response.end(JSON.stringify({ ...common, choices: [choice] }));
		})();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const stop = async () => {
		server.close();
		server.closeAllConnections();
		await once(server, 'close');
	};
	const url = `http://127.0.0.1:${port}/v1`;
	return { account: { apiKey: 'key-of-the-stand-in', url, header: false }, requests, stop };
}
