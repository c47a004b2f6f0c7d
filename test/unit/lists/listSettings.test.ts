/** Options of a list that cannot be used. */
import type { IDataObject } from 'n8n-workflow';

import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';

const settingsOf = (values: IDataObject) => readListSettings({ pagination: { values } });

const OF_THE_KEY = 'the key must not be a query parameter (apiKey)';
test.each<[IDataObject, string]>([
	[{ type: 'pages' }, 'Pagination: is not known'],
	[{ type: 'constructor' }, 'Pagination: is not known'],
	[{ type: 'pageNumber', pageParameter: ' ' }, 'Page Parameter: is empty'],
	[{ type: 'offset', offsetParameter: '' }, 'Offset Parameter: is empty'],
	[{ type: 'cursor', cursorParameter: '' }, 'Cursor Parameter: is empty'],
	[{ type: 'cursor', cursorField: '' }, 'Cursor Field: is empty'],
	[{ type: 'cursor', cursorField: 5 }, 'Cursor Field: is not a text'],
	...[0, 1.5, '', 'many'].map((pageSize): [IDataObject, string] => [
		...([{ type: 'offset', pageSize }, 'Page Size: must be a whole number from 1 on'] as const),
	]),
	[{ type: 'offset', offsetParameter: 'limit' }, 'Size Parameter: is the same as Offset'],
	[{ type: 'pageNumber', firstPage: -1 }, 'First Page: must be a whole number from 0 on'],
	[{ type: 'offset', firstOffset: -1 }, 'First Offset: must be a whole number from 0 on'],
	[{ type: 'pageNumber', firstPage: '' }, 'First Page: must be a whole number from 0 on'],
	...[
		{ type: 'pageNumber', pageParameter: 'apiKey' },
		{ type: 'offset', offsetParameter: 'APIKEY' },
		{ type: 'cursor', cursorParameter: ' apikey' },
		{ type: 'cursor', pageSizeParameter: 'apiKey' },
	].map((values): [IDataObject, string] => [values, OF_THE_KEY]),
])('%j is refused: %s', (values, message) => {
	expect(() => settingsOf(values)).toThrow(message);
});
