/** A read that goes on from the poll before, and a comparison of many records. */
import { comparePage } from '../../../nodes/BusinessData/trigger/comparePage';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { OutOfTimeError } from '../../../nodes/BusinessData/trigger/pollClient';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { ListReader } from '../../../nodes/BusinessData/trigger/readList';
import { newState } from '../../../nodes/BusinessData/trigger/state';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { type Outcome, RequestError } from '../../../nodes/BusinessData/transport/requestError';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { requestOf, responseOf } from '../transport/examples';

const LIST = {
	...{ source: 'contacts', business: '', idField: 'id', itemsField: '', query: '', headers: '' },
};
const SETTINGS: PollSettings = {
	watchedList: LIST,
	request: requestOf('GET', '/list'),
	list: readListSettings({ pagination: { values: { type: 'pageNumber', pageSize: 1 } } }),
	recordName: 'contact',
	idField: 'id',
	wanted: ['Created'],
	emitsExisting: false,
	readsChangesOnly: false,
	incremental: undefined,
	deletedWhen: undefined,
	watchedFields: new WatchedFields('', ''),
	emitsChangedFields: false,
	maxDeletionPercent: 50,
};
const error = (outcome: Outcome) => new RequestError('', { outcome, description: '' });
const OUT_OF_TIME = new OutOfTimeError('', { outcome: 'notSent', description: '' });

/** Reads a list of three records in two polls, and returns the pages that the second one asks for. */
async function readInTwoPolls(first: Error[], second: Error[]): Promise<string[]> {
	const state = newState(LIST);
	const asked: string[] = [];
	const read = async (failures: Record<string, Error | undefined>) => {
		asked.length = 0;
		const request = async ({ query }: ServiceRequest) => {
			const page = query.find(({ name }) => name === 'page')?.value ?? '';
			asked.push(page);
			const failure = failures[asked.length];
			if (failure !== undefined) throw failure;
			return await Promise.resolve(responseOf(Number(page) > 3 ? [] : [{ id: page }]));
		};
		const client = { request, baseUrl: '' };
		await new ListReader(client, SETTINGS, state, new Events(), () => undefined).read();
	};
	await read({ 3: first[0] });
	await read({ 1: second[0], 2: second[1] }).catch(() => asked.push('failed'));
	return asked;
}

test.each<[string, Error[], string[]]>([
	['succeeds', [], ['3', '4']],
	['is not sent, the place stays for the next poll', [error('notSent')], ['3', 'failed']],
	['is refused, it begins again', [error('refused')], ['3', '1', '2', '3', '4']],
	['has no response, it begins again', [error('unknown')], ['3', '1', '2', '3', '4']],
	[
		'and the second are refused, it fails',
		[error('refused'), error('refused')],
		['3', '1', 'failed'],
	],
])('when the first request of a read that goes on %s', async (_, failures, pages) => {
	expect(await readInTwoPolls([OUT_OF_TIME], failures)).toEqual(pages);
});

test('many records leave time for other work', async () => {
	const now = jest.spyOn(performance, 'now');
	let ms = 0;
	// Each record takes 5 ms.
	now.mockImplementation(() => (ms += 5));
	const pauses = jest.spyOn(globalThis, 'setImmediate');
	const records = Array.from({ length: 50 }, (_, id) => ({ id }));
	await comparePage(records, SETTINGS, newState(LIST), new Events());
	now.mockRestore();
	expect(pauses).toHaveBeenCalledTimes(10);
	pauses.mockRestore();
});
