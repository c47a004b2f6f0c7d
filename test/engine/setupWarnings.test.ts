// Signs of a wrong setup: a hint of the run and a line in n8n's log, at most one a minute; never an error.

import { GlobalConfig } from '@n8n/config';
import { Container } from '@n8n/di';

import { itemsOf, NODE, useBench } from '../support/bench';
import { read, READ_ENDPOINT } from '../support/parameters';

const bench = useBench();

/** Runs a read, and returns its hints. */
async function hintsOfRun(items = 1): Promise<string[]> {
	const result = await bench.run(itemsOf(items), read());
	expect(result.run.status).toBe('success');
	return (result.task(NODE).hints ?? []).map(({ message }) => message);
}

const linesWith = (text: string) => bench.engine.log.filter((line) => line.includes(text)).length;

test('a usual setup gets no hint', async () => {
	expect(await hintsOfRun(3)).toEqual([]);
});

describe('in queue mode', () => {
	const { executions } = Container.get(GlobalConfig);
	const { mode } = executions;
	beforeEach(() => (executions.mode = 'queue'));
	afterEach(() => (executions.mode = mode));

	test('limits that are counted in this process get a hint each time, and a line in the log a minute', async () => {
		const text = 'n8n runs in queue mode';
		for (let run = 0; run < 3; run++) {
			expect(await hintsOfRun(2)).toEqual([expect.stringContaining(text)]);
		}
		expect(linesWith(text)).toBe(1);
		jest.setSystemTime(Date.now() + 60_000);
		await hintsOfRun();
		expect(linesWith(text)).toBe(2);
	});
});

test('a key whose requests this process counts in two places gets a hint that names both', async () => {
	expect(await hintsOfRun()).toEqual([]);
	Object.assign(bench.credential, { limitStore: 'redis', redisHost: '127.0.0.1', redisPort: 1 });
	// n8n shows no hints of a run that fails.
	const { run } = await bench.run([{}], read({ maxWait: 1 }));
	expect(run.status).toBe('error');
	expect(linesWith('counted in 2 places (this n8n process; 127.0.0.1:1)')).toBe(1);

	bench.credential.limitStore = 'memory';
	expect(await hintsOfRun()).toEqual([expect.stringContaining('counted in 2 places')]);
	// By then, nothing counts that was counted in Redis.
	jest.setSystemTime(Date.now() + 600_001);
	expect(await hintsOfRun()).toEqual([]);
});

describe("the service's clock", () => {
	/** The service's time in the response (ms since 1970), and the response's age in a cache. */
	const respond = (time: number, headers = {}) =>
		bench.sandbox.fault({
			endpoint: READ_ENDPOINT,
			action: {
				type: 'status',
				status: 200,
				body: [],
				headers: { date: new Date(time).toUTCString(), ...headers },
			},
		});

	test.each([
		['two minutes behind', -120_000, {}, ['2 min ahead of the clock of the service']],
		['two minutes ahead', 121_000, {}, ['behind the clock of the service']],
		['half a minute behind', -30_000, {}, []],
		['that of a response from a cache', -120_000, { age: '110' }, []],
	])('%s', async (_, offMs, headers, expected) => {
		respond(Date.now() + offMs, headers);
		const hints = expected.map((text) => expect.stringContaining(text) as string);
		expect(await hintsOfRun()).toEqual(hints);
	});
});
