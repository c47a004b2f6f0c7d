/** A client of an MCP server, from the SDK that n8n installs. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface ToolResult {
	content: Array<{ text?: string }>;
	structuredContent?: unknown;
}

export interface McpClient {
	connect(transport: object): Promise<void>;
	callTool(call: { name: string; arguments: object }): Promise<ToolResult>;
	close(): Promise<void>;
}

interface Sdk {
	Client: new (about: { name: string; version: string }) => McpClient;
	StreamableHTTPClientTransport: new (url: URL, options: { requestInit: RequestInit }) => object;
}

/**
 * Opens a session, which the caller must close.
 * @param modulesFolder of the n8n
 * @param headers such as a key that the server asks for
 */
export async function connectToMcp(
	modulesFolder: string,
	url: string,
	headers: Record<string, string> = {},
): Promise<McpClient> {
	const load = createRequire(join(modulesFolder, 'n8n', 'package.json'));
	const [client, transport] = ['index', 'streamableHttp'].map(
		(name) => load(`@modelcontextprotocol/sdk/client/${name}.js`) as object,
	);
	const { Client, StreamableHTTPClientTransport } = { ...client, ...transport } as Sdk;
	const connected = new Client({ name: 'tests', version: '1.0.0' });
	const options = { requestInit: { headers } };
	await connected.connect(new StreamableHTTPClientTransport(new URL(url), options));
	return connected;
}

/** Calls a tool. Returns its text, which may describe an error. */
export async function textOf(client: McpClient, name: string, parameters: object): Promise<string> {
	const { content } = await client.callTool({ name, arguments: parameters });
	return content.map(({ text }) => text).join('\n');
}
