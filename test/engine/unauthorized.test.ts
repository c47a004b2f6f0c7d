// After a 401, what would get the same response is not sent: it would only wait for the limits and use them up.

import { type Bench, errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { apiRequest, CONTINUE_ON_ERROR, deleteMany, read, send } from '../support/parameters';

const bench = useBench();
const SENT_AT_ONCE = 10;

interface Failed {
	message: string;
	description: string;
	outcome: unknown;
}

/** Runs the operation on items, and returns the errors of the items. */
async function failures(
	items: Parameters<Bench['run']>[0],
	parameters: Parameters<Bench['run']>[1],
): Promise<Array<Failed | undefined>> {
	const result = await bench.run(items, parameters, CONTINUE_ON_ERROR);
	return result.items(NODE).map(({ error }) => {
		if (error === undefined) return undefined;
		const { message, description, context } = error;
		return { message, description: description ?? '', outcome: context.outcome };
	});
}

test.each([
	{ name: 'reads', parameters: read(), most: SENT_AT_ONCE },
	{ name: 'sends', parameters: send(), most: 1 },
	{ name: 'API requests', parameters: apiRequest('PUT', '/contacts'), most: 1 },
	{ name: 'deletions', parameters: deleteMany({ batchSize: 1 }), most: 1 },
])('60 $name with a wrong key end at once', async ({ parameters, most }) => {
	bench.sandbox.setKeyState(bench.sandbox.apiKey, 'disabled');
	const startedAt = performance.now();
	const errors = await failures(itemsOf(60), parameters);
	expect(performance.now() - startedAt).toBeLessThan(2_000);
	expect(bench.sandbox.journal.count()).toBeLessThanOrEqual(most);
	expect(errors).toHaveLength(60);
	for (const error of errors) {
		expect(error?.message).toBe('The service answered 401 Unauthorized');
		expect(error?.description).toContain('Four causes are possible');
	}
	expect(errors.filter((error) => error?.outcome === 'refused')).toHaveLength(
		bench.sandbox.journal.count(),
	);
	expect(errors.at(-1)?.outcome).toBe('notSent');
});

test('what waits for the limits when the key is disabled ends then', async () => {
	bench.respond(401, { after: 1, times: Infinity });
	// Three go out at once; the others would wait for ten minutes and more.
	const startedAt = performance.now();
	const errors = await failures(itemsOf(9), send());
	expect(performance.now() - startedAt).toBeLessThan(2_000);
	expect(errors.map((error) => error?.outcome)).toEqual([
		...[undefined, 'refused', ...Array<string>(7).fill('notSent')],
	]);
	expect(bench.sandbox.journal.count()).toBe(2);
});

describe('with other endpoints', () => {
	const refuse = (...endpoints: string[]) => {
		for (const endpoint of endpoints) {
			const action = { type: 'status', status: 401 } as const;
			bench.sandbox.fault({ endpoint, times: Infinity, action });
		}
	};
	const paths = async (...all: string[]) => {
		const items = all.map((path) => ({ path }));
		const errors = await failures(items, apiRequest('POST', '={{ $json.path }}'));
		const sent = bench.sandbox.journal.all().map(({ path }) => path);
		return { sent, outcomes: errors.map((error) => error?.outcome) };
	};

	test('one path that the role may not call leaves the others alone', async () => {
		refuse('POST /a');
		const { sent, outcomes } = await paths('/a', '/sandbox/echo', '/a', '/A/', '/sandbox/echo');
		expect(sent).toEqual(['/a', '/sandbox/echo', '/sandbox/echo']);
		expect(outcomes).toEqual(['refused', undefined, 'notSent', 'notSent', undefined]);
	});

	test('after two paths nothing more is sent', async () => {
		refuse('POST /a', 'POST /b');
		const { sent, outcomes } = await paths('/a', '/a', '/b', '/sandbox/echo', '/c');
		expect(sent).toEqual(['/a', '/b']);
		expect(outcomes).toEqual(['refused', 'notSent', 'refused', 'notSent', 'notSent']);
	});

	test('another method of the path is another matter', async () => {
		refuse('POST /a', 'PUT /a');
		const items = ['POST', 'PUT', 'PUT', 'DELETE'].map((method) => ({ method }));
		const parameters = { ...apiRequest('={{ $json.method }}', '/a') };
		const errors = await failures(items, parameters);
		expect(bench.sandbox.journal.all().map(({ method }) => method)).toEqual([
			...['POST', 'PUT', 'DELETE'],
		]);
		expect(errors.map((error) => error?.outcome)).toEqual([
			...['refused', 'refused', 'notSent', 'refused'],
		]);
	});
});

test('the next run asks again', async () => {
	const { apiKey } = bench.sandbox;
	bench.sandbox.setKeyState(apiKey, 'disabled');
	expect(errorOf(await bench.run(itemsOf(2), send())).context.outcome).toBe('refused');
	bench.sandbox.setKeyState(apiKey, 'active');
	expect((await bench.run(itemsOf(2), send())).run.status).toBe('success');
});
