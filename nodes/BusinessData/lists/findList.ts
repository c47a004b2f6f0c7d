/** Where in a response the list is. */
import { RequestError } from '../transport/requestError';
import { joinPath, placesAt, valueAt, valuesAt } from '../transport/valueAt';
import { isObject } from '../values/isObject';
import { isZero, namesTotal } from './signsOfMore';

export interface FoundList {
	records: unknown[];
	/** Dot path to it; empty where it is the response itself. */
	path: string;
	/** How many entries of the service's list have no record at the path, where there are such. */
	gaps?: number;
}

/** There is no list, or several. */
export class NoListError extends RequestError {}

/** How deep a list is looked for. */
const DEEPEST = 4;
/** Lists beside the records, which are taken only where there is nothing else. */
const BESIDE =
	/^_?(sort|order|orderby|errors?|warnings?|messages?|links?|filters?|facets|included)$/i;

/**
 * The list in a response.
 * @param itemsField dot path to it, in which `*` stands for every entry; empty finds it: the response itself, or the
 * only list of objects at the shallowest level
 * @throws NoListError
 */
export function findList(body: unknown, itemsField: string): FoundList {
	if (itemsField !== '') {
		const gaps = gapsAt(body, itemsField);
		const records = listAt(body, itemsField);
		return { records, path: itemsField, ...(gaps > 0 ? { gaps } : {}) };
	}
	if (Array.isArray(body)) return { records: body, path: '' };
	if (isNothing(body)) return { records: [], path: '' };
	const beside: FoundList[] = [];
	for (
		let level: Entry[] = entriesOf(body), depth = 1;
		level.length > 0 && depth <= DEEPEST;
		depth++
	) {
		const lists = level.filter(isListEntry).map(([path, records]) => ({ path, records }));
		const own = lists.filter(
			({ path }) => !path.split(/\.[_@$]*/).some((name) => BESIDE.test(name)),
		);
		const found = onlyOf(own, body);
		if (found !== undefined) return found;
		beside.push(...lists);
		level = level.flatMap(([path, value]) => (Array.isArray(value) ? [] : entriesOf(value, path)));
	}
	const found = onlyOf(beside, body);
	if (found !== undefined) return found;
	const [only, ...others] = Object.values(isObject(body) ? body : { body });
	if ((others.length === 0 && isNothing(only)) || saysNone(body)) return { records: [], path: '' };
	const isMapOfMany = others.length > 0 && isMap(body);
	const [path] = entriesOf(body).find(([, value]) => isMap(value)) ?? [];
	const map = path === undefined ? isMapOfMany && '*' : `${path}.*`;
	throw noList('the response contains no list', body, map ? ` Perhaps it is ${map}.` : '');
}

type Entry = [path: string, value: unknown];

/** @throws NoListError when several lists fit */
function onlyOf(lists: FoundList[], body: unknown): FoundList | undefined {
	const ofObjects = lists.filter(({ records }) => records.some(isObject));
	const filled = lists.filter(({ records }) => records.length > 0);
	const [found, ...others] = ofObjects.length > 0 ? ofObjects : filled;
	if (others.length > 0) {
		const names = [found, ...others].map((list) => list?.path).join(', ');
		throw noList('the response contains several lists', body, ` It is one of ${names}.`);
	}
	// All are empty, so it does not matter which it is.
	return found ?? lists[0];
}

function listAt(body: unknown, path: string): unknown[] {
	const isWild = path.split('.').includes('*');
	const found = isWild ? valuesAt(body, path) : [valueAt(body, path)];
	if (isWild && found.length > 0) return found.flat();
	const [value] = found;
	if (Array.isArray(value)) return value as unknown[];
	if (value === undefined) {
		const parent = path.split('.').slice(0, -1).join('.');
		const around = parent === '' || isWild ? body : valueAt(body, parent);
		const isEmptyList = isWild && valuesAt(body, path.slice(0, path.indexOf('*') + 1)).length === 0;
		const isThere = valueAt(body, path.slice(0, Math.max(0, path.indexOf('*') - 1))) !== undefined;
		if (isNothing(around) || saysNone(body) || (isEmptyList && isThere)) return [];
	} else if (isNothing(value)) return [];
	else if (isObject(value)) {
		const lists = entriesOf(value, path).filter(isListEntry);
		const names = lists.filter(([, list]) => list.some(isObject)).map(([name]) => name);
		if (names.length === 0 && isMap(value)) names.push(`${path}.*`);
		if (names.length === 0) return [value];
		throw noList(
			`"${path}" is an object with ${lists.length > 0 ? 'lists' : 'objects'} in it`,
			body,
			` Perhaps it is ${names.join(' or ')}.`,
		);
	}
	throw noList(`there is no list at "${path}"`, body);
}

/** The service counts its entries, whatever is in them; lists in them are its list, though. */
function gapsAt(body: unknown, path: string): number {
	if (!path.split('.').includes('*')) return 0;
	const places = placesAt(body, path);
	return places.some(Array.isArray) ? 0 : places.filter((one) => one === undefined).length;
}

/** Whether the value may hold records by their IDs. */
function isMap(value: unknown): boolean {
	return isObject(value) && !isNothing(value) && Object.values(value).every(isObject);
}

/** Whether the value stands for a list without records. */
function isNothing(value: unknown): boolean {
	return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}

/** Whether the response says that there are no records. */
function saysNone(body: unknown): boolean {
	const inside = entriesOf(body).flatMap(([path, value]) => [
		[path, value] as Entry,
		...entriesOf(value, path),
	]);
	return inside.some(([path, value]) => namesTotal(path) && isZero(value));
}

function entriesOf(value: unknown, path = ''): Entry[] {
	if (!isObject(value)) return [];
	return Object.entries(value).map(([name, inner]) => [joinPath(path, name), inner]);
}

function isListEntry(entry: Entry): entry is [string, unknown[]] {
	return Array.isArray(entry[1]);
}

function noList(problem: string, body: unknown, more = ''): NoListError {
	const names = isObject(body) ? Object.keys(body).slice(0, 20) : [];
	const fields = names.length > 0 ? ` The response has the fields ${names.join(', ')}.` : '';
	return new NoListError(`Items Field: ${problem}`, {
		outcome: 'unknown',
		description: `Set the option Items Field to the place of the list, for example data.items.${more}${fields}`,
	});
}
