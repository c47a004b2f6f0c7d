/** Tells whether two pages hold the same records: by ID, because times and signed addresses differ in every response. */
import { valueAt } from '../values/dotPath';
import { hashOf } from '../values/hash';
import { isTextOrNumber } from '../values/isTextOrNumber';

const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:/;
/** A time this close (ms) to now may be the time of the response. */
const CURRENT_MS = 60_000;
/** The parts of an address that differ in every response. */
const SIGNATURE = /(?<=[?&])(x-(amz|goog)-[\w-]+|sig(nature)?|token|expires?)=[^&#]*/gi;
/** Fields that only name the page or its size. */
export const PAGE_NAME =
	/^(current_?)?(page|offset|start|skip|limit|per_?page|page_?(no|num|number|index|size))$/i;
const ID_NAMES = ['id', 'Id', 'ID', '_id', 'uuid', 'guid'];
const HASH_LENGTH = 16;

/** The same hash for the same records. @param idField dot path to the ID of a record, if known */
export function hashOfPage(records: unknown[], idField?: string): string {
	return hashOf(idsIn(records, idField) ?? withoutVolatileValues(records), HASH_LENGTH);
}

/** The IDs of the records; undefined unless each has its own. @param idField dot path to the ID, if known */
export function idsIn(records: unknown[], idField?: string): Array<string | number> | undefined {
	const names = idField === undefined ? ID_NAMES : [idField];
	const idOf = (record: unknown) => names.map((name) => valueAt(record, name)).find(isTextOrNumber);
	const ids = records.map(idOf);
	return ids.every(isTextOrNumber) && new Set(ids).size === ids.length ? ids : undefined;
}

/** The records without times of the response, page numbers and signatures; unchanged if nothing else differs. */
function withoutVolatileValues(records: unknown[]): unknown[] {
	const now = Date.now();
	const isCurrent = (ms: number) => Math.abs(ms - now) < CURRENT_MS;
	const texts = records.map((record) =>
		JSON.stringify(record, (name, value: unknown) => {
			if (typeof value === 'number') {
				const isVolatile = PAGE_NAME.test(name) || isCurrent(value) || isCurrent(1000 * value);
				return isVolatile ? undefined : value;
			}
			if (typeof value !== 'string') return value;
			const isTime = DATE_TIME.test(value) && isCurrent(Date.parse(value));
			return isTime ? undefined : value.replace(SIGNATURE, '');
		}),
	);
	const areDistinct = new Set(texts).size === texts.length && !texts.includes('{}');
	return areDistinct ? texts : records;
}
