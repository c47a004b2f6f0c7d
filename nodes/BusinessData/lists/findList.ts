/** Finds the list of records in a response. */
import { holdsFailure } from '../transport/signsOfFailure';
import { joinPath, valueAt, valuesAt } from '../values/dotPath';
import { isObject } from '../values/isObject';
import { ListError } from './listError';
import { namesNoPage } from './nextUrl';
import { idsIn, PAGE_NAME } from './pageHash';
import { namesNextPage, namesTotal } from './signsOfMore';

interface FoundList {
	records: unknown[];
	/** Dot path to the list; empty if it is the response itself. */
	path: string;
	/** How many entries the service's list has, if one entry may hold no record or several; undefined if each is a record. */
	entries?: number;
}

const DEEPEST = 4;
/** Lists that often accompany the records: used only if there is no other. */
const BESIDE =
	/^_?((validation[_-]?)?messages?|sort|order|orderby|links?|next\w*|filters?|facets|included|totals)$/i;
/** Lists that are never the records. */
const FAILURES =
	/^_?((validation|field|input)[_-]?)?(errors?|warnings?|faults?)[_-]?(list|messages?|details?)?$/i;

/** A response with such a field is no empty list: a record has an ID, and a failure has a message. */
const ID_NAME = /^(_?id|uuid|guid)$/i;
const MESSAGE_NAME = /(message|msg|detail|description|reason|title)s?$/i;

type Entry = [path: string, value: unknown];
type List = [path: string, records: unknown[]];

/**
 * @param itemsField dot path to the list, in which `*` stands for every entry. If empty, the list is the response itself,
 * or at the shallowest level with a list: the one named like the endpoint, the only list of objects, or the only list
 * @param endpoint path of the endpoint
 * @throws ListError if there is no list, or more than one
 */
export function findList(body: unknown, itemsField: string, endpoint = ''): FoundList {
	if (itemsField.split('.').includes('*')) return recordsAt(body, itemsField);
	if (itemsField !== '') return { records: listAt(body, itemsField), path: itemsField };
	if (Array.isArray(body)) return { records: body, path: '' };
	const beside: List[] = [];
	let single: Entry | undefined;
	let level = entriesOf(body);
	for (let depth = 1; depth <= DEEPEST; depth++) {
		const lists = level.filter(isList).filter(([path]) => !isNamed(path, FAILURES));
		const own = lists.filter(([path]) => !isBesideRecords(path));
		const named = own.filter(([path, list]) => isNamedBy(endpoint, path) && list.every(isObject));
		const found = onlyOf(named.length > 0 ? named : own, body);
		if (found !== undefined) return found;
		beside.push(...lists);
		// A single record may contain lists.
		single ??= level.find(([path, value]) => isNamedBy(endpoint, path) && hasId(value));
		level = level.flatMap(([path, value]) =>
			Array.isArray(value) || value === single?.[1] ? [] : entriesOf(value, path),
		);
	}
	if (single !== undefined) return { records: [single[1]], path: single[0] };
	const found = hasTotalOfZero(body) || holdsFailure(body, true) ? undefined : onlyOf(beside, body);
	if (found !== undefined) return found;
	if (meansEmptyList(body)) return { records: [], path: '' };
	const entries = entriesOf(body);
	const [map = ''] = entries.find(([, value]) => isMap(value)) ?? [];
	const mayBeMap = map !== '' || (entries.length > 1 && isMap(body));
	throw noList('the response contains no list', body, mayBeMap ? [joinPath(map, '*')] : []);
}

/**
 * The records at the path where they were found before, so that no other list is mistaken for them. An object there is
 * one record, because some services write a list of one like that, or has the records under numbers. Without an Items
 * Field, an empty list may be elsewhere on the first page, and if several lists are filled, the user must choose.
 * @throws ListError if there is no list, or more than one
 */
