/** A real server whose every response is up to the test, which can make changes between two responses. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Query = Record<string, string | undefined>;

export interface ListService {
	baseUrl: string;
	/** The queries of all requests, in order. */
	queries: Query[];
	/** The methods of all requests, in order. */
	methods: string[];
	/** Returns the body for a request, or handles the response itself. */
	response: (query: Query, response: ServerResponse) => unknown;
	stop(): Promise<void>;
}

/** Starts a service that responds with an empty list until `response` is set. */
export async function startListService(): Promise<ListService> {
	const server = createServer((request, response) => {
		const { searchParams } = new URL(request.url ?? '', 'http://localhost');
		const query: Query = Object.fromEntries(searchParams);
		service.queries.push(query);
		service.methods.push(request.method ?? '');
		// Of two parameters with one name, a service may take either.
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
