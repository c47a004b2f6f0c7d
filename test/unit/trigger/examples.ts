/** Examples for the tests of trigger/: a watched list, and the settings of a poll. */
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { WatchedFields } from '../../../nodes/BusinessData/trigger/watchedFields';
import { requestOf } from '../transport/examples';

export const LIST = {
	...{ source: 'contacts', business: '', idField: 'id', itemsField: '', query: '', headers: '' },
};
export const SETTINGS: PollSettings = {
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
