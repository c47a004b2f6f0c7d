/** Mistakes of requests, runs and polls: something is done twice, or what is told is not true. */
import type { Mistake } from './mistake';

const RUN = 'nodes/BusinessData/run/run.js';
const WAIT = 'nodes/BusinessData/resources/limits/waitForRoom.operation.js';
const LIMITER = 'nodes/BusinessData/rateLimit';

export const MISTAKES_OF_REQUESTS: Mistake[] = [
	{
		name: 'a send is retried after an unknown outcome',
		patches: [
			{
				file: 'nodes/BusinessData/transport/retries.js',
				search: 'isTransient && (isHarmless || (isNotSent && !isTimeout))',
				replace: 'isTransient',
			},
		],
		seed: 5,
		shows: 'acted twice',
	},
	{
		name: 'a credential that was edited in mid-run sends the new key to the old host',
		patches: [
			{
				file: 'nodes/BusinessData/transport/httpRequest.js',
				search: ', data: fieldsOf(account) }',
				replace: ' }',
			},
		],
		seed: 24,
		shows: 'key strayed',
	},
	{
		name: 'Retry On Fail sends again what may have been sent',
		patches: [
			{
				file: 'nodes/BusinessData/items/previousAttempts.js',
				search: 'if (mayHaveActed(error))',
				replace: 'if (false)',
			},
		],
		seed: 7,
		shows: 'acted twice',
	},
	{
		name: 'a failure after a 2xx counts as not sent',
		patches: [
			{
				file: 'nodes/BusinessData/items/sendEach.js',
				search: 'throw (0, serviceRequest_1.isRead)(request) ? error : ',
				replace: 'throw true ? error : ',
			},
		],
		seed: 703,
		shows: 'untrue result',
	},
	{
		name: 'a time-out counts as not sent',
		patches: [
			{
				file: 'nodes/BusinessData/transport/attempt.js',
				search:
					'const failure = (0, failure_1.readFailure)(error, watch.progress, account.apiKey);',
				replace:
					"const failure = (0, failure_1.readFailure)(error, 'notConnected', account.apiKey);",
			},
		],
		seed: 161,
		shows: 'untrue result',
	},
	{
		name: 'the key shows in what the service says',
		patches: [
			{
				file: 'nodes/BusinessData/values/redact.js',
				search: 'return places;',
				replace: 'return [];',
			},
		],
		seed: 7,
		shows: 'key shown',
	},
	{
		name: 'a listener stays on the stop signal',
		patches: [
			{
				file: RUN,
				search: 'for (const stop of this.stopListening)\n            stop();',
				replace: '',
			},
		],
		seed: 1,
		shows: 'listener left',
	},
	{
		name: 'Wait for Room goes on where there is no room',
		patches: [{ file: WAIT, search: 'if (waitMs < SHORTEST_WAIT_MS)', replace: 'if (true)' }],
		seed: 12,
		shows: 'no room',
	},
	{
		name: 'all who wait for the same room get it at the same moment',
		patches: [
			{
				file: `${LIMITER}/tickets.js`,
				search: 'make({ name, at, left }) {',
				replace: 'make({ name, at, left }) {\n        return;',
			},
			{
				file: `${LIMITER}/redis/roomScripts.js`,
				search: 'for index = 1, together do add(TICKETS',
				replace: 'for index = 1, 0 do add(TICKETS',
			},
		],
		seed: 20,
		shows: 'room given twice',
	},
	{
		name: 'Wait for Room waits although there is room',
		patches: [
			{
				file: WAIT,
				search: 'if (waitMs < SHORTEST_WAIT_MS)',
				replace:
					'if (waitMs < SHORTEST_WAIT_MS)\n                await (0, async_1.sleep)(60_000, run.signal);\n            if (waitMs < SHORTEST_WAIT_MS)',
			},
		],
		seed: 2,
		shows: 'wait without a reason',
	},
	{
		name: 'a body is read to its end, however long it is',
		patches: [
			{
				file: 'nodes/BusinessData/transport/response.js',
				search: 'if (length > most)',
				replace: 'if (false)',
			},
		],
		seed: 21,
		shows: 'body read too far',
	},
	{
		name: 'a contact that was deleted is never told',
		patches: [
			{
				file: 'nodes/BusinessData/trigger/endRead.js',
				search: "const enough = type === 'none' || isStill ? 2 : state_1.MOST_MISSED;",
				replace: 'const enough = Infinity;',
			},
		],
		seed: 17,
		shows: 'event missing',
	},
];
