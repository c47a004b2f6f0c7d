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
			"n8n's own node with its default settings, which starts the requests of all items at once.",
		],
		[
			CONTENDERS.retry.title,
			`the same with ${MAX_TRIES} attempts, ${formatSetting(WAIT_BETWEEN_TRIES_MS)} apart, the most that n8n allows; ` +
				'each sends all items again, and when the last one fails, no item comes out.',
		],
		[
			CONTENDERS.batching.title,
			`the same with the option Batching: ${describeBatching()}, the fastest that keeps the limits on average.`,
		],
		[
			'Reactive limiter',
			`a model of nodes that wait only after a refusal, with the defaults of ${model}: all requests start at once, and a ` +
				`refused one is retried after Retry-After (${formatSetting(longestWaitMs)} at most) or ${formatSetting(waitMs)}, ` +
				`±${jitter * 100} %, ${maxRetries} times at most; a run each with and without Retry-After.`,
		],
		[
			CONTENDERS.recipe.title,
			'a limiter per window with a reservoir that is refreshed, chained, and one chain for all workflows; no retries.',
		],
		[CONTENDERS.ours.title, 'this package, from its tarball.'],
		[
			'Best possible schedule',
			'computed: the n-th request goes out no earlier than one window after the (n − max)-th, for every window.',
		],
	];
	return lines.map(([title, text]) => `- **${title}**: ${text}`).join('\n');
}

/** What is the same for all, and why the comparison is fair. */
export function describeConditions(): string {
	return [
		'All contenders run side by side in one real n8n (in queue mode in another one), as published workflows that a webhook starts, each against a service process of its own, after a first run that is not measured.',
		'The service is the [sandbox](../sandbox/README.md), which counts in sliding and in fixed windows at once, refused requests too, and responds after 50 ms; the limits are the documented ones, in real time, unless a table or section says otherwise. An item that fails does not stop the others, except with Retry On Fail.',
		'A cell holds the **makespan**, from the first request in to the last response out at the service; where items were lost, how many came through; in brackets, how many requests were refused (429).',
	].join('\n\n');
}

/** What is particular about a part of the page. */
export const PART_TEXTS: Record<PartId, string> = {
	reads: 'Each item is one `GET /masterdata/getContacts`.',
	together:
		'They start at the same moment. Only the Bottleneck recipe and the Business Data node know of the other workflow.',
	singles:
		'A single request waits from the call of its workflow until the service lets it through. Beside it stands the time until one slot comes free in every window, by what the service had counted when the request came' +
		` and ${formatSetting(UNDER_WAY_MS)} later, as n8n starts the workflow.`,
	sends: `Each item is one \`POST /txndata/sendTxn\`. Its window and the waits of the contenders are scaled ${ratio(SEND_SCALE)}, the general windows are not. When the window has passed, the same workflow runs again with the same items; what was sent twice or is missing is counted after that. The Business Data node has the Send Once Key set.`,
	bulk: `The Business Data node sends ${IDS_PER_REQUEST} IDs per request. One request per record is computed from the limits. All windows are scaled ${ratio(BULK_SCALE)} for the larger number; the last column is for the real ones.`,
	foreign:
		'130 reads, while another client with the same key sends reads evenly, a share of what the longest window allows. The best possible schedule is that of what it leaves in the long run. After the semicolon: how many of its requests were refused.',
	foreignQueue:
		'The same in queue mode: four executions, which the main process hands to two workers. The workers of the Business Data node count in one Redis.',
};
