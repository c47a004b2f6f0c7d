/** The options of a list, checked. The interface document shows no pagination, so every name is a setting. */
import { InvalidSettingError } from '../../transport/invalidSettingError';
import { readGroup, readText, readWholeNumber } from '../../transport/settingValues';
import { checkQuery } from '../requestOptions';
import { DEFAULT_PAGE_SIZE, type PaginationType } from './listFields';

export interface ListOptions {
	itemsField?: unknown;
	pagination?: unknown;
}

export interface ListSettings {
	itemsField: string;
	type: PaginationType;
	/** The query parameter that says which page, from where, or after what. */
	positionParameter: string;
	/** The query parameter for the page size; empty sends none. */
	pageSizeParameter: string;
	pageSize: number;
	firstPage: number;
	/** Dot path to the next cursor in the answer. */
	cursorField: string;
}

/** The field with the name of the parameter that moves on, by the kind of pagination, and its default. */
const POSITION_PARAMETERS: Record<PaginationType, [label: string, name: string, value: string]> = {
	none: ['', '', ''],
	pageNumber: ['Page Parameter', 'pageParameter', 'page'],
	offset: ['Offset Parameter', 'offsetParameter', 'offset'],
	cursor: ['Cursor Parameter', 'cursorParameter', 'cursor'],
};

/** @throws InvalidSettingError that names the field */
export function readListSettings(options: ListOptions): ListSettings {
	const { values: group } = readGroup('Pagination', options.pagination);
	const values = readGroup('Pagination', group);
	const type = readType(values.type ?? 'none');
	const text = (label: string, name: string, fallback: string) =>
		readText(label, values[name] ?? fallback).trim();
	const [label, name, fallback] = POSITION_PARAMETERS[type];
	const positionParameter = type === 'none' ? '' : text(label, name, fallback);
	const cursorField = text('Cursor Field', 'cursorField', 'nextCursor');
	if (type !== 'none' && positionParameter === '') throw emptyName(label);
	if (type === 'cursor' && cursorField === '') throw emptyName('Cursor Field');
	const pageSizeParameter = text('Page Size Parameter', 'pageSizeParameter', 'limit');
	const parameters = [positionParameter, pageSizeParameter];
	checkQuery(
		parameters.map((name) => ({ name, value: '' })),
		'Pagination',
	);
	return {
		itemsField: readPath('Items Field', options.itemsField),
		type,
		positionParameter,
		pageSizeParameter,
		pageSize: readWholeNumber('Page Size', values.pageSize ?? DEFAULT_PAGE_SIZE, { least: 1 }),
		firstPage: readWholeNumber('First Page', values.firstPage ?? 1, { least: 0 }),
		cursorField,
	};
}

/**
 * A dot path from an option; empty when it is not set.
 * @throws InvalidSettingError when it is not a text
 */
export function readPath(field: string, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value.trim();
	throw new InvalidSettingError(
		field,
		'is not a text',
		'Enter a dot path, for example data.items.',
	);
}

function readType(value: unknown): PaginationType {
	const isKnown = typeof value === 'string' && Object.hasOwn(POSITION_PARAMETERS, value);
	if (isKnown) return value as PaginationType;
	throw new InvalidSettingError('Pagination', 'is not known', 'Choose an entry of the list.');
}

function emptyName(label: string): InvalidSettingError {
	return new InvalidSettingError(label, 'is empty', 'Enter a name, or set the pagination to None.');
}
