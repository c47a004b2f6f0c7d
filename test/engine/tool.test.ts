// The node as a tool of an agent: Retry On Fail sends nothing twice, and each call gets its own response.

import { NO_LIMITS, send, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { AGENT, agentWorkflow } from '../support/toolWorkflow';

const bench = useBench({ limits: NO_LIMITS });
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const parameters = {
	...send({ timeout: 1 }),
	dataMode: 'json',
	jsonBody: '={{ { "number": $fromAI("number", "", "number") } }}',
};
let store: Awaited<ReturnType<typeof useDeduplicator>>;

beforeAll(async () => {
	store = await useDeduplicator();
});
beforeEach(() => store.clear());

const sent = () => bench.sandbox.journal.documents().map(({ body }) => body);

async function call(numbers: number[], options = {}, settings = {}) {
	const calls = numbers.map((number) => ({ number }));
	const workflow = agentWorkflow(calls, { ...parameters, options }, settings);
	const result = await bench.engine.run(workflow, { key: bench.credential });
	return result.json(AGENT) as Array<{ response?: string; error?: string }>;
}

test('a call that the service acts on and responds with 500 is one document', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 500, act: true } });
	const [response] = await call([1], {}, retrying);
	expect(sent()).toEqual([{ number: 1 }]);
	expect(response?.error).toContain('500');
	expect(response?.error).toContain('It was not retried, because it may have been carried out');
});

test('a call that is refused is retried, and goes out once', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 400 } });
	const [response] = await call([1], {}, retrying);
	expect(sent()).toEqual([{ number: 1 }]);
	expect(response?.response).toContain('doc-1');
});

test('each of several calls at once is sent, and gets its own response', async () => {
	bench.sandbox.fault({ times: 2, action: { type: 'status', status: 400 } });
	const responses = await call([1, 2, 3, 4], {}, retrying);
	expect(sent()).toHaveLength(4);
	expect(new Set(responses.map(({ response }) => response)).size).toBe(4);
	const documents = bench.sandbox.journal.documents();
	for (const [index, { response }] of responses.entries()) {
		const own = documents.find(({ body }) => (body as { number: number }).number === index + 1);
		expect(response).toContain(`"${own?.id}"`);
	}
});

test('the same call twice is two documents, as the agent wants it', async () => {
	const responses = await call([1, 1], {}, retrying);
	expect(sent()).toEqual([{ number: 1 }, { number: 1 }]);
	expect(new Set(responses.map(({ response }) => response)).size).toBe(2);
});

test.each([{}, retrying])(
	'the same call twice with a Send Once Key is one document',
	async (own) => {
		const responses = await call(
			[1, 1, 1],
			{ sendOnceKey: '={{ $fromAI("number", "", "number") }}' },
			own,
		);
		expect(sent()).toEqual([{ number: 1 }]);
		expect(responses.filter(({ response }) => response?.includes('"skipped":true'))).toHaveLength(
			2,
		);
	},
);

test('another execution is not taken for another attempt', async () => {
	await call([1], {}, retrying);
	await call([1], {}, retrying);
	expect(sent()).toHaveLength(2);
});
