/** Where in an answer the list is. */
import { RequestError } from '../../transport/requestError';
import { valueAt } from '../../transport/valueAt';

/**
 * The list in an answer.
 * @param itemsField dot path to it; empty finds it: the body itself, or its only property with a list
 * @throws RequestError when there is none, or several
 */
export function findList(body: unknown, itemsField: string): unknown[] {
	if (itemsField !== '') {
		const list = valueAt(body, itemsField);
		if (Array.isArray(list)) return list;
		throw noList(`there is no list at "${itemsField}"`, body);
	}
	if (Array.isArray(body)) return body;
	const properties = Object.entries(isRecord(body) ? body : {});
	const lists = properties.filter(([, value]) => Array.isArray(value));
	const [found] = lists;
	if (found === undefined) throw noList('the answer contains no list', body);
	if (lists.length > 1) throw noList('the answer contains several lists', body);
	return found[1] as unknown[];
}

function noList(problem: string, body: unknown): RequestError {
	const names = isRecord(body) && !Array.isArray(body) ? Object.keys(body).slice(0, 20) : [];
	const fields = names.length > 0 ? ` The answer has the fields ${names.join(', ')}.` : '';
	return new RequestError(`Items Field: ${problem}`, {
		outcome: 'unknown',
		description: `Set the option Items Field to the place of the list, for example data.items.${fields}`,
	});
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}
