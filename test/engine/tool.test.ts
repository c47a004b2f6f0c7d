// The node as a tool of an agent: Retry On Fail sends nothing twice, and each call gets its own response.

import { NO_LIMITS, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { RETRY_ON_FAIL, send } from '../support/parameters';
import { AGENT, agentWorkflow } from '../support/toolWorkflow';

const bench = useBench({ limits: NO_LIMITS });
const parameters = {
	...send({ timeout: 1 }),
	dataMode: 'json',
	jsonBody: '={{ { "number": $fromAI("number", "", "number") } }}',
};
useDeduplicator();

async function call(numbers: number[], options = {}, settings = {}) {
	const calls = numbers.map((number) => ({ number }));
	const workflow = agentWorkflow(calls, { ...parameters, options }, settings);
	const result = await bench.engine.run(workflow, { key: bench.credential });
	return result.json(AGENT) as Array<{ response?: string; error?: string }>;
}

test('a call that the service acts on and responds with 500 is one document', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 500, act: true } });
	const [response] = await call([1], {}, RETRY_ON_FAIL);
	expect(bench.documents()).toEqual([{ number: 1 }]);
	expect(response?.error).toContain('500');
	expect(response?.error).toContain('It was not retried, because it may have been carried out');
});

test('a call that is refused is retried, and goes out once', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 400 } });
	const [response] = await call([1], {}, RETRY_ON_FAIL);
	expect(bench.documents()).toEqual([{ number: 1 }]);
	expect(response?.response).toContain('doc-1');
});

test('each of several calls at once is sent, and gets its own response', async () => {
	bench.sandbox.fault({ times: 2, action: { type: 'status', status: 400 } });
	const responses = await call([1, 2, 3, 4], {}, RETRY_ON_FAIL);
	expect(bench.documents()).toHaveLength(4);
	expect(new Set(responses.map(({ response }) => response)).size).toBe(4);
	const documents = bench.sandbox.journal.documents();
	for (const [index, { response }] of responses.entries()) {
		const own = documents.find(({ body }) => (body as { number: number }).number === index + 1);
		expect(response).toContain(`"${own?.id}"`);
	}
});

test.each([
	[{}, RETRY_ON_FAIL, 2],
	[{ sendOnceKey: '={{ $fromAI("number", "", "number") }}' }, {}, 1],
	[{ sendOnceKey: '={{ $fromAI("number", "", "number") }}' }, RETRY_ON_FAIL, 1],
])(
	'the same call twice with %j and %j is sent as often as asked: %d',
	async (options, own, sent) => {
		const responses = await call([1, 1], options, own);
		expect(bench.documents()).toEqual(Array(sent).fill({ number: 1 }));
		const skipped = responses.filter(({ response }) => response?.includes('"skipped":true'));
		expect(skipped).toHaveLength(2 - sent);
		expect(new Set(responses.map(({ response }) => response)).size).toBe(2);
	},
);

test('another execution is not taken for another attempt', async () => {
	await call([1], {}, RETRY_ON_FAIL);
	await call([1], {}, RETRY_ON_FAIL);
	expect(bench.documents()).toHaveLength(2);
});