export function findListAgain(
	body: unknown,
	path: string,
	{ itemsField, page }: { itemsField: string; page: number },
	endpoint: string,
): FoundList {
	if (path.split('.').includes('*')) return recordsAt(body, path, page > 1);
	const mayMove = itemsField === '' && page === 1;
	const value = path === '' ? body : valueAt(body, path);
	if (Array.isArray(value)) {
		// Throws if several lists are filled.
		if (mayMove && value.length > 0) findList(body, '', endpoint);
		return { records: value, path };
	}
	const mayBeRecord = path !== '' || hasId(value);
	if (isObject(value) && !isNothing(value) && mayBeRecord && !holdsFailure(value)) {
		const isNumbered = Object.keys(value).every((name) => /^\d+$/.test(name));
		return { records: isNumbered ? Object.values(value) : [value], path };
	}
	if (path === '') return findList(body, '', endpoint);
	const isNone =
		meansEmptyList(body) || (mayMove && findList(body, '', endpoint).records.length === 0);
	return { records: isNone ? [] : listAt(body, path), path };
}

/** Whether the list is one that often accompanies the records, which may then turn up elsewhere. */
export function isBesideRecords(path: string): boolean {
	return isNamed(path, BESIDE);
}

/** Whether an endpoint such as `/v2/getContacts.json` is named like the end of a path such as `data.contacts`. */
function isNamedBy(endpoint: string, path: string): boolean {
	const name = stemOf(path);
	return name !== '' && stemOf(endpoint.replace(/\.\w+$/, '')).endsWith(name);
}

/** The last name of a path, in lower case, without a plural ending. */
function stemOf(path: string): string {
	const name = path.toLowerCase().replace(/.*[./]/, '');
	return name.replace(/[^a-z]|(ies|y|s)$/g, '');
}

function hasId(value: unknown): boolean {
	return entriesOf(value).some(([name]) => ID_NAME.test(name));
}

/** Whether a response means an empty list, of which services have many forms. */
function meansEmptyList(body: unknown): boolean {
	const entries = entriesOf(body);
	const own = entries.filter((entry) => !isAboutPages(entry) && !isSuccess(entry));
	const [only, ...others] = own.length > 0 ? own : entries;
	const isOnlyNothing = others.length === 0 && isNothing(only?.[1]);
	return isNothing(body) || isOnlyNothing || hasTotalOfZero(body) || isEmptyEnvelope(body);
}

/** Whether a field only names the page or its size, or says that no page follows. */
function isAboutPages([path, value]: Entry): boolean {
	const name = path.replace(/.*\./, '');
	if (isObject(value)) return !isNothing(value) && entriesOf(value).every(isAboutPages);
	const isNumber = /^\d+$/.test(String(value));
	return (isNumber && PAGE_NAME.test(name)) || (namesNoPage(value) && namesNextPage(path));
}

function isSuccess([name, value]: Entry): boolean {
	return value === true && /^(success|ok)$/i.test(name);
}

/** The only list of objects, or else the only list with entries. @throws ListError if there are several */
function onlyOf(lists: List[], body: unknown): FoundList | undefined {
	const ofObjects = lists.filter(([, records]) => records.some(isObject));
	const filled = lists.filter(([, records]) => records.length > 0);
	// Beside a list of texts, an empty list may be that of the records.
	const fitting = ofObjects.length > 0 ? ofObjects : filled.length > 0 ? lists : [];
	if (fitting.length > 1) {
		throw noList(
			'the response contains several lists',
			body,
			fitting.map(([path]) => path),
		);
	}
	// If all are empty, any of them will do.
	const [path, records] = fitting[0] ?? lists[0] ?? [];
	return path === undefined || records === undefined ? undefined : { path, records };
}

/**
 * The records at a path in which `*` stands for every entry.
 * @param mayBeNone whether the path was found before, so that every entry may lack a record
 */
