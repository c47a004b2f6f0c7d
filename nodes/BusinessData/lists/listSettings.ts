/** Reads and checks the list options. The interface document shows no pagination, so all of it is a setting. */
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
import { END_OF_LIST, paginationFields, type PaginationType } from './listFields';

export interface ListSettings extends ReturnType<typeof readListSettings> {
	/** Dot path to the ID of a record, if known. */
	idField?: string;
}

/** By pagination type, the field for the query parameter that asks for the next page. */
const PAGING_PARAMETERS: Record<PaginationType, [label: string, name: string]> = {
	none: ['', ''],
	pageNumber: ['Page Parameter', 'pageParameter'],
	offset: ['Offset Parameter', 'offsetParameter'],
	cursor: ['Cursor Parameter', 'cursorParameter'],
	nextUrl: ['', ''],
};
const TYPES = Object.keys(PAGING_PARAMETERS) as PaginationType[];

/** @throws InvalidSettingError that names the field */
export function readListSettings(options: { itemsField?: unknown; pagination?: unknown }) {
	const group = readGroup('Pagination', readGroup('Pagination', options.pagination).values);
	const values: Record<string, unknown> = { ...defaultsOf(paginationFields), ...group };
	const type = readChoice('Pagination', values.type, TYPES);
	const name = (label: string, key: string) =>
		readFilledText(label, values[key], 'Enter a name, or set the pagination to None.');
	const [label, key] = PAGING_PARAMETERS[type];
	const endOfList = readChoice('End of List', values.endOfList, END_OF_LIST);
	const settings = {
		itemsField: readText('Items Field', options.itemsField).trim(),
		type,
		/** The query parameter for the page number, the offset or the cursor. */
		pagingParameter: label === '' ? '' : name(label, key),
		/** The query parameter for the page size; empty sends none. */
		pageSizeParameter: readText('Size Parameter', values.pageSizeParameter).trim(),
		pageSize: readWholeNumber('Page Size', values.pageSize, { least: 1 }),
		firstPage: readWholeNumber('First Page', values.firstPage, { least: 0 }),
		firstOffset: readWholeNumber('First Offset', values.firstOffset, { least: 0 }),
		/** Dot path to the next cursor. */
		cursorField: type === 'cursor' ? name('Cursor Field', 'cursorField') : '',
		/** Whether the cursor is in the response, or in the last item of the list. */
		cursorFrom: readChoice('Cursor From', values.cursorFrom, ['response', 'lastItem']),
		/** Dot path to the address of the next page; empty for the `Link` header. */
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
