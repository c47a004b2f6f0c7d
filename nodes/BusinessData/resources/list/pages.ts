/**
 * Reads a list page by page. The interface document shows no pagination, so every name is a setting,
 * and the end of the list is taken from what comes, not from what a page size promises.
 */
import { isDeepStrictEqual } from 'node:util';

import { jsonOf } from '../../transport/answer';
import type { Client } from '../../transport/client';
import { InvalidSettingError } from '../../transport/invalidSettingError';
import { RequestError } from '../../transport/requestError';
import type { ServiceRequest } from '../../transport/serviceRequest';
import { readGroup, readText, readWholeNumber } from '../../transport/settingValues';
import { findList, valueAt } from './findList';
import { DEFAULT_PAGE_SIZE, type PaginationType } from './listFields';
import { checkQuery } from '../requestOptions';

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
	/** Whether an empty body is an error, not an empty list. */
	needsList?: boolean;
}

/** More pages than any list has; a service that never ends must not keep n8n busy for ever. */
const MOST_PAGES = 100_000;

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
 * Yields the list page by page.
 * @throws RequestError when a request fails or the service does not understand the pagination
 */
export async function* readPages(
	client: Client,
	request: ServiceRequest,
	settings: ListSettings,
): AsyncGenerator<unknown[]> {
	const { type } = settings;
	let position: string | undefined =
		type === 'pageNumber' ? String(settings.firstPage) : type === 'offset' ? '0' : undefined;
	const cursors = new Set<string>();
	let previous: unknown[] = [];
	let count = 0;
	for (let pages = 1; pages <= MOST_PAGES; pages++) {
		const answer = await client.request(withPosition(request, settings, position));
		const body = jsonOf(answer);
		if (body === undefined && settings.needsList === true && pages === 1) throw noList();
		const page = body === undefined ? [] : findList(body, settings.itemsField);
		if (page.length > 0 && type !== 'none' && isDeepStrictEqual(page, previous)) {
			throw notUnderstood(`page ${pages} holds the same items as the one before`, settings);
		}
		if (page.length > 0) yield page;
		previous = page;
		count += page.length;
		if (type === 'none') return;
		if (type === 'cursor') {
			const next = valueAt(body, settings.cursorField);
			if (typeof next !== 'string' && typeof next !== 'number') return;
			if (next === '' || String(next) === position) return;
			position = String(next);
			if (cursors.has(position)) throw notUnderstood('a cursor comes again', settings);
			cursors.add(position);
		} else {
			// Not "fewer than the page size": the service may give less than it was asked for.
			if (page.length === 0) return;
			position = String(type === 'offset' ? count : settings.firstPage + pages);
		}
	}
	throw notUnderstood(`the list has more than ${MOST_PAGES} pages`, settings);
}

function withPosition(
	request: ServiceRequest,
	{ type, positionParameter, pageSizeParameter, pageSize }: ListSettings,
	position: string | undefined,
): ServiceRequest {
	const query = [...request.query];
	if (position !== undefined) query.push({ name: positionParameter, value: position });
	if (type !== 'none' && pageSizeParameter !== '') {
		query.push({ name: pageSizeParameter, value: String(pageSize) });
	}
	return { ...request, query };
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

function noList(): RequestError {
	return new RequestError('The service answered with nothing where a list was due', {
		outcome: 'unknown',
		description: 'An empty answer is not taken for an empty list. Try again later.',
	});
}

function notUnderstood(problem: string, settings: ListSettings): RequestError {
	return new RequestError(`Pagination: ${problem}`, {
		outcome: 'unknown',
		description: `The service does not seem to know the parameter "${settings.positionParameter}". Check the option Pagination against the documentation of your service.`,
	});
}

function emptyName(label: string): InvalidSettingError {
	return new InvalidSettingError(label, 'is empty', 'Enter a name, or set the pagination to None.');
}
