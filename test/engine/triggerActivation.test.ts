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
	begin?: () => unknown;
	parameters?: Record<string, unknown>;
	credential?: IDataObject;
	/** Where the credential cannot be read. */
	unreadable?: Error;
	/** What the error says, or the log. */
	says: string;
}

const TROUBLES = {
	'a service that answers 503': {
		begin: () => responseAlways(503, {}),
		says: 'The service answered 503',
	},
	'a service that is down': {
		begin: async () => await bench.service.stop(),
		says: 'the connection was refused',
	},
	'a service that is full for a minute': {
		begin: () => responseAlways(429, {}, { 'retry-after': '59' }),
		credential: { limits: JSON.stringify({ general: [{ max: 100, windowSeconds: 60 }] }) },
		says: 'the limits left no room in the time of this poll',
	},
	'a service that answers after 50 s': {
		begin: () => {
			bench.service.response = (_, response: ServerResponse) => {
				setTimeout(() => response.end(JSON.stringify(LIST)), 50_000);
			};
		},
		says: 'the service did not respond in the time of this poll',
	},
	'a Redis that is away': {
		credential: { limitStore: 'redis', redisHost: '127.0.0.1', redisPort: CLOSED_PORT },
		says: 'cannot be used',
	},
	'a database that is locked': {
		unreadable: new Error('the database is locked'),
		says: 'the database is locked',
	},
	'a path that is not there': { begin: () => responseAlways(404, {}), says: '404' },
	'a web page': { begin: () => responseAlways(200, '<html>'), says: 'The service answered' },
	'records without an ID': {
		begin: () => (bench.service.response = () => [{ number: 1 }]),
		says: 'has no ID',
	},
	'a role that must not read': { begin: () => responseAlways(403, {}), says: '403' },
	'a credential that is gone': {
		unreadable: new UserError('the credential is not there'),
		says: 'the credential is not there',
	},
	'a credential that is not chosen': {
		unreadable: new NodeOperationError({} as INode, 'no credential is set'),
		says: 'no credential is set',
	},
	'an expression that fails': {
		parameters: { idField: '={{ $("Nowhere").item.json.id }}' },
		says: 'Referenced node',
	},
	'a wrong key': { begin: () => responseAlways(401, {}), says: '401' },
	'an empty field': { parameters: { idField: '' }, says: 'ID Field' },
} satisfies Record<string, Trouble>;

/** When the trouble is met, and whether something is remembered by then. */
const MOMENTS = {
	'the first publication': { mode: 'activate', isKnown: false },
	'another publication': { mode: 'update', isKnown: true },
	'a start of n8n before the first poll has succeeded': { mode: 'init', isKnown: false },
	'a change of leaders before that': { mode: 'leadershipChange', isKnown: false },
} as const;

type Moment = keyof typeof MOMENTS;

/** Whether the activation fails at each of the first three moments. */
const FAILS: Record<keyof typeof TROUBLES, [boolean, boolean, boolean]> = {
	'a service that answers 503': [false, false, false],
	'a service that is down': [false, false, false],
	'a service that is full for a minute': [false, false, false],
	'a service that answers after 50 s': [false, false, false],
	'a Redis that is away': [false, false, false],
	'a database that is locked': [true, true, false],
	'a path that is not there': [true, true, false],
	'a role that must not read': [true, true, false],
	'a web page': [true, false, false],
	'records without an ID': [true, false, false],
	'a credential that is gone': [true, true, true],
	'a credential that is not chosen': [true, true, true],
	'an expression that fails': [true, true, true],
	'a wrong key': [true, true, true],
	'an empty field': [true, true, true],
};
const CASES = Object.entries(FAILS).flatMap(([trouble, fails]) =>
	(Object.keys(MOMENTS) as Moment[]).map(
		// n8n starts the triggers at its start and in a new leader alike.
		(moment, index) =>
			[trouble as keyof typeof TROUBLES, moment, fails[Math.min(index, 2)]] as const,
	),
);

test.each(CASES)(
	'%s at %s: the activation fails: %s',
	async (name, moment, fails) => {
		const { begin, parameters, credential, unreadable, says }: Trouble = TROUBLES[name];
		const { mode, isKnown } = MOMENTS[moment];
		const staticData: IDataObject = {};
		const { idField: _, ...right } = parameters ?? {};
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
