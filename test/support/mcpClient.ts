/** A client of an MCP server, as far as tests need one: it calls tools over the streamable HTTP transport. */

interface Reply {
	result?: { content?: Array<{ text?: string }>; isError?: boolean };
	error?: { message: string };
}

export class McpClient {
	private lastId = 0;

	private sessionId: string | null = null;

	private constructor(private readonly url: string) {}

	/** Opens a session. @param url of the server */
	static async connect(url: string): Promise<McpClient> {
		const client = new McpClient(url);
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
		const { result, error } = await this.ask('tools/call', { name: tool, arguments: parameters });
		return result?.content?.map(({ text }) => text).join('') ?? error?.message ?? '';
	}

	private async ask(method: string, params: object): Promise<Reply> {
		const text = await this.post({ jsonrpc: '2.0', id: ++this.lastId, method, params });
		// A stream of events, the last of which is the reply; or the reply alone.
		const events = text.split('\n').filter((line) => line.startsWith('data: '));
		return JSON.parse(events.at(-1)?.slice('data: '.length) ?? text) as Reply;
	}

	private async post(message: object): Promise<string> {
		const response = await fetch(this.url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				...(this.sessionId === null ? {} : { 'mcp-session-id': this.sessionId }),
			},
			body: JSON.stringify(message),
		});
		this.sessionId ??= response.headers.get('mcp-session-id');
		const text = await response.text();
		if (!response.ok) throw new Error(`The MCP server answered ${response.status}: ${text}`);
		return text;
	}
}
