// Many requests at once from one workflow or two: each gets a response, and none is refused.

import { DOCUMENTED_LIMITS } from '../../sandbox/limits';
import { hintsOf, itemsOf, NODE, useBench } from '../support/bench';
import { fullestWindow } from '../support/countedRequests';
import { workflowOf } from '../support/engineWorkflow';
import { apiRequest, getStatus, read, send } from '../support/parameters';

const latency = { minMs: 0, maxMs: 200 };
// No request may be refused, whether the service counts in sliding or in fixed windows.
const bench = useBench({ windowMode: 'both', latency });

test('two workflows with 65 reads each on one key lose none and keep the input order', async () => {
	const items = itemsOf(65);
	const path = '=/sandbox/echo?index={{ $json.id }}';
	const run = async () => await bench.run(items, apiRequest('GET', path));
	for (const result of await Promise.all([run(), run()])) {
		expect(result.run.status).toBe('success');
		const read = result.items(NODE).map(({ json, pairedItem }) => {
			return { id: Number((json.query as { index: string }).index), pairedItem };
		});
		expect(read).toEqual(items.map(({ id }) => ({ id, pairedItem: { item: id } })));
	}
	expect(bench.sandbox.journal.count()).toBe(130);
	expect(bench.sandbox.journal.responded()).toHaveLength(130);
	expect(bench.sandbox.journal.refused()).toHaveLength(0);
});

describe('the limit of an endpoint', () => {
	test.each([
		['a percent-encoded path', '/txndata/%73endTxn', 'localhost'],
		['the host in capitals', '/txndata/sendTxn', 'LOCALHOST'],
	])('is shared by another credential with %s and another window', async (_, path, host) => {
		const { sandbox, credential } = bench;
		const { port } = new URL(sandbox.baseUrl);
		credential.baseUrl = `http://localhost:${port}`;
		expect((await bench.run(itemsOf(2), send())).run.status).toBe('success');
		const endpoints = { [`POST ${path}`]: { max: 3, windowSeconds: 300 } };
		const limits = JSON.stringify({ general: [], endpoints });
		const key = { ...credential, baseUrl: `http://${host}:${port}`, limits };
		const workflow = workflowOf(itemsOf(2), send({ maxWait: 1 }));
		const { run } = await bench.engine.run(workflow, { key });
		expect(run.data.resultData.error?.message).toMatch(/^Not sent: the limits leave no room/);
		expect(sandbox.journal.documents()).toHaveLength(3);
		expect(sandbox.journal.refused()).toEqual([]);
	});

	test('counts API Requests to any spelling of its path', async () => {
		await bench.run(itemsOf(2), send());
		const paths = ['/txndata/sendTxn/', '/TXNDATA/sendtxn', '/txndata/%73end%54xn?a=1'];
		const runs = paths.map(async (path) => {
			const body = { dataMode: 'json', jsonBody: '{"a":1}' };
			return await bench.run([{}], { ...apiRequest('POST', path, { maxWait: 1 }), ...body });
		});
		const statuses = (await Promise.all(runs)).map(({ run }) => run.status);
		expect(statuses.sort()).toEqual(['error', 'error', 'success']);
	});
});

describe('rate-limit headers', () => {
	const keepFree = (percent: number) => (bench.credential.keepFree = percent);
	const policy = (max: number) => ({ 'ratelimit-policy': `"minute";q=${max};w=60` });

	test.each([
		[100, []],
		[80, [expect.stringContaining('allows 80 requests per 60 s') as string]],
	])('with a limit of %i give a hint only if the credential has another', async (max, expected) => {
		keepFree(20);
		bench.respond(200, { body: [], headers: policy(max) });
		expect(hintsOf(await bench.run([{}], read()))).toEqual(expected);
	});

	const named = {
		'x-ratelimit-limit': '100',
		'x-ratelimit-remaining': '0',
		'x-ratelimit-reset': '20',
	};
	test.each<[number, Record<string, string>]>([
		[0, named],
		[20, named],
		[20, { ratelimit: '"minute";r=0;t=20', ...policy(100) }],
	])('of a send delay the next read, with Keep Free %i: %j', async (...row) => {
		const [percent, headers] = row;
		keepFree(percent);
		bench.respond(200, { headers });
		const { ms } = await bench.run(itemsOf(1), send());
		expect(ms).toBeLessThan(1_000);
		expect((await bench.run([{}], read())).ms).toBeGreaterThanOrEqual(19_000);
	});
});

describe('the documented limits, the default of a credential,', () => {
	const { general } = DOCUMENTED_LIMITS;
	const bench = useBench({ latency, limits: DOCUMENTED_LIMITS });
	const readOne = { ...read(), returnAll: false, limit: 1 };
	beforeEach(() => {
		bench.credential.customize = false;
	});

	test('are not exceeded, and the smallest is used in full', async () => {
		const [{ max = 0, windowSeconds = 0 } = {}] = [...general].sort((a, b) => a.max - b.max);
		expect((await bench.run(itemsOf(2 * max), readOne)).run.status).toBe('success');
		expect(bench.sandbox.journal.responded()).toHaveLength(2 * max);
		expect(bench.sandbox.journal.refused()).toEqual([]);
		const times = bench.sandbox.journal.all().map(({ atMs }) => atMs);
		expect(fullestWindow(times, windowSeconds * 1000)).toBe(max);
	});

	test('are output by Get Status with their use, without a request', async () => {
		await bench.run([{}], readOne);
		const result = await bench.run([{}, {}], getStatus);
		expect(bench.sandbox.journal.count()).toBe(1);
		const longestFirst = [...general].sort((a, b) => b.windowSeconds - a.windowSeconds);
		const [longest] = longestFirst;
		expect(result.json(NODE)[0]).toEqual({
			limit: `general/${longest?.windowSeconds}s`,
			...longest,
			used: 1,
			usedByOthers: 0,
			remaining: (longest?.max ?? NaN) - 1,
			availableInMs: 0,
			queued: 0,
		});
	});
});
