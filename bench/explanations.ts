// What the page says about who is compared and how. The figures in it come from where they are set.
import { batchingFor, CONTENDERS, MAX_TRIES, REACTIVE, WAIT_BETWEEN_TRIES_MS } from './contenders';
import { formatSetting } from './format';
import { READ_ENDPOINT, windowsOf } from './limits';
import { UNDER_WAY_MS } from './measure';
import { BULK_SCALE, IDS_PER_REQUEST, type PartId, SEND_SCALE, WORK_ITEMS } from './workItems';

const ratio = (scale: number): string => `1:${Math.round(1 / scale)}`;

function describeBatching(): string {
	const described = WORK_ITEMS.filter(({ contenders }) => contenders.includes('batching')).map(
		({ limits, endpoint }) => {
			const { batchSize, batchInterval } = batchingFor(windowsOf(limits, endpoint));
			return `${batchSize} items per ${formatSetting(batchInterval)}${
				endpoint === READ_ENDPOINT ? '' : ' for the documents'
			}`;
		},
	);
	return [...new Set(described)].join(', ');
}

/** The list of those that are compared. */
export function describeContenders(): string {
	const { waitMs, longestWaitMs, jitter, maxRetries, model } = REACTIVE;
	const lines: [string, string][] = [
		[
			CONTENDERS.plain.title,
			"n8n's own node with Header Auth and its default settings, which starts the requests of all items at once.",
		],
		[
			CONTENDERS.retry.title,
			`the same with ${MAX_TRIES} tries, ${formatSetting(WAIT_BETWEEN_TRIES_MS)} apart, which is the most that n8n allows. ` +
				'Each try sends all items again, and when the last one fails, no item comes out.',
		],
		[
			CONTENDERS.batching.title,
			`the same with the option Batching: ${describeBatching()}, the fastest that keeps the limits on average.`,
		],
		[
			'Reactive limiter',
			`a model of nodes that wait only once they were refused, with the defaults of ${model}: all requests start ` +
				`at once, and a refused one goes out again after the time in Retry-After (${formatSetting(longestWaitMs)} at most), ` +
				`or after ${formatSetting(waitMs)} where there is none, ±${jitter * 100} %, ${maxRetries} times at most. ` +
				'The interface document of the service names no Retry-After, so there is a run without and a run with it.',
		],
		[
			CONTENDERS.recipe.title,
			`the usual recipe with Bottleneck: a limiter per window with reservoir, reservoirRefreshAmount and reservoirRefreshInterval, ` +
				'chained, and one chain for all workflows. A refused request is not repeated.',
		],
		[CONTENDERS.ours.title, 'this package, from its tarball.'],
		[
			'Best possible schedule',
			'computed: the n-th request goes out no earlier than one window after the (n − max)-th, for every window, without any latency of the network.',
		],
	];
	return lines.map(([title, text]) => `- **${title}**: ${text}`).join('\n');
}

/** What is the same for all, and why the comparison is fair. */
export function describeConditions(): string {
	return [
		'All contenders run in one real n8n, those of the last section in another one in queue mode, as published workflows that a webhook starts. Those of one work item, and in places those of two, run side by side, each against a service of its own, in a process of its own, with a key of its own. That is fair because they spend nearly all of the time waiting: none of them needs a share of the processor that another would miss. They start a little apart, those that send everything at once first, so that no burst holds up the first requests of another; and every node is run once before, so that nobody’s first request, which is slow, is measured.',
		'The service is the [sandbox](../sandbox/README.md), which enforces the interface document: it counts in sliding and in fixed windows at once and, where nothing else is said, counts refused requests too. The limits are the documented ones, in real time, unless a section says otherwise. An item that fails does not stop the others (n8n’s setting On Error: Continue), except with Retry On Fail, which needs a node that fails.',
		'**Items through** are those that came out of the workflow without an error. **Makespan** is the time from the first request in to the last answer out, both at the service, so the start of n8n and of the workflow does not count; it is given where no item was lost. **Whole workflow** is the time from the call of the webhook to its answer.',
	].join('\n\n');
}

/** What is particular about a part of the page. */
export const PART_TEXTS: Record<PartId, string> = {
	reads: 'Each item is one `GET /masterdata/getContacts`.',
	together:
		'The two start at the same moment. The HTTP Request node and the reactive limiter know nothing of the other workflow; the Bottleneck recipe and the Business Data node do.',
	singles:
		'A single request waits from the call of its workflow until the service lets it through, which includes n8n’s start of the workflow. Beside it stands the time until one slot comes free in every window, by what the service had counted when the request came' +
		` (and ${formatSetting(UNDER_WAY_MS)} later: those requests were under way while n8n started the workflow).`,
	sends: `Each item is one \`POST /txndata/sendTxn\`. Its window is scaled ${ratio(SEND_SCALE)}, and so are the waits of the contenders themselves, whose proportion to the window is thereby what it is in real time; the general windows are not. When the window has passed, the same workflow runs again with the same items, as after a failure further on. The Business Data node has the Send Once Key set.`,
	bulk: `The Business Data node sends ${IDS_PER_REQUEST} IDs per request. The times for one request per record are computed from the limits. All windows are scaled ${ratio(BULK_SCALE)} for the larger number; the last column is computed for the real ones.`,
	foreign:
		'A program of its own sends a read with the same key evenly, a share of what the longest window allows, whatever it is answered. The best possible schedule is that of what it leaves of each limit in the long run; its windows begin empty, so at first there is a little more.',
	foreignQueue:
		'The same for a real n8n in queue mode: the reads are four executions, which its main process hands to two workers. The workers of the Business Data node count in a Redis that its credential names; the other contenders know nothing of each other’s executions.',
};