function recordsAt(body: unknown, path: string, mayBeNone = false): FoundList {
	const values = valuesAt(body, path);
	const given = values.filter((one) => one !== undefined);
	const records = given.filter((one) => one !== null).flat();
	const lists = valuesAt(body, path.replace(/\.?\*[^*]*$/, '')).filter((one) => one !== undefined);
	const haveIds = lists.every(Array.isArray) && idsIn(lists.flat()) !== undefined;
	if (given.length > 0 || (mayBeNone && values.length > 0 && haveIds)) {
		// Objects without IDs that hold lists are groups or pages, and not what the service counts.
		const areGroups = given.some(Array.isArray) && !haveIds;
		return { records, path, entries: areGroups ? records.length : values.length };
	}
	const isEmpty = (list: unknown) =>
		isNothing(list) ||
		(typeof list === 'object' && list !== null && Object.values(list).every(isNothing));
	const areEmpty = lists.length > 0 && lists.every(isEmpty);
	if (areEmpty || isNothing(body) || hasTotalOfZero(body)) return { records, path };
	throw noList(`there is no list at "${path}"`, body);
}

function listAt(body: unknown, path: string): unknown[] {
	const value = valueAt(body, path);
	if (Array.isArray(value)) return value;
	const parent = path.split('.').slice(0, -1).join('.');
	const around = parent === '' ? body : valueAt(body, parent);
	if (isNothing(value === undefined ? around : value)) return [];
	if (value === undefined && hasTotalOfZero(body)) return [];
	if (!isObject(value)) throw noList(`there is no list at "${path}"`, body);
	// Some services write a list of one as the record itself, which may contain lists.
	if (hasId(value)) return [value];
	const lists = entriesOf(value, path).filter(isList);
	const names = lists.filter(([, list]) => list.some(isObject)).map(([name]) => name);
	if (names.length === 0 && isMap(value)) names.push(`${path}.*`);
	if (names.length === 0) return [value];
	const what = lists.length > 0 ? 'lists' : 'objects';
	throw noList(`"${path}" is an object with ${what} in it`, body, names);
}

/** Whether the value may be an object whose fields are records. */
function isMap(value: unknown): boolean {
	return isObject(value) && !isNothing(value) && Object.values(value).every(isObject);
}

/** Whether the value stands for a list without records. */
function isNothing(value: unknown): boolean {
	return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}

/** Whether the body has an empty object in place of the list, beside plain values. */
function isEmptyEnvelope(body: unknown): boolean {
	const entries = entriesOf(body).filter((entry) => !isNamed(entry[0], FAILURES));
	const objects = entries.filter(([, value]) => isObject(value));
	const isEmpty = objects.length > 0 && objects.every(([, value]) => isNothing(value));
	return (
		isEmpty &&
		!entries.some(([path]) => ID_NAME.test(path) || MESSAGE_NAME.test(path)) &&
		!holdsFailure(body)
	);
}

/** Whether the response says that there are no records. */
function hasTotalOfZero(body: unknown): boolean {
	const outer = entriesOf(body);
	const all = [...outer, ...outer.flatMap(([path, value]) => entriesOf(value, path))];
	return all.some(([path, value]) => namesTotal(path) && String(value) === '0');
}

function entriesOf(value: unknown, path = ''): Entry[] {
	if (!isObject(value)) return [];
	return Object.entries(value).map(([name, inner]) => [joinPath(path, name), inner]);
}

function isNamed(path: string, names: RegExp): boolean {
	return path.split(/\.[_@$]*/).some((name) => names.test(name));
}

function isList(entry: Entry): entry is List {
	return Array.isArray(entry[1]);
}

/** An object may have a field, or a list, for each of many records. */
const MOST_NAMED = 20;

/** @param names dot paths of the lists to suggest */
function noList(problem: string, body: unknown, names: string[] = []): ListError {
	const named = names.slice(0, MOST_NAMED).join(' or ');
	const perhaps = named === '' ? '' : ` Perhaps it is ${named}.`;
	const fields = isObject(body) ? Object.keys(body).slice(0, MOST_NAMED).join(', ') : '';
	const has = fields === '' ? '' : ` The response has the fields ${fields}.`;
	return new ListError(
		`Items Field: ${problem}`,
		Array.isArray(body)
			? 'The response itself is a list: leave the option Items Field empty.'
			: `Set the option Items Field to the path of the list, for example data.items.${perhaps}${has}`,
	);
}
