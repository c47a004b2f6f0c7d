// n8n polls when it activates a trigger, and leaves it off after a few failures. So an activation fails only for what the
// user has to fix; transient failures are logged and left to the next scheduled poll.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

import { type IDataObject, type INode, NodeOperationError, UserError } from 'n8n-workflow';

import { oneLimit } from '../support/bench';
import { CredentialsHelper } from '../support/credentialsHelper';
import { inWords, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

/** How often a read is attempted. */
const MOST_REQUESTS = 4;
const LIST = [{ id: 1 }, { id: 2 }];
const NOWHERE = '={{ $("Nowhere").item.json.id }}';
/** The port of the discard service, where nothing listens. */
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
/** Only on publication, by a person who can fix it at once. */
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

/** By name: whether the activation fails on publication and on a start, and the text of the error or the log. */
type Trouble = [
	name: string,
	fails: readonly boolean[],
	says: string,
	begin?: () => unknown,
	wrong?: { idField?: string; credential?: IDataObject },
];

const TROUBLES: Trouble[] = [
	['a 503', NEVER, 'The service answered 503', responding(503)],
	['a service that is down', NEVER, 'the connection was refused', stop],
	['a 429', NEVER, NO_ROOM, responding(429, {}, A_MINUTE), { credential: BY_MINUTE }],
	['a response after 50 s', NEVER, NO_RESPONSE, respondLate],
	['a Redis that is down', NEVER, 'cannot be used', undefined, { credential: REDIS }],
	['a locked database', PUBLISHED, LOCKED.message, unreadable(LOCKED)],
	['a missing path', PUBLISHED, '404', responding(404)],
	['a role without access', PUBLISHED, '403', responding(403)],
	['a web page', PUBLISHED, 'The service answered', responding(200, '<html>')],
	['records without an ID', PUBLISHED, 'has no ID', responding(200, [{ number: 1 }])],
	['a deleted credential', ALWAYS, GONE.message, unreadable(GONE)],
	['a missing credential', ALWAYS, NOT_CHOSEN.message, unreadable(NOT_CHOSEN)],
	['a failing expression', ALWAYS, 'Referenced node', undefined, { idField: NOWHERE }],
	['a wrong key', ALWAYS, '401', responding(401)],
	['an empty field', ALWAYS, 'ID Field', undefined, { idField: '' }],
];

const MOMENTS = [
	['publication', 'activate'],
	['the start of n8n', 'init'],
	// A new leader starts the triggers as n8n does at its start.
	['a leader change', 'leadershipChange'],
] as const;

const CASES = TROUBLES.flatMap(([name, fails, says, begin, wrong]) =>
	MOMENTS.map(([moment, mode]) => {
		const isFailing = fails[mode === 'activate' ? 0 : 1];
		return [name, moment, isFailing, { says, begin, ...wrong, mode }] as const;
	}),
);

test.each(CASES)(
	'%s at %s fails the activation: %s',
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
		// The next poll fails if the problem persists.
		await expect(poll({ getPollBudgetMs: () => 20_000 })).rejects.toThrow(says);
	},
);

test('changes before an activation without a read are emitted by the next poll', async () => {
	const staticData: IDataObject = {};
	await bench.trigger({}, { staticData }).poll();
	responding(503)();
	const { poll, pollList } = bench.trigger({}, { staticData });
	expect(await poll()).toEqual([]);
	expect(inWords(await pollList([...LIST, { id: 3 }]))).toEqual(['contactCreated 3']);
});
