/** What n8n's AI builder does in n8n, without the model: it calls the tools of n8n's own MCP server. */
import { N8nConnection } from '../../scripts/host/n8nConnection';
import type { Account } from '../../scripts/host/userFolder';

interface ToolResult {
	content: { text: string }[];
	structuredContent?: unknown;
	isError?: boolean;
}

export class Builder {
	private constructor(
		private readonly url: string,
		private readonly key: string,
	) {}

	/** Switches n8n's MCP server on, and takes the owner's key for it. */
	static async start(url: string, { email, password }: Account): Promise<Builder> {
		const connection = new N8nConnection(url);
		await connection.request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
		await connection.request('PATCH', '/rest/mcp/settings', { mcpAccessEnabled: true });
		const path = '/rest/mcp/api-key';
		const { apiKey } = await connection.request<{ apiKey: string }>('GET', path);
		return new Builder(url, apiKey);
	}

	/** What a tool returns, as the model reads it. @throws when the tool says that it failed */
	async call(tool: string, parameters: object): Promise<string> {
		const { content } = await this.#callTool(tool, parameters);
		return content.map(({ text }) => text).join('\n');
	}

	/** What a tool returns, as a value. @throws when the tool says that it failed */
	async callForValue<Result>(tool: string, parameters: object): Promise<Result> {
		return (await this.#callTool(tool, parameters)).structuredContent as Result;
	}

	async #callTool(name: string, parameters: object): Promise<ToolResult> {
		const response = await fetch(`${this.url}/mcp-server/http`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${this.key}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
			},
			body: JSON.stringify({
				...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
				params: { name, arguments: parameters },
			}),
		});
		const events = await response.text();
		const [, data] = /^data: (.*)$/m.exec(events) ?? [];
		const result = (JSON.parse(data ?? 'null') as { result?: ToolResult } | null)?.result;
		if (result === undefined || result.isError === true) throw new Error(`${name}: ${events}`);
		return result;
	}
}
