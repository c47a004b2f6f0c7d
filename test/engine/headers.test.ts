// Headers and URLs are sent as written or refused before any request: connection headers, those that users set, and names
// with a meaning in JavaScript.

import type { IPairedItemData } from 'n8n-workflow';

import { NO_LIMITS, NODE, useBench } from '../support/bench';
import { apiRequest, ERROR_OUTPUT, headers, pages, query, read } from '../support/parameters';
import { RawService } from '../support/rawService';

// No request waits.
const bench = useBench({ limits: NO_LIMITS }, { inRealTime: true });

/** Connection headers (RFC 9110 §7.6.1 and others), and those that the node sets. */
const REFUSED =
	'Connection Content-Length Content-Type Expect Host HTTP2-Settings Keep-Alive Proxy-Authenticate ' +
	'Proxy-Authentication-Info Proxy-Authorization Proxy-Features Proxy-Instruction Proxy-Status TE Trailer ' +
	'Transfer-Encoding Upgrade';
const TRIED = [
	...REFUSED.split(' '),
	...'Accept Accept-Language Authorization Cookie Date ETag If-Match Link Origin Prefer'.split(' '),
	...'Range Referer User-Agent Via'.split(' '),
];
/** Members of every object and map, and what axios keeps among the headers. */
const OF_JAVASCRIPT = [
	...Object.getOwnPropertyNames(Object.prototype),
	...Object.getOwnPropertyNames(Map.prototype),
	...['prototype', 'then', 'length', 'common', 'get', 'post', 'put', 'patch', 'head', 'query'],
	...['normalize', 'concat', 'toJSON', 'setContentType', 'getContentType', 'hasContentType'],
];

let service: RawService;
let respond: (head: string) => object;
beforeEach(async () => {
	respond = () => ({});
	service = await RawService.start((socket, connection) => {
		socket.on('data', () => {
			const [head = '', body] = connection.received.split('\r\n\r\n');
			const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
			if (body?.length !== length) return;
			const json = JSON.stringify(respond(head));
			socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${json.length}\r\n\r\n${json}`);
		});
	});
	bench.credential.baseUrl = service.baseUrl;
});
afterEach(async () => await service.stop());

/** By header: how many requests had it, or the error of the item. */
async function sendEach(method: string, names: string[]) {
	const named = headers({ name: '={{ $json.name }}', value: '={{ $json.name }} 1' });
	const items = names.map((name) => ({ name }));
	const result = await bench.run(items, apiRequest(method, '/x', named), ERROR_OUTPUT);
	const refused = result.items(NODE, 1).map(({ json, pairedItem }) => {
		const { item } = pairedItem as IPairedItemData;
		return [names[item], json.error];
	});
	const received = new Map(
		names.map((name) => {
			const line = `\r\n${name}: ${name} 1\r\n`.toLowerCase();
			const of = service.connections.filter((one) => one.received.toLowerCase().includes(line));
			return [name, of.length];
		}),
	);
	return { received, refused: Object.fromEntries(refused) as Record<string, unknown> };
}

test.each(['POST', 'GET'])('a %s sends each header as written or refuses it', async (method) => {
	const names = [...new Set([...TRIED, ...OF_JAVASCRIPT])];
	const { received, refused } = await sendEach(method, names);
	for (const name of names) {
		const isRefused = Object.hasOwn(refused, name);
		expect([name, received.get(name)]).toEqual([name, isRefused ? 0 : 1]);
		if (isRefused) expect(refused[name]).toBe(`Headers: the header ${name} cannot be set here`);
	}
	expect(TRIED.filter((name) => Object.hasOwn(refused, name)).join(' ')).toBe(REFUSED);
	expect(service.requests).toHaveLength(names.length - Object.keys(refused).length);
});

test('a space in a query is sent as %20, not as +', async () => {
	await bench.run([{}], apiRequest('GET', '/x?of=a%20b', query('$filter', "name eq 'a+b'")));
	expect(service.requests).toEqual(['GET /x?of=a%20b&%24filter=name%20eq%20%27a%2Bb%27 HTTP/1']);
});

test.each(['?after=a+b/c==&page=2', '?q=M%FCller&page=2'])(
	"the next-page URL %s is sent as written, with the user's own parameters",
	async (next) => {
		respond = (head) => {
			const isFirst = !head.includes('page=2');
			return { items: [{ id: isFirst ? 1 : 2 }], ...(isFirst && { next }) };
		};
		const options = { ...pages('nextUrl', { nextUrlField: 'next' }), ...query('status', 'in use') };
		const result = await bench.run([{}], read(options));
		expect(result.json(NODE)).toEqual([{ id: 1 }, { id: 2 }]);
		expect(service.requests.map((line) => line.split(' ')[1])).toEqual([
			'/masterdata/getContacts?status=in%20use',
			`/masterdata/getContacts${next}&status=in%20use`,
		]);
	},
);
