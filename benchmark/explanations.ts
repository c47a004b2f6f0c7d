// The texts of the page about the contenders and the conditions, with figures from the settings.
import { READ_ENDPOINT } from '../test/support/parameters';
import { windowsOf } from './bestSchedule';
import { batchingFor, CONTENDERS, MAX_TRIES, REACTIVE, WAIT_BETWEEN_TRIES_MS } from './contenders';
import { formatSetting } from './format';
import {
	BULK_SCALE,
	IDS_PER_REQUEST,
	type PartId,
	SEND_SCALE,
	SINGLES_TITLE,
	WORK_ITEMS,
} from './workItems';

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

/** The list of the contenders. */
export function describeContenders(): string {
	const { waitMs, longestWaitMs, jitter, maxRetries, model } = REACTIVE;
	const lines: [string, string][] = [
		[CONTENDERS.plain.title, "n8n's own node, which starts the requests of all items at once."],
		[
			CONTENDERS.retry.title,
			`the same with ${MAX_TRIES} attempts, ${formatSetting(WAIT_BETWEEN_TRIES_MS)} apart, each with all items.`,
		],
		[
			CONTENDERS.batching.title,
			`the same with the option Batching: ${describeBatching()}, the fastest setting that keeps to the limits on average.`,
		],
		[
			'Reactive limiter',
			`a model of nodes that wait only after a refusal, with the defaults of ${model}: a refused request is retried after ` +
				`Retry-After (${formatSetting(longestWaitMs)} at most) or ${formatSetting(waitMs)}, ±${jitter * 100} %, ` +
				`${maxRetries} times at most.`,
		],
		[
			CONTENDERS.recipe.title,
			'a limiter per window with a reservoir that is refreshed, one chain for all workflows; no retries.',
		],
		[CONTENDERS.package.title, 'this package.'],
		['Best possible schedule', 'computed from the limits, and what another client leaves of them.'],
	];
	return lines.map(([title, text]) => `- **${title}**: ${text}`).join('\n');
}

/** The conditions that are the same for all contenders. */
export function describeConditions(): string {
	return [
		'All contenders run in parallel in one real n8n, as published workflows, each against its own [sandbox](../sandbox/README.md). It counts in sliding and fixed windows at once, refused requests included, and responds after 50 ms. The limits are the documented ones, in real time, unless a section says otherwise.',
		'A cell shows the **makespan**, the time from the first request to the last response at the service. If items were lost, it shows how many got through instead. The number of refused requests (429) is in brackets.',
	].join('\n\n');
}

/** The introduction of each part of the page. */
export const PART_TEXTS: Record<PartId, string> = {
	reads:
		'Each item is one `GET /masterdata/getContacts`. In the last column, another client with the same key sends reads at an even rate, a share of what the longest window allows. After the semicolon is the number of its requests that were refused.',
	singles: `${SINGLES_TITLE} waits until the service lets it through.`,
	sends: `Each item is one \`POST /txndata/sendTxn\`. Its window and the waits of the contenders are scaled ${ratio(SEND_SCALE)}. When the window has passed, the same workflow runs again with the same items. The Business Data node has the Send Once Key set.`,
	bulk: `The Business Data node sends ${IDS_PER_REQUEST} IDs per request. The time for one request each is computed from the limits. For the larger number, the windows of the other columns are scaled ${ratio(BULK_SCALE)}.`,
};
