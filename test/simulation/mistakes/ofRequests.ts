/** Mistakes of requests, runs and polls: something is done twice, or what is told is not true. */
import { type Mistake, patch } from './mistake';

const RUN = 'nodes/BusinessData/run/run.js';
const WAIT = 'nodes/BusinessData/resources/limits/waitForRoom.operation.js';
const LIMITER = 'nodes/BusinessData/rateLimit';

export const MISTAKES_OF_REQUESTS: Mistake[] = [
	{
		name: 'a send is retried after an unknown outcome',
		patches: [
			patch(
				'nodes/BusinessData/transport/retries.js',
				"retry === 'always' || (retry === 'ifHarmless' && isHarmless)",
				"retry !== 'never'",
			),
		],
		seed: 5,
		shows: 'acted twice',
	},
	{
		name: 'a credential that was edited in mid-run sends the new key to the old host',
		patches: [patch('nodes/BusinessData/transport/httpRequest.js', ', data } }', ' } }')],
		seed: 24,
		shows: 'key strayed',
	},
	{
		name: 'Retry On Fail sends again what may have been sent',
		patches: [
			patch(
				'nodes/BusinessData/items/runTasks.js',
				'if (!isUnknown || isRead === true)',
				'if (true)',
			),
		],
		seed: 7,
		shows: 'acted twice',
	},
	{
		name: 'a failure after a 2xx counts as not sent',
		patches: [
			patch(
				'nodes/BusinessData/items/requestEach.js',
				'throw (0, requestErrors_1.afterSuccessError)(request, error, run.account.apiKey);',
				'throw error;',
			),
		],
		seed: 703,
		shows: 'untrue result',
	},
	{
		name: 'a time-out counts as not sent',
		patches: [
			patch(
				'nodes/BusinessData/transport/attempt.js',
				'const failure = (0, failure_1.readFailure)(error, watch.progress, account.apiKey);',
				"const failure = (0, failure_1.readFailure)(error, 'notConnected', account.apiKey);",
			),
		],
		seed: 161,
		shows: 'untrue result',
	},
	{
		name: 'the key shows in what the service says',
		patches: [
			patch(
				'nodes/BusinessData/values/redact.js',
				'.matchAll(patternOf(apiKey))',
				'.matchAll(/^$/g)',
			),
		],
		seed: 7,
		shows: 'key shown',
	},
	{
		name: 'a listener stays on the stop signal',
		patches: [patch(RUN, 'for (const stop of this.stopListening)\n            stop();', '')],
		seed: 1,
		shows: 'listener left',
	},
	{
		name: 'Wait for Room goes on where there is no room',
		patches: [patch(WAIT, 'if (waitMs < SHORTEST_WAIT_MS)', 'if (true)')],
		seed: 12,
		shows: 'no room',
	},
	{
		name: 'all who wait for the same room get it at the same moment',
		patches: [
			patch(
				`${LIMITER}/tickets.js`,
				'issue(holder, count, at) {',
				'issue(holder, count, at) {\n        return;',
			),
			patch(`${LIMITER}/redis/script.js`, 'for index = 1, call.count do', 'for index = 1, 0 do'),
		],
		seed: 20,
		shows: 'room given twice',
	},
	{
		name: 'Wait for Room waits although there is room',
		patches: [
			patch(
				WAIT,
				'if (waitMs < SHORTEST_WAIT_MS)',
				'if (waitMs < SHORTEST_WAIT_MS)\n                await (0, async_1.sleep)(60_000, run.signal);\n            if (waitMs < SHORTEST_WAIT_MS)',
			),
		],
		seed: 2,
		shows: 'wait without a reason',
	},
	{
		name: 'a body is read to its end, however long it is',
		patches: [
			patch('nodes/BusinessData/transport/response.js', 'if (length > most)', 'if (false)'),
		],
		seed: 21,
		shows: 'body read too far',
	},
];
