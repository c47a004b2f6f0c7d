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

/** Runs the operation on items, which must end at once, and returns the errors of the items. */
async function failures(
	items: Parameters<Bench['run']>[0],
	parameters: Parameters<Bench['run']>[1],
): Promise<Array<Failed | undefined>> {
	const result = await bench.run(items, parameters, CONTINUE_ON_ERROR);
	expect(result.ms).toBeLessThan(2_000);
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
	const errors = await failures(itemsOf(60), parameters);
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
	const errors = await failures(itemsOf(9), send());
	expect(errors.map((error) => error?.outcome)).toEqual([
		...[undefined, 'refused', ...Array<string>(7).fill('notSent')],
	]);
	expect(bench.sandbox.journal.count()).toBe(2);
});

test.each<[string, refused: string[], requests: string[], sent: number[], outcomes: unknown[]]>([
	[
		'one path that the role may not call leaves the others alone',
		['POST /a'],
		['POST /a', 'POST /sandbox/echo', 'POST /a', 'POST /A/', 'POST /sandbox/echo'],
		[0, 1, 4],
		['refused', undefined, 'notSent', 'notSent', undefined],
	],
	[
		'after two paths nothing more is sent',
		['POST /a', 'POST /b'],
		['POST /a', 'POST /a', 'POST /b', 'POST /sandbox/echo', 'POST /c'],
		[0, 2],
		['refused', 'notSent', 'refused', 'notSent', 'notSent'],
	],
	[
		'another method of the path is another matter',
		['POST /a', 'PUT /a'],
		['POST /a', 'PUT /a', 'PUT /a', 'DELETE /a'],
		[0, 1, 3],
		['refused', 'refused', 'notSent', 'refused'],
	],
])('with other endpoints, %s', async (_, refused, requests, sent, outcomes) => {
	for (const endpoint of refused) bench.respond(401, { endpoint, times: Infinity });
	const items = requests.map((request) => {
		const [method, path] = request.split(' ');
		return { method, path };
	});
	const errors = await failures(items, apiRequest('={{ $json.method }}', '={{ $json.path }}'));
	const journal = bench.sandbox.journal.all();
	expect(journal).toMatchObject(sent.map((item) => items[item]));
	expect(errors.map((error) => error?.outcome)).toEqual(outcomes);
});

test('the next run asks again', async () => {
	const { apiKey } = bench.sandbox;
	bench.sandbox.setKeyState(apiKey, 'disabled');
	expect(errorOf(await bench.run(itemsOf(2), send())).context.outcome).toBe('refused');
	bench.sandbox.setKeyState(apiKey, 'active');
	expect((await bench.run(itemsOf(2), send())).run.status).toBe('success');
});
