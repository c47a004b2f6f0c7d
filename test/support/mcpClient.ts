/**
 * A client of an MCP server, as far as tests need one: it calls tools over the streamable HTTP transport. The MCP SDK would
 * bring two web servers, a login and a validator for three requests.
 */

interface ToolResult {
	content?: Array<{ text?: string }>;
	structuredContent?: unknown;
	isError?: boolean;
}

export class McpClient {
	private lastId = 0;
	private readonly headers: Record<string, string>;

	private constructor(
		private readonly url: string,
		key?: string,
	) {
		this.headers = {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
		};
	}

	/** Opens a session. @param key of the server, where it asks for one */
	static async connect(url: string, key?: string): Promise<McpClient> {
		const client = new McpClient(url, key);
		await client.ask('initialize', {
			protocolVersion: '2025-03-26',
			capabilities: {},
			clientInfo: { name: 'tests', version: '1.0.0' },
		});
		await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
		return client;
	}

	/** Calls a tool. Returns its text, which may tell of an error. */
	async call(tool: string, parameters: object): Promise<string> {
		const { content = [] } = await this.callForResult(tool, parameters);
		return content.map(({ text }) => text).join('\n');
	}

	async callForResult(tool: string, parameters: object): Promise<ToolResult> {
		return await this.ask('tools/call', { name: tool, arguments: parameters });
	}

	/** @throws what the server says of the call itself */
	private async ask(method: string, params: object): Promise<ToolResult> {
		const text = await this.post({ jsonrpc: '2.0', id: ++this.lastId, method, params });
		// A stream of events, the last of which is the reply; or the reply alone.
		const events = text.split('\n').filter((line) => line.startsWith('data: '));
		const reply = JSON.parse(events.at(-1)?.slice('data: '.length) ?? text) as {
			result?: ToolResult;
		};
		if (reply.result === undefined) throw new Error(`${method}: ${text}`);
		return reply.result;
	}

	private async post(message: object): Promise<string> {
		const { headers } = this;
		const body = JSON.stringify(message);
		const response = await fetch(this.url, { method: 'POST', headers, body });
		const sessionId = response.headers.get('mcp-session-id');
		if (sessionId !== null) headers['mcp-session-id'] = sessionId;
		const text = await response.text();
		if (!response.ok) throw new Error(`The MCP server answered ${response.status}: ${text}`);
		return text;
	}
}
