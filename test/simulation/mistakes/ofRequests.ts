/** Mistakes of requests, runs and polls: something is done twice, or what is told is not true. */
import type { Mistake } from './mistake';

const RUN = 'nodes/BusinessData/run/run.js';

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
		name: 'a contact that was deleted is never told',
		patches: [
			{
				file: 'nodes/BusinessData/trigger/endRead.js',
				search: "const enough = type === 'none' || isStill ? 2 : state_1.MOST_MISSED;",
				replace: 'const enough = Infinity;',
			},
		],
		seed: 13,
		shows: 'event missing',
	},
];
