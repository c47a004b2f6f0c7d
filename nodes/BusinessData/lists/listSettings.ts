/** The options of a list, checked. The interface document shows no pagination, so all of it is a setting. */
import {
	defaultsOf,
	readChoice,
	readFilledText,
	readGroup,
	readText,
	readWholeNumber,
} from '../values/settingValues';
import { InvalidSettingError } from '../values/invalidSettingError';
import { refuseKeyParameter } from '../transport/serviceRequest';
import { END_OF_LIST, type EndOfList, paginationFields, type PaginationType } from './listFields';

export interface ListSettings {
	itemsField: string;
	/** Dot path to the ID of a record, where it is known. */
	idField?: string;
	type: PaginationType;
	/** The query parameter that says which page, from where, or after what. */
	pagingParameter: string;
	/** The query parameter for the page size; empty sends none. */
	pageSizeParameter: string;
	pageSize: number;
	firstPage: number;
	firstOffset: number;
	/** Dot path to the next cursor. */
	cursorField: string;
	/** Where the cursor is: in the response, or in the last item of its list. */
	cursorFrom: 'response' | 'lastItem';
	/** Dot path to the next page's address; empty for the `Link` header. */
	nextUrlField: string;
	endOfList: EndOfList;
	hasMoreField: string;
	totalPagesField: string;
}

/** The field that names the query parameter for the next page. */
const PAGING_PARAMETERS: Record<PaginationType, [label: string, name: string]> = {
	none: ['', ''],
	pageNumber: ['Page Parameter', 'pageParameter'],
	offset: ['Offset Parameter', 'offsetParameter'],
	cursor: ['Cursor Parameter', 'cursorParameter'],
	nextUrl: ['', ''],
};
const TYPES = Object.keys(PAGING_PARAMETERS) as PaginationType[];

/** @throws InvalidSettingError that names the field */
export function readListSettings(options: {
	itemsField?: unknown;
	pagination?: unknown;
}): ListSettings {
	const group = readGroup('Pagination', readGroup('Pagination', options.pagination).values);
	const values: Record<string, unknown> = { ...defaultsOf(paginationFields), ...group };
	const type = readChoice('Pagination', values.type, TYPES);
	const name = (label: string, key: string) =>
		readFilledText(label, values[key], 'Enter a name, or set the pagination to None.');
	const [label, key] = PAGING_PARAMETERS[type];
	const endOfList = readChoice('End of List', values.endOfList, END_OF_LIST);
	const settings: ListSettings = {
		itemsField: readText('Items Field', options.itemsField).trim(),
		type,
		pagingParameter: label === '' ? '' : name(label, key),
		pageSizeParameter: readText('Size Parameter', values.pageSizeParameter).trim(),
		pageSize: readWholeNumber('Page Size', values.pageSize, { least: 1 }),
		firstPage: readWholeNumber('First Page', values.firstPage, { least: 0 }),
		firstOffset: readWholeNumber('First Offset', values.firstOffset, { least: 0 }),
		cursorField: type === 'cursor' ? name('Cursor Field', 'cursorField') : '',
		cursorFrom: readChoice('Cursor From', values.cursorFrom, ['response', 'lastItem']),
		nextUrlField: readText('Next URL Field', values.nextUrlField).trim(),
		endOfList: type === 'none' ? 'emptyPage' : endOfList,
		hasMoreField: endOfList === 'hasMoreField' ? name('Has More Field', 'hasMoreField') : '',
		totalPagesField: endOfList === 'totalPages' ? name('Total Pages Field', 'totalPagesField') : '',
	};
	if (settings.pagingParameter !== '' && settings.pagingParameter === settings.pageSizeParameter) {
		throw new InvalidSettingError(
			'Size Parameter',
			`is the same as ${label}`,
			'Enter the name that the service has for it, or leave it empty.',
		);
	}
	for (const parameter of [settings.pagingParameter, settings.pageSizeParameter]) {
		refuseKeyParameter('Pagination', parameter);
	}
	return settings;
}
