// n8n polls while it activates a trigger, and leaves the trigger off when that fails a few times. So such a poll
// fails for what the user has to fix alone; what passes by itself is left to the schedule, and said in the log.

import type { ServerResponse } from 'node:http';

import { type IDataObject, type INode, NodeOperationError, UserError } from 'n8n-workflow';

import { CredentialsHelper } from '../support/credentialsHelper';
import { inWords, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

/** A read is tried so often. */
const MOST_REQUESTS = 4;
const LIST = [{ id: 1 }, { id: 2 }];
/** Of the discard service, where nothing listens. */
const CLOSED_PORT = 9;

beforeEach(() => {
	bench.service.response = () => LIST;
});

const responseAlways = (status: number, body: unknown, headers: Record<string, string> = {}) => {
	bench.service.response = (_, response: ServerResponse) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
};

interface Trouble {
	/** Whether the activation fails at each of the first three moments. */
	fails: readonly [boolean, boolean, boolean];
	begin?: () => unknown;
	parameters?: Record<string, unknown>;
	credential?: IDataObject;
	/** Where the credential cannot be read. */
	unreadable?: Error;
	/** What the error says, or the log. */
	says: string;
}

const NEVER = [false, false, false] as const;
const ALWAYS = [true, true, true] as const;
/** By a person, who can repair it at once. */
const PUBLISHED = [true, true, false] as const;
const AT_FIRST = [true, false, false] as const;
const GONE = new UserError('the credential is not there');
const NOT_CHOSEN = new NodeOperationError({} as INode, 'no credential is set');
const LOCKED = new Error('the database is locked');

const TROUBLES: Record<string, Trouble> = {
	'a service that answers 503': {
		...{ fails: NEVER, says: 'The service answered 503' },
		begin: () => responseAlways(503, {}),
	},
	'a service that is down': {
		...{ fails: NEVER, says: 'the connection was refused' },
		begin: async () => await bench.service.stop(),
	},
	'a service that is full for a minute': {
		...{ fails: NEVER, says: 'the limits left no room in the time of this poll' },
		begin: () => responseAlways(429, {}, { 'retry-after': '59' }),
		credential: { limits: JSON.stringify({ general: [{ max: 100, windowSeconds: 60 }] }) },
	},
	'a service that answers after 50 s': {
		...{ fails: NEVER, says: 'the service did not respond in the time of this poll' },
		begin: () => {
			bench.service.response = (_, response: ServerResponse) => {
				setTimeout(() => response.end(JSON.stringify(LIST)), 50_000);
			};
		},
	},
	'a Redis that is away': {
		...{ fails: NEVER, says: 'cannot be used' },
		credential: { limitStore: 'redis', redisHost: '127.0.0.1', redisPort: CLOSED_PORT },
	},
	'a database that is locked': { fails: PUBLISHED, unreadable: LOCKED, says: LOCKED.message },
	'a path that is not there': {
		...{ fails: PUBLISHED, begin: () => responseAlways(404, {}), says: '404' },
	},
	'a role that must not read': {
		...{ fails: PUBLISHED, begin: () => responseAlways(403, {}), says: '403' },
	},
	'a web page': {
		...{ fails: AT_FIRST, says: 'The service answered' },
		begin: () => responseAlways(200, '<html>'),
	},
	'records without an ID': {
		...{ fails: AT_FIRST, says: 'has no ID' },
		begin: () => (bench.service.response = () => [{ number: 1 }]),
	},
	'a credential that is gone': { fails: ALWAYS, unreadable: GONE, says: GONE.message },
	'one that is not chosen': { fails: ALWAYS, unreadable: NOT_CHOSEN, says: NOT_CHOSEN.message },
	'an expression that fails': {
		...{ fails: ALWAYS, says: 'Referenced node' },
		parameters: { idField: '={{ $("Nowhere").item.json.id }}' },
	},
	'a wrong key': { fails: ALWAYS, begin: () => responseAlways(401, {}), says: '401' },
	'an empty field': { fails: ALWAYS, parameters: { idField: '' }, says: 'ID Field' },
};

/** When the trouble is met, and whether something is remembered by then. */
const MOMENTS = [
	['the first publication', 'activate', false],
	['another publication', 'update', true],
	['a start of n8n before the first poll has succeeded', 'init', false],
	// n8n starts the triggers at its start and in a new leader alike.
	['a change of leaders before that', 'leadershipChange', false],
] as const;

const CASES = Object.entries(TROUBLES).flatMap(([name, trouble]) =>
	MOMENTS.map(([moment, mode, isKnown], index) => {
		const fails = trouble.fails[Math.min(index, 2)] === true;
		return [name, moment, fails, { ...trouble, mode, isKnown }] as const;
	}),
);

test.each(CASES)(
	'%s at %s: the activation fails: %s',
	async (_, __, fails, { begin, parameters, credential, unreadable, says, mode, isKnown }) => {
		const staticData: IDataObject = {};
		const { idField: ___, ...right } = parameters ?? {};
		if (isKnown) await bench.trigger(right, { staticData }).poll();
		await begin?.();
		if (unreadable !== undefined) {
			jest.spyOn(CredentialsHelper.prototype, 'getDecrypted').mockRejectedValue(unreadable);
		}
		const before = bench.service.queries.length;
		const options = { staticData, credential };
		const { poll } = bench.trigger(parameters, options);
		const activation = poll({ getActivationMode: () => mode });
		if (fails) {
			await expect(activation).rejects.toThrow(says);
			return;
		}
		expect(await activation).toEqual([]);
		expect(bench.logged()).toContain('Trigger: Not polled, which is left to the next poll');
		expect(bench.logged()).toContain(says);
		expect(bench.service.queries.length - before).toBeLessThanOrEqual(MOST_REQUESTS);
		// The next one shows it, if it lasts.
		await expect(poll({ getPollBudgetMs: () => 20_000 })).rejects.toThrow(says);
	},
	60_000,
);

test('what has changed meanwhile is told by the next poll', async () => {
	const staticData: IDataObject = {};
	await bench.trigger({}, { staticData }).poll();
	responseAlways(503, {});
	const { poll } = bench.trigger({}, { staticData });
	expect(await poll()).toEqual([]);
	bench.service.response = () => [...LIST, { id: 3 }];
	expect(inWords(await poll())).toEqual(['contactCreated 3']);
});
