// n8n polls while it activates a trigger, and leaves the trigger off when that fails a few times. So such a poll
// fails for what the user has to fix alone; what passes by itself is left to the schedule, and said in the log.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

import { type IDataObject, type INode, NodeOperationError, UserError } from 'n8n-workflow';

import { oneLimit } from '../support/bench';
import { CredentialsHelper } from '../support/credentialsHelper';
import { inWords, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

/** A read is tried so often. */
const MOST_REQUESTS = 4;
const LIST = [{ id: 1 }, { id: 2 }];
const NOWHERE = '={{ $("Nowhere").item.json.id }}';
/** Of the discard service, where nothing listens. */
const CLOSED_PORT = 9;

beforeEach(() => {
	bench.service.response = () => LIST;
});

const responding =
	(status: number, body: unknown = {}, headers: OutgoingHttpHeaders = {}) =>
	() => {
		bench.service.response = (_, response: ServerResponse) => {
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		};
	};

const NEVER = [false, false] as const;
const ALWAYS = [true, true] as const;
/** By a person, who can repair it at once. */
const PUBLISHED = [true, false] as const;

const unreadable = (error: Error) => () =>
	jest.spyOn(CredentialsHelper.prototype, 'getDecrypted').mockRejectedValue(error);
const LOCKED = new Error('the database is locked');
const GONE = new UserError('the credential is not there');
const NOT_CHOSEN = new NodeOperationError({} as INode, 'no credential is set');
const stop = async () => await bench.service.stop();
const A_MINUTE = { 'retry-after': '59' };
const NO_ROOM = 'the limits leave no room for at least';
const NO_RESPONSE = 'the service did not respond in the time of this poll';
const BY_MINUTE = { limits: oneLimit(100, 60) };
const REDIS = { limitStore: 'redis', redisHost: '127.0.0.1', redisPort: CLOSED_PORT };
const respondLate = () => {
	bench.service.response = (_, response: ServerResponse) => {
		setTimeout(() => response.end(JSON.stringify(LIST)), 50_000);
	};
};

/** By the name: whether the activation fails at a publication, and at a start, and what the error says, or the log. */
type Trouble = [
	name: string,
	fails: readonly boolean[],
	says: string,
	begin?: () => unknown,
	wrong?: { idField?: string; credential?: IDataObject },
];

const TROUBLES: Trouble[] = [
	['a service that answers 503', NEVER, 'The service answered 503', responding(503)],
	['a service that is down', NEVER, 'the connection was refused', stop],
	['a full service', NEVER, NO_ROOM, responding(429, {}, A_MINUTE), { credential: BY_MINUTE }],
	['a service that answers after 50 s', NEVER, NO_RESPONSE, respondLate],
	['a Redis that is away', NEVER, 'cannot be used', undefined, { credential: REDIS }],
	['a database that is locked', PUBLISHED, LOCKED.message, unreadable(LOCKED)],
	['a path that is not there', PUBLISHED, '404', responding(404)],
	['a role that must not read', PUBLISHED, '403', responding(403)],
	['a web page', PUBLISHED, 'The service answered', responding(200, '<html>')],
	['records without an ID', PUBLISHED, 'has no ID', responding(200, [{ number: 1 }])],
	['a credential that is gone', ALWAYS, GONE.message, unreadable(GONE)],
	['one that is not chosen', ALWAYS, NOT_CHOSEN.message, unreadable(NOT_CHOSEN)],
	['an expression that fails', ALWAYS, 'Referenced node', undefined, { idField: NOWHERE }],
	['a wrong key', ALWAYS, '401', responding(401)],
	['an empty field', ALWAYS, 'ID Field', undefined, { idField: '' }],
];

const MOMENTS = [
	['a publication', 'activate'],
	['a start of n8n', 'init'],
	// n8n starts the triggers at its start and in a new leader alike.
	['a change of leaders', 'leadershipChange'],
] as const;

const CASES = TROUBLES.flatMap(([name, fails, says, begin, wrong]) =>
	MOMENTS.map(([moment, mode]) => {
		const isFailing = fails[mode === 'activate' ? 0 : 1];
		return [name, moment, isFailing, { says, begin, ...wrong, mode }] as const;
	}),
);

test.each(CASES)(
	'%s at %s: the activation fails: %s',
	async (_, __, fails, { says, begin, idField = 'id', credential, mode }) => {
		const staticData: IDataObject = {};
		await begin?.();
		const before = bench.service.queries.length;
		const { poll } = bench.trigger({ idField }, { staticData, credential });
		const activation = poll({ getActivationMode: () => mode });
		if (fails === true) {
			await expect(activation).rejects.toThrow(says);
			return;
		}
		expect(await activation).toEqual([]);
		expect(bench.logged()).toContain('Trigger: Not polled; the next scheduled poll');
		expect(bench.logged()).toContain(says);
		expect(bench.service.queries.length - before).toBeLessThanOrEqual(MOST_REQUESTS);
		// The next one shows it, if it lasts.
		await expect(poll({ getPollBudgetMs: () => 20_000 })).rejects.toThrow(says);
	},
);

test('what has changed meanwhile is told by the next poll', async () => {
	const staticData: IDataObject = {};
	await bench.trigger({}, { staticData }).poll();
	responding(503)();
	const { poll } = bench.trigger({}, { staticData });
	expect(await poll()).toEqual([]);
	bench.service.response = () => [...LIST, { id: 3 }];
	expect(inWords(await poll())).toEqual(['contactCreated 3']);
});
