// After a 401, requests that would get the same response are not sent: they would only wait for the limits and use them up.

import { type Bench, errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { apiRequest, CONTINUE_ON_ERROR, deleteMany, read, send } from '../support/parameters';

const bench = useBench();
const SENT_AT_ONCE = 10;

interface Failed {
	message: string;
	description: string;
	outcome: unknown;
}

/** The errors of the items of a run, which must end at once. */
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
])('60 $name with a disabled key end at once', async ({ parameters, most }) => {
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

test('requests that wait for the limits end at once after a 401', async () => {
	bench.respond(401, { after: 1, times: Infinity });
	// Three go out at once; the others would wait for ten minutes and more.
	const errors = await failures(itemsOf(9), send());
	const later = Array<string>(7).fill('notSent');
	expect(errors.map((error) => error?.outcome)).toEqual([undefined, 'refused', ...later]);
	expect(bench.sandbox.journal.count()).toBe(2);
});

test.each<[string, refused: string[], requests: string[], sent: number[], outcomes: unknown[]]>([
	[
		'a 401 from one path blocks only that path',
		['POST /a'],
		['POST /a', 'POST /sandbox/echo', 'POST /a', 'POST /A/', 'POST /sandbox/echo'],
		[0, 1, 4],
		['refused', undefined, 'notSent', 'notSent', undefined],
	],
	[
		'401s from two paths block all requests',
		['POST /a', 'POST /b'],
		['POST /a', 'POST /a', 'POST /b', 'POST /sandbox/echo', 'POST /c'],
		[0, 2],
		['refused', 'notSent', 'refused', 'notSent', 'notSent'],
	],
	[
		'401s from two methods of a path do not block a third',
		['POST /a', 'PUT /a'],
		['POST /a', 'PUT /a', 'PUT /a', 'DELETE /a'],
		[0, 1, 3],
		['refused', 'refused', 'notSent', 'refused'],
	],
])('%s', async (_, refused, requests, sent, outcomes) => {
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

test('the next run sends again', async () => {
	const { apiKey } = bench.sandbox;
	bench.sandbox.setKeyState(apiKey, 'disabled');
	expect(errorOf(await bench.run(itemsOf(2), send())).context.outcome).toBe('refused');
	bench.sandbox.setKeyState(apiKey, 'active');
	expect((await bench.run(itemsOf(2), send())).run.status).toBe('success');
});
