/** The options of every operation that reads a list: where the list is, and how to ask for its pages. */
import type { INodeProperties } from 'n8n-workflow';

export type PaginationType = 'none' | 'pageNumber' | 'offset' | 'cursor';

export const DEFAULT_PAGE_SIZE = 100;

export const itemsFieldOption: INodeProperties = {
	displayName: 'Items Field',
	name: 'itemsField',
	type: 'string',
	default: '',
	placeholder: 'e.g. data.items',
	description:
		'Where in the answer the list is, as a dot path. Leave empty to find it automatically: the answer itself, or its only field that is a list.',
};

const types = (...type: PaginationType[]) => ({ show: { type } });

/** The options of every operation that reads a list. */
export const listFields: INodeProperties[] = [
	itemsFieldOption,
	{
		displayName: 'Pagination',
		name: 'pagination',
		type: 'fixedCollection',
		placeholder: 'Add Pagination',
		default: {},
		description: 'How to ask for the next page, if the service splits its list into pages',
		options: [
			{
				displayName: 'Pagination',
				name: 'values',
				values: [
					{
						displayName: 'Cursor Field',
						name: 'cursorField',
						type: 'string',
						default: 'nextCursor',
						displayOptions: types('cursor'),
						description:
							'Where in the answer the next cursor is, as a dot path. The list ends when it is missing or empty.',
					},
					{
						displayName: 'Cursor Parameter',
						name: 'cursorParameter',
						type: 'string',
						default: 'cursor',
						displayOptions: types('cursor'),
						description: 'Name of the query parameter that takes the cursor',
					},
					{
						displayName: 'First Page',
						name: 'firstPage',
						type: 'number',
						default: 1,
						displayOptions: types('pageNumber'),
						description: 'Number of the first page, usually 1 or 0',
					},
					{
						displayName: 'Offset Parameter',
						name: 'offsetParameter',
						type: 'string',
						default: 'offset',
						displayOptions: types('offset'),
						description: 'Name of the query parameter that takes the number of items to skip',
					},
					{
						displayName: 'Page Parameter',
						name: 'pageParameter',
						type: 'string',
						default: 'page',
						displayOptions: types('pageNumber'),
						description: 'Name of the query parameter that takes the page number',
					},
					{
						displayName: 'Page Size',
						name: 'pageSize',
						type: 'number',
						typeOptions: { minValue: 1 },
						default: DEFAULT_PAGE_SIZE,
						displayOptions: types('pageNumber', 'offset', 'cursor'),
						description: 'How many items to ask for per request',
					},
					{
						displayName: 'Page Size Parameter',
						name: 'pageSizeParameter',
						type: 'string',
						default: 'limit',
						displayOptions: types('pageNumber', 'offset', 'cursor'),
						description:
							'Name of the query parameter that takes the page size. Leave empty to send none.',
					},
					{
						displayName: 'Type',
						name: 'type',
						type: 'options',
						options: [
							{ name: 'Cursor', value: 'cursor', description: 'The answer names the next page' },
							{ name: 'None', value: 'none', description: 'One request returns the whole list' },
							{ name: 'Offset', value: 'offset', description: 'The number of items to skip' },
							{ name: 'Page Number', value: 'pageNumber', description: 'Pages are counted' },
						],
						default: 'none',
						description: 'How the service splits its list',
					},
				],
			},
		],
	},
];
