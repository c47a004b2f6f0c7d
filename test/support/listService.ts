/** A real server that responds to every request as a test says, and lets it strike between two responses. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Query = Record<string, string | undefined>;

export interface ListService {
	baseUrl: string;
	/** The queries of all requests, in order. */
	queries: Query[];
	/** Their methods. */
	methods: string[];
	/** What a request gets: a body, or whatever is done with the response itself. */
	response: (query: Query, response: ServerResponse) => unknown;
	stop(): Promise<void>;
}

/** Starts one that responds with an empty list until `response` is set. */
export async function startListService(): Promise<ListService> {
	const server = createServer((request, response) => {
		const { searchParams } = new URL(request.url ?? '', 'http://localhost');
		const query: Query = Object.fromEntries(searchParams);
		service.queries.push(query);
		service.methods.push(request.method ?? '');
		// Of two parameters with the same name, services take either.
		if (searchParams.size > Object.keys(query).length) {
			response.writeHead(400).end();
			return;
		}
		const body = service.response(query, response);
		if (response.writableEnded || body === undefined) return;
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(body));
	});
	const service: ListService = {
		baseUrl: '',
		queries: [],
		methods: [],
		response: () => [],
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	service.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return service;
}
