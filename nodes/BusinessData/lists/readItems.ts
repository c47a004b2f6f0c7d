/** Reads a list as items, and says what was recognized in it. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { ServiceRequest } from '../transport/serviceRequest';
import type { Run } from '../run/run';
import { countOf } from '../values/countOf';
import type { ListSettings } from './listSettings';
import { type Page, readPages } from './pages';
import { signsOfMore } from './signsOfMore';

/** @throws RequestError when a request fails or the service does not understand the pagination */
export async function readItems(
	run: Run,
	request: ServiceRequest,
	settings: ListSettings,
	limit: number,
	toItem: (record: unknown) => INodeExecutionData,
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	let last: Page | undefined;
	for await (const page of readPages(run.client, request, settings)) {
		last = page;
		for (const record of page.records) {
			if (items.length < limit) items.push(toItem(record));
		}
		if (items.length >= limit) break;
	}
	if (last !== undefined) hintAtList(run, settings, last, items.length, items.length >= limit);
	return items;
}

/** @param isLimited whether nobody asked for more */
function hintAtList(
	run: Run,
	{ type }: ListSettings,
	{ response, body, path, next: nextPlace }: Page,
	count: number,
	isLimited: boolean,
): void {
	const { total, next, flag } = signsOfMore(response, body, count);
	const isMore = total !== undefined || (nextPlace === undefined && (next ?? flag) !== undefined);
	const by = next === undefined ? '' : `; the next page is named by ${next.path}`;
	const items = countOf(count, 'item');
	const all = total === undefined ? '' : ` of ${total.count} (${total.path})`;
	if (isMore && !isLimited) {
		const advice =
			type !== 'none'
				? 'Check the option Pagination: its names, and End of List.'
				: next?.isAddress === true
					? 'Set the option Pagination to Next URL to read the rest.'
					: 'Set the option Pagination to read the rest.';
		const says =
			total === undefined
				? `The service says that there is more${flag === undefined ? '' : ` (${flag})`}`
				: 'There are more';
		run.hintOnce(`${says}: ${items}${all} ${count === 1 ? 'was' : 'were'} read${by}. ${advice}`);
	} else if (run.isManual) {
		const where = path === '' ? 'the response itself' : path;
		const empty = `The list is empty: 0 items in ${where}. If the service has some, check the options, and whether the API key is that of the right business.`;
		if (count === 0) return run.hintOnce(empty);
		run.hintOnce(`${items}${all} in ${where}${by === '' ? '' : `; more pages by ${next?.path}`}.`);
	}
}
