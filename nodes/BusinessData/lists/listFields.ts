/** The options of all operations that read a list: where the list is, and how to ask for its pages. */
import type { INodeProperties } from 'n8n-workflow';

export type PaginationType = 'none' | 'pageNumber' | 'offset' | 'cursor' | 'nextUrl';

export const END_OF_LIST = [
	'emptyPage',
	'hasMoreField',
	'notFound',
	'repeatedPage',
	'shortPage',
	'totalPages',
] as const;
type EndOfList = (typeof END_OF_LIST)[number];

export const itemsFieldOption: INodeProperties = {
	displayName: 'Items Field',
	name: 'itemsField',
	type: 'string',
	default: '',
	placeholder: 'e.g. data.items',
	description:
		'Where in the response the list is, as a dot path; a * stands for every entry, as in list.*.customer. Leave empty to find it automatically: the response itself, or the only list of objects in it.',
};

const ifType = (...type: PaginationType[]) => ({ show: { type } });
const ifEndOfList = (endOfList: EndOfList) => ({
	show: { endOfList: [endOfList] },
	hide: { type: ['none'] },
});

export const paginationFields: INodeProperties[] = [
	{
		displayName: 'Cursor Field',
		name: 'cursorField',
		type: 'string',
		default: 'nextCursor',
		displayOptions: ifType('cursor'),
		description: 'Where the next cursor is, as a dot path. A response without it ends the list.',
	},
	{
		displayName: 'Cursor From',
		name: 'cursorFrom',
		type: 'options',
		options: [
			{
				name: 'Last Item',
				value: 'lastItem',
				description: 'A field of the last item, such as its ID',
			},
			{ name: 'Response', value: 'response', description: 'A field of the response' },
		],
		default: 'response',
		displayOptions: ifType('cursor'),
		description: 'Where to look for the cursor field',
	},
	{
		displayName: 'Cursor Parameter',
		name: 'cursorParameter',
		type: 'string',
		default: 'cursor',
		displayOptions: ifType('cursor'),
		description: 'Name of the query parameter that takes the cursor',
	},
	{
		displayName: 'End of List',
		name: 'endOfList',
		type: 'options',
		options: [
			{ name: 'Empty Page', value: 'emptyPage', description: 'A page without items' },
			{
				name: 'Has More Field',
				value: 'hasMoreField',
				description: 'A field that says whether there is more',
			},
			{
				name: 'Not Found',
				value: 'notFound',
				description: 'The status 404, or 416, after the last page',
			},
			{ name: 'Repeated Page', value: 'repeatedPage', description: 'The last page once more' },
			{
				name: 'Short Page',
				value: 'shortPage',
				description: 'A page with fewer items than the first one',
			},
			{ name: 'Total Pages', value: 'totalPages', description: 'A field with the number of pages' },
		],
		default: 'emptyPage',
		displayOptions: { hide: { type: ['none'] } },
		description:
			'How the service marks the end of its list. A missing cursor or address ends it too, or is an error if a field says that there is more.',
	},
	{
		displayName: 'First Offset',
		name: 'firstOffset',
		type: 'number',
		default: 0,
		displayOptions: ifType('offset'),
		description: 'The offset of the first item, usually 0, or 1 where items are counted',
	},
	{
		displayName: 'First Page',
		name: 'firstPage',
		type: 'number',
		default: 1,
		displayOptions: ifType('pageNumber'),
		description: 'Number of the first page, usually 1 or 0',
	},
	{
		displayName: 'Has More Field',
		name: 'hasMoreField',
		type: 'string',
		default: 'has_more',
		displayOptions: ifEndOfList('hasMoreField'),
		description:
			'Where in the response it says whether there is more, as a dot path. The list ends when it is false, 0 or empty.',
	},
	{
		displayName: 'Next URL Field',
		name: 'nextUrlField',
		type: 'string',
		default: '',
		placeholder: 'e.g. links.next',
		displayOptions: ifType('nextUrl'),
		description:
			'Where in the response the address of the next page is, or a list of links with rel and href, as a dot path. Leave empty for the Link header. Only addresses below the base URL are followed.',
	},
	{
		displayName: 'Offset Parameter',
		name: 'offsetParameter',
		type: 'string',
		default: 'offset',
		displayOptions: ifType('offset'),
		description: 'Name of the query parameter that takes the number of items to skip',
	},
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: 'page',
		displayOptions: ifType('pageNumber'),
		description: 'Name of the query parameter that takes the page number',
	},
	{
		displayName: 'Page Size',
		name: 'pageSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 100,
		displayOptions: ifType('pageNumber', 'offset', 'cursor'),
		description: 'How many items to ask for per request',
	},
	{
		displayName: 'Size Parameter',
		name: 'pageSizeParameter',
		type: 'string',
		default: 'limit',
		displayOptions: ifType('pageNumber', 'offset', 'cursor'),
		description: 'Name of the query parameter that takes the page size. Leave empty to send none.',
	},
	{
		displayName: 'Total Pages Field',
		name: 'totalPagesField',
		type: 'string',
		default: 'total_pages',
		displayOptions: ifEndOfList('totalPages'),
		description: 'Where in the response the number of pages is, as a dot path',
	},
	{
		displayName: 'Type',
		name: 'type',
		type: 'options',
		options: [
			{ name: 'Cursor', value: 'cursor', description: 'The response names the next page' },
			{
				name: 'Next URL',
				value: 'nextUrl',
				description: 'The response holds the address of the next page',
			},
			{ name: 'None', value: 'none', description: 'One request returns the whole list' },
			{ name: 'Offset', value: 'offset', description: 'The number of items to skip' },
			{ name: 'Page Number', value: 'pageNumber', description: 'Pages are numbered' },
		],
		default: 'none',
		description: 'How the service splits its list into pages',
	},
];

export const paginationOption: INodeProperties = {
	displayName: 'Pagination',
	name: 'pagination',
	type: 'fixedCollection',
	placeholder: 'Add Pagination',
	default: {},
	description: 'How to ask for the next page, if the service splits its list into pages',
	options: [{ displayName: 'Pagination', name: 'values', values: paginationFields }],
};

export const listOptions: INodeProperties[] = [itemsFieldOption, paginationOption];
