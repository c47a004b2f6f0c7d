/** Tells whether a 2xx looks like a failure. It is a sign, not proof. */

const DEEPEST = 6;
const MOST_VALUES = 10_000;
const FAILURES =
	/^((has|is)?(errors?|faults?|failures?|failed|exceptions?)|(errors?|fail(ure|ed)?)(codes?|count|messages?|ids?|items|records)|validationerrors|(notfound|rejected|unprocessed)(ids|items|records)?)$/;
/** Names for lists of what was not done. Under these names, other values mean nothing. */
const LEFT = /^(failed|skipped|notdeleted)[a-z]*$/;
const SUCCESS = /^(is)?(success(ful)?|succeeded|ok)$/;
const STATUS = /^((http)?status(code)?|statusattributestring)$/;
/** Numbers under these names may mean anything, such as the code of an account. */
const OTHER_STATUS = /^(result|state|code)$/;
const MESSAGE = /^(error)?(message|msg|detail|reason)s?$/i;
/** If it is 0, an error message beside it says what was done. */
const CODE = /^error_?(code)?$/i;
/** What services write if there is no failure. */
const NONE = /^(|0+|false|no|none|null|ok|success\w*|no ?errors?)$/i;
const FAILED_STATUS = /^(nok|ko)$|error|fail|invalid|not_?found|denied|rejected|forbidden/i;

/** @param skipsLists whether to skip all lists but `errors`, because they hold records */
export function holdsFailure(value: unknown, skipsLists = false): boolean {
	let left = MOST_VALUES;
	const looksIn = (one: unknown, level: number): boolean => {
		if (typeof one !== 'object' || one === null || level > DEEPEST) return false;
		const entries: Array<[string, unknown]> = Object.entries(one);
		const isExplained = entries.some(([name]) => MESSAGE.test(name));
		const isDone = entries.some(([name, code]) => CODE.test(name) && String(code) === '0');
		return entries.some(([name, inner]) => {
			const key = name.toLowerCase().replace(/[^a-z]/g, '');
			if (left-- <= 0 || (skipsLists && Array.isArray(inner) && key !== 'errors')) return false;
			if (isDone && /^errormessages?$/.test(key)) return false;
			return isFailure(key, inner, isExplained) || looksIn(inner, level + 1);
		});
	};
	return looksIn(value, 0);
}

/** @param isExplained whether there is a message beside it */
function isFailure(key: string, value: unknown, isExplained: boolean): boolean {
	if (SUCCESS.test(key)) return value === false || value === 'false';
	const isStatus = STATUS.test(key);
	if (isStatus || OTHER_STATUS.test(key)) {
		const isErrorStatus = Number(value) >= 400 && Number(value) < 600;
		if (isErrorStatus && (isStatus || isExplained)) return true;
		return typeof value === 'string' && FAILED_STATUS.test(value);
	}
	if (!FAILURES.test(key) && !(LEFT.test(key) && Array.isArray(value))) return false;
	if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
	if (typeof value === 'string') return !NONE.test(value.trim());
	return ![undefined, null, 0, false].includes(value as null);
}
